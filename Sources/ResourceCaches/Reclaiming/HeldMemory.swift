internal import Synchronization

/// Memory that responders of one process have dropped while other references kept it.
///
/// Two caches may hold one object, or one cache under two keys: the last reference frees it, and it counts once. So rounds
/// that run at the same time share one record, which ends with the last of them.
package final class HeldMemory: Sendable {
    private struct Share {
        weak var object: AnyObject?
        var bytes: Int
    }

    private let shares = Guarded([ObjectIdentifier: Share]())
    private let isUsed = Atomic(false)

    /// The maximum number of records, beyond which objects are not counted: each record takes some hundred bytes.
    private static let most = 1 << 16

    package init() {}

    /// Whether there was never a record, which saves most calls the lock.
    ///
    /// A thread that drops a last reference sees the records of threads that dropped earlier ones: they have written
    /// theirs first.
    var isEmpty: Bool { !isUsed.load(ordering: .acquiring) }

    /// - Returns: The bytes of a destroyed object that had the same address.
    func add(_ object: AnyObject, _ bytes: Int) -> Int {
        isUsed.store(true, ordering: .releasing)
        let id = ObjectIdentifier(object)
        // The caller keeps the object, so that reading the weak reference ends no object under the lock.
        return shares.withLock { shares in
            if let share = shares[id] {
                let isSame = share.object != nil
                shares[id] = Share(object: object, bytes: isSame ? max(share.bytes, bytes) : bytes)
                return isSame ? 0 : share.bytes
            }
            if shares.count < Self.most { shares[id] = Share(object: object, bytes: bytes) }
            return 0
        }
    }

    /// Removes the record of an object, which the caller keeps.
    func take(_ object: AnyObject) -> Int {
        shares.withLock { shares in
            let id = ObjectIdentifier(object)
            guard let share = shares[id], share.object != nil else { return 0 }
            shares[id] = nil
            return share.bytes
        }
    }

    /// Removes the records of objects that are free by now.
    func takeFreed() -> Int {
        // Without the lock, because reading a weak reference may be left with the last one to its object.
        var taken = shares.withLock { shares in
            defer { shares = [:] }
            return shares
        }
        var bytes = 0
        for (id, share) in taken where share.object == nil {
            bytes = bytes.addingSaturated(share.bytes)
            taken[id] = nil
        }
        guard !taken.isEmpty else { return bytes }
        shares.withLock { shares in
            if shares.isEmpty { shares = taken } else { shares.merge(taken) { new, _ in new } }
        }
        return bytes
    }
}
