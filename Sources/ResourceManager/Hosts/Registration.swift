/// Keeps a closure registered with a host for as long as this object is kept.
///
/// Drop it, or call ``cancel()``, and the closure is not called again; not even by a broadcast that is under way. It
/// belongs to the host's isolation, and keeps neither the host nor anything else but the closure alive.
public final class Registration {
    private var remove: (() -> Void)?

    init(remove: @escaping () -> Void) {
        self.remove = remove
    }

    deinit {
        cancel()
    }

    /// Ends the registration; further calls do nothing.
    public func cancel() {
        let remove = remove
        self.remove = nil
        remove?()
    }
}

/// Closures to be called with a value, in the order of their registration.
final class HandlerList<Value> {
    private var handlers: [(id: Int, call: (Value) -> Void)] = []
    private var nextID = 0

    var isEmpty: Bool { handlers.isEmpty }

    func add(_ handler: @escaping (Value) -> Void) -> Registration {
        let id = nextID
        nextID += 1
        handlers.append((id, handler))
        return Registration { [weak self] in
            self?.handlers.removeAll { $0.id == id }
        }
    }

    /// Calls those registered now, without those that another one's call unregisters.
    func callAll(_ value: Value) {
        for (id, call) in handlers where handlers.contains(where: { $0.id == id }) {
            call(value)
        }
    }
}
