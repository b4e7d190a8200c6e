internal import ResourceCaches
internal import Synchronization

/// Keeps a closure registered with a host for as long as this object exists.
///
/// When it is released or ``cancel()`` is called, the closure is not called again, not even by a broadcast under way.
/// It keeps nothing alive but the closure. The last reference to it may be dropped on any thread, by the deinit of what
/// holds it; then a call that has begun is finished.
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
/// A registration may end on another thread than the others (rule 2.17), so a lock guards the entries. An entry and an
/// owner may keep objects that have registrations in the same list, so none is destroyed under the lock. Adding and ending
/// an entry are amortised O(1): what has ended is removed when it is half of the list.
final class RegistrationList<Entry> {
    private final class Registered {
        /// `nil` once the registration has ended; used under the list's lock.
        var entry: Entry?
        private weak var owner: AnyObject?
        /// Whether the entry ends with the owner, instead of with a ``Registration``.
        private let isOwned: Bool

        init(_ entry: Entry, of owner: AnyObject?) {
            self.entry = entry
            self.owner = owner
            isOwned = owner != nil
        }

        /// Asked outside the lock: this may keep the last reference to the owner.
        var isOrphan: Bool { isOwned && owner == nil }
    }

    private struct State {
        var registered: [Registered] = []
        /// The number of registrations that have ended and were not removed yet.
        var ended = 0
        var sweepThreshold = 32
    }

    private let state = Guarded(State())
    /// The number of entries that have not ended: each callback of a controller asks for it, so it needs no lock.
    private let present = Atomic(0)

    var isEmpty: Bool { count == 0 }
    /// The number of entries, including those whose owner is gone and that were not removed yet.
    var count: Int { present.load(ordering: .relaxed) }

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
        for now in state.withLock(\.registered).reversed() {
            if let entry = living(now), condition(entry) { return entry }
        }
        return nil
    }

    /// Calls `body` with the entries registered now, except those that a call unregisters.
    func visit(_ body: (Entry) -> Void) {
        for now in state.withLock(\.registered) {
            if let entry = living(now) { body(entry) }
        }
    }

    /// The entry, unless it has ended.
    private func living(_ registered: Registered) -> Entry? {
        registered.isOrphan ? nil : state.withLock { _ in registered.entry }
    }

    private func append(_ new: Registered) {
        let isFull = state.withLock { state in
            state.registered.append(new)
            return state.registered.count > state.sweepThreshold
        }
        present.add(1, ordering: .relaxed)
        if isFull { removeOrphans() }
    }

    private func end(_ old: Registered) {
        let entry = state.withLock { state in
            let entry = old.entry.take()
            state.ended += 1
            if state.ended >= 32, state.ended > state.registered.count / 2 {
                state.registered.removeAll { $0.entry == nil }
                state.ended = 0
            }
            return entry
        }
        present.subtract(1, ordering: .relaxed)
        // Destroyed last: it may keep objects that use the list.
        withExtendedLifetime(entry) {}
    }

    /// Removes entries that have ended, and those whose owners have.
    private func removeOrphans() {
        let orphans = Set(state.withLock(\.registered).filter(\.isOrphan).map(ObjectIdentifier.init))
        let former = state.withLock { state in
            let former = state.registered
            state.registered.removeAll { $0.entry == nil || orphans.contains(ObjectIdentifier($0)) }
            state.ended = 0
            state.sweepThreshold = max(32, state.registered.count * 2)
            return former
        }
        present.subtract(orphans.count, ordering: .relaxed)
        // Destroyed last: the entries without their owners may keep objects that use the list.
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
