/// Keeps a closure registered with a host for as long as this object exists.
///
/// When it is released or ``cancel()`` is called, the closure is not called again, not even by a broadcast under way.
/// It belongs to the host's isolation, and keeps nothing alive but the closure.
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

/// Entries in the order of their registration, each kept until its ``Registration`` is released or its owner is
/// destroyed.
final class RegistrationList<Entry> {
    private struct Registered {
        let id: Int
        let entry: Entry
        weak var owner: AnyObject?
        /// Whether the entry ends with the owner, instead of with a ``Registration``.
        let isOwned: Bool

        var isAlive: Bool { !isOwned || owner != nil }
    }

    private var registered: [Registered] = []
    private var nextID = 0
    private var sweepThreshold = 32

    var isEmpty: Bool { registered.isEmpty }
    /// The number of entries, including those whose owner is gone and that were not removed yet.
    var count: Int { registered.count }

    func add(_ entry: Entry) -> Registration {
        let id = nextID
        append(Registered(id: id, entry: entry, owner: nil, isOwned: false))
        return Registration { [weak self] in
            self?.registered.removeAll { $0.id == id }
        }
    }

    /// Adds an entry that ends with `owner`, which it does not keep alive.
    func add(of owner: AnyObject, _ entry: Entry) {
        append(Registered(id: nextID, entry: entry, owner: owner, isOwned: true))
    }

    /// Appends an entry; amortised O(1), since entries without their owner are removed each time the list has doubled.
    private func append(_ entry: Registered) {
        if registered.count >= sweepThreshold {
            registered.removeAll { !$0.isAlive }
            sweepThreshold = max(32, registered.count * 2)
        }
        nextID += 1
        registered.append(entry)
    }

    /// The newest entry that meets `condition`.
    func newest(where condition: (Entry) -> Bool) -> Entry? {
        registered.last { $0.isAlive && condition($0.entry) }?.entry
    }

    /// Calls `body` with the entries registered now, except those that a call unregisters.
    func visit(_ body: (Entry) -> Void) {
        for now in registered where now.isAlive && registered.contains(where: { $0.id == now.id }) { body(now.entry) }
    }
}

/// Closures to be called with a value.
typealias HandlerList<Value> = RegistrationList<(Value) -> Void>

extension RegistrationList {
    func callAll<Value>(_ value: Value) where Entry == (Value) -> Void {
        visit { $0(value) }
    }
}
