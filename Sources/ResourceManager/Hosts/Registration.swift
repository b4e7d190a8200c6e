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

/// Entries in the order of their registration, each for as long as its ``Registration`` is kept.
final class RegistrationList<Entry> {
    private var registered: [(id: Int, entry: Entry)] = []
    private var nextID = 0

    var isEmpty: Bool { registered.isEmpty }

    func add(_ entry: Entry) -> Registration {
        let id = nextID
        nextID += 1
        registered.append((id, entry))
        return Registration { [weak self] in
            self?.registered.removeAll { $0.id == id }
        }
    }

    /// The newest entry that `condition` holds for.
    func newest(where condition: (Entry) -> Bool) -> Entry? {
        registered.last { condition($0.entry) }?.entry
    }

    /// Calls `body` with those registered now, without those that a call unregisters.
    func visit(_ body: (Entry) -> Void) {
        for (id, entry) in registered where registered.contains(where: { $0.id == id }) { body(entry) }
    }
}

/// Closures to be called with a value.
typealias HandlerList<Value> = RegistrationList<(Value) -> Void>

extension RegistrationList {
    func callAll<Value>(_ value: Value) where Entry == (Value) -> Void {
        visit { $0(value) }
    }
}
