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
///
/// An entry may keep objects that have registrations in the same list, so none is destroyed during an access to the
/// list. Adding and ending an entry are amortised O(1): what has ended is removed when it is half of the list.
final class RegistrationList<Entry> {
    private final class Registered {
        /// `nil` once the registration has ended.
        private var entry: Entry?
        private weak var owner: AnyObject?
        /// Whether the entry ends with the owner, instead of with a ``Registration``.
        private let isOwned: Bool

        init(_ entry: Entry, of owner: AnyObject?) {
            self.entry = entry
            self.owner = owner
            isOwned = owner != nil
        }

        /// The entry, unless it has ended.
        var living: Entry? { isOwned && owner == nil ? nil : entry }

        /// Takes the entry out, so that the caller decides when it is destroyed.
        func end() -> Entry? { entry.take() }
    }

    private var registered: [Registered] = []
    /// The number of registrations that have ended and were not removed yet.
    private var ended = 0
    private var sweepThreshold = 32

    var isEmpty: Bool { count == 0 }
    /// The number of entries, including those whose owner is gone and that were not removed yet.
    var count: Int { registered.count - ended }

    func add(_ entry: Entry) -> Registration {
        let new = Registered(entry, of: nil)
        append(new)
        return Registration { [weak self, weak new] in
            guard let self, let new else { return }
            self.end(new)
        }
    }

    /// Adds an entry that ends with `owner`, which it does not keep alive.
    func add(of owner: AnyObject, _ entry: Entry) {
        append(Registered(entry, of: owner))
    }

    /// The newest entry that meets `condition`.
    func newest(where condition: (Entry) -> Bool) -> Entry? {
        registered.last { $0.living.map(condition) ?? false }?.living
    }

    /// Calls `body` with the entries registered now, except those that a call unregisters.
    func visit(_ body: (Entry) -> Void) {
        for now in registered {
            if let entry = now.living { body(entry) }
        }
    }

    private func append(_ new: Registered) {
        if registered.count >= sweepThreshold {
            sweep()
            sweepThreshold = max(32, registered.count * 2)
        }
        registered.append(new)
    }

    private func end(_ old: Registered) {
        let entry = old.end()
        ended += 1
        if ended >= 32, ended > registered.count / 2 { sweep() }
        // Destroyed last: it may keep objects that use the list.
        withExtendedLifetime(entry) {}
    }

    /// Removes entries that have ended.
    private func sweep() {
        var former = registered.filter { $0.living != nil }
        ended = 0
        swap(&registered, &former)
        // Destroyed last: those without their owner may keep objects that use the list.
        withExtendedLifetime(former) {}
    }
}

/// Closures to be called with a value.
typealias HandlerList<Value> = RegistrationList<(Value) -> Void>

extension RegistrationList {
    func callAll<Value>(_ value: Value) where Entry == (Value) -> Void {
        visit { $0(value) }
    }
}
