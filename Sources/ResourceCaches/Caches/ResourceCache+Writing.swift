public import CLinux

extension ResourceCache {
    /// Stores a value for a key; replaces the present one.
    ///
    /// Readers find the old or the new value, never none. If the cache then exceeds its ``limit`` other values leave,
    /// but not this one. A value is not kept if its cost exceeds the room that ``limit``, ``softLimit`` and a memory
    /// warning leave beside pins, reservations and values on screen. A value on screen needs room only within the
    /// ``limit``, beside pins and reservations; a prefetched value also needs it beside all values that are not
    /// prefetched. A value that is not kept displaces no other, but the outdated old value leaves. A value always fits in
    /// place of one that costs as much or more, if that one is pinned or the priority stays the same.
    ///
    /// A load of the same key under way does not store its result. Waits for other changes; takes constant time. Values
    /// that leave are destroyed before this returns.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    ///   - cost: Its cost, not negative. A cost of 2 GiB or more counts in whole pages of 4 KiB, rounded up, and a cost
    ///     of 8 TiB or more as 4 KiB less than 8 TiB. The default is that of the ``Options/weigher``, and without one
    ///     1, so that the ``limit`` is a number of values. Do not count bytes that the value gives back by itself, such
    ///     as those of a ``Reloadable`` in it: they would count twice at a warning.
    ///   - priority: Its priority; `nil` for that of the value that it replaces, and ``CachePriority/offScreen`` if
    ///     there is none or it has expired.
    ///   - timeToLive: Its lifetime, which replaces ``Options/timeToLive``; with zero or less no read finds it.
    @inlinable
    public func insert(
        _ value: consuming Value,
        for key: Key,
        cost: Int? = nil,
        priority: CachePriority? = nil,
        timeToLive: Duration? = nil
    ) {
        let hash = hash(of: key)
        let cost = EntryCost(cost ?? weigher?(key, value) ?? 1)
        let times = timeToLive == nil ? times : times(toLive: timeToLive)
        store(value, for: key, hash: hash, cost: cost, priority: priority, times: times, because: .hand)
    }

    /// Removes and returns the value for a key; `nil` if there is none or it has expired.
    ///
    /// A load of the key under way does not store its result, which the waiting callers get, and a remembered failure
    /// is forgotten. The pins of the value end. Waits for other changes; takes constant time.
    @inlinable
    @discardableResult
    public func remove(_ key: Key) -> Value? {
        let hash = hash(of: key)
        var value: Value?
        change { core, departures in
            if view.pointee.mayHaveAbsentees, let found = findAbsentValue(for: key) {
                departures.set(&value, to: found)
            }
            noteChange(of: key, &departures)
            let entry = find(key, hash: hash)
            guard entry != 0 else { return .done }
            let isGood = isGood(entry)
            let reason = isGood ? RemovalReason.removed : .expired
            guard core.pointee.unlist(entry, because: reason) else { return .busy(hash: hash) }
            let removal = takeOut(entry, core, because: reason)
            if isGood { departures.set(&value, to: removal.value) }
            departures.add(removal)
            return .done
        }
        return value
    }

    @usableFromInline
    func times(toLive: Duration?) -> CacheTimes? {
        options.times(toLive: toLive)
    }
}

/// The reason for storing a value.
@frozen @usableFromInline
enum StoreOccasion: Sendable {
    /// A call of the service: a load of the key under way is outdated.
    case hand
    /// A load that has ended.
    case load
    /// A read that found an object that left while it was used.
    case use
}

extension ResourceCache {
    @inlinable @inline(__always)
    func store(
        _ value: consuming Value,
        for key: Key,
        hash: UInt32,
        cost: EntryCost,
        priority: CachePriority?,
        times: CacheTimes?,
        because occasion: StoreOccasion
    ) {
        prefetch_for_writing(view.pointee.bucketLine(of: hash))
        var pending: Value? = consume value
        var queue: EntryQueue?
        change { core, departures in
            // Once the value is stored, loads that begin later are newer. An object that left is found until then.
            if occasion == .hand, pending != nil, core.pointee.isLoading { noteChangeOfLoads(of: key, &departures) }
            return store(
                &pending,
                for: key,
                hash: hash,
                cost: cost,
                priority: priority,
                times: times,
                &queue,
                core,
                &departures
            )
        }
    }

    /// Stores a value, and evicts others for it.
    ///
    /// The caller holds the policy's lock.
    ///
    /// `pending` is the value, `nil` once it is stored or refused, and `queue` is the first queue of a new entry, once it is
    /// decided.
    ///
    /// - Returns: The result for ``change(_:)``; the next attempt has the same arguments.
    @inlinable @inline(__always)
    func store(
        _ pending: inout Value?,
        for key: Key,
        hash: UInt32,
        cost: EntryCost,
        priority: CachePriority?,
        times: CacheTimes?,
        _ queue: inout EntryQueue?,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Attempt {
        core.pointee.prefetch(hash)
        let old = find(key, hash: hash)
        if old != 0, priority == nil, times == nil, pending != nil, core.pointee.isAlike(old, cost),
            !view.pointee.mayHaveAbsentees, !view.pointee.mayHaveTimes
        {
            return replaceAlike(old, by: &pending, hash, core, &departures) ? .done : .busy(hash: hash)
        }
        return store(
            &pending,
            over: old,
            for: key,
            hash: hash,
            cost: cost,
            priority: priority,
            times: times,
            &queue,
            core,
            &departures
        )
    }

    // Not inlined, so that the compiler has few live variables where values are replaced.
    @inlinable @inline(never)
    func store(
        _ pending: inout Value?,
        over old: UInt32,
        for key: Key,
        hash: UInt32,
        cost: EntryCost,
        priority: CachePriority?,
        times: CacheTimes?,
        _ queue: inout EntryQueue?,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Attempt {
        var entry = old
        // After a busy bucket only the limits may be left to enforce.
        if pending != nil {
            // An expired value may already have left, and then has no priority to inherit.
            let priority = priority ?? (old == 0 || isGood(old) ? nil : .offScreen)
            let hasRoom: Bool
            if old == 0, queue == nil {
                queue = core.pointee.place(hash: hash, cost: cost, priority: priority ?? .offScreen)
                hasRoom = queue != nil
            } else {
                hasRoom = core.pointee.hasRoom(for: cost, inPlaceOf: old, priority: priority)
            }
            guard hasRoom else {
                return refuse(old, &pending, for: key, hash: hash, cost: cost, core, &departures)
            }
            if old != 0 {
                guard replace(old, by: &pending, key, hash, cost, priority, times, core, &departures) else {
                    return .busy(hash: hash)
                }
            } else {
                // A prefetched value displaces only other prefetched values.
                if priority != .prefetched, core.pointee.limitChanges == 0 {
                    let attempt = evictOverfull(adding: cost.bytes, entries: 1, core, &departures)
                    guard case .done = attempt else { return attempt }
                }
                entry = core.pointee.makeEntry(hash: hash, cost: cost, times: times)
                self.key(of: entry).initialize(to: key)
                // It is not `nil`, as checked above.
                self.value(of: entry).initialize(to: pending.take().unsafelyUnwrapped)
                switch core.pointee.list(entry, in: queue.unsafelyUnwrapped) {
                case .busy:
                    self.key(of: entry).deinitialize(count: 1)
                    pending = self.value(of: entry).move()
                    core.pointee.free(entry)
                    return .busy(hash: hash)
                case .fits where !view.pointee.mayHaveAbsentees && !view.pointee.mayHaveTimes:
                    return .done
                case .fits, .overfull: break
                }
            }
            if view.pointee.mayHaveAbsentees { forgetAbsentValue(of: key, &departures) }
        }
        if core.pointee.limitChanges > 0 { return evictSome(adding: cost.bytes, core, &departures) }
        return evictOthers(than: entry, core, &departures)
    }

    /// Replaces a value without any other change, which is the common case for a present key.
    @inlinable @inline(__always)
    func replaceAlike(
        _ old: UInt32,
        by pending: inout Value?,
        _ hash: UInt32,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Bool {
        @inline(__always)
        func replace(_: Bucket) {
            let place = value(of: old)
            departures.replaced = place.move()
            // It is not `nil`, as the caller has checked.
            place.initialize(to: pending.take().unsafelyUnwrapped)
            view.pointee.uses(of: old, Self.layout).count()
        }
        guard view.pointee.tryWithBucket(of: hash, replace) else { return false }
        core.pointee.noteAlike()
        return true
    }

    @inlinable @inline(__always)
    func replace(
        _ old: UInt32,
        by pending: inout Value?,
        _ key: Key,
        _ hash: UInt32,
        _ cost: EntryCost,
        _ priority: CachePriority?,
        _ times: CacheTimes?,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Bool {
        let before = core.pointee.bytes(of: old)
        let isDone = view.pointee.tryWithBucket(of: hash) { _ in
            let place = value(of: old)
            departures.replaced = place.move()
            // It is not `nil`, as the caller has checked.
            place.initialize(to: pending.take().unsafelyUnwrapped)
            core.pointee.noteReplacement(of: old, cost: cost, times: times)
        }
        guard isDone else { return false }
        if let priority { core.pointee.setPriority(priority, of: old) }
        if core.pointee.notifiesRemovals, !isOwnSuccessor(departures.replaced, self.value(of: old).pointee),
            let value = departures.replaced.take()
        {
            departures.add(CacheRemoval(key: key, value: value, reason: .replaced, cost: before))
        }
        return true
    }

    /// Records that a value is not kept, unless expired pins still have to end; the present value of its key leaves.
    @usableFromInline
    func refuse(
        _ old: UInt32,
        _ pending: inout Value?,
        for key: Key,
        hash: UInt32,
        cost: EntryCost,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Attempt {
        if core.pointee.endExpiredPins() { return .more }
        if old != 0 {
            guard core.pointee.unlist(old, because: .replaced) else { return .busy(hash: hash) }
            let removal = takeOut(old, core, because: .replaced)
            if isOwnSuccessor(removal.value, pending) {
                departures.add(other: removal)
            } else {
                departures.add(removal)
            }
        }
        if view.pointee.mayHaveAbsentees { forgetAbsentValue(of: key, &departures) }
        core.pointee.noteRefusal()
        // The refusal is final: a repeated attempt would find the old value gone, or one that was stored meanwhile.
        if tellsFirst, core.pointee.notifiesRemovals, let value = pending.take() {
            departures.add(CacheRemoval(key: key, value: value, reason: .evicted, cost: cost.bytes))
        } else {
            departures.replaced = pending.take()
        }
        // Pins may have ended during the search for room.
        return settleLimits(core, &departures)
    }

    /// Evicts entries until the limits hold, unless another call is doing so.
    func settleLimits(_ core: CacheCore.Pointer, _ departures: inout Departures<Key, Value>) -> Attempt {
        core.pointee.limitChanges > 0 ? .done : evictOverfull(core, &departures)
    }

    /// Whether an object replaces itself, which an object handler is not told.
    @inlinable @inline(__always)
    func isOwnSuccessor(_ former: Value?, _ value: Value?) -> Bool {
        tellsFirst && isSameObject(former, value)
    }

    @usableFromInline
    func isSameObject(_ former: Value?, _ value: Value?) -> Bool {
        guard let former, let value, let object = references.object(of: value) else { return false }
        return references.object(of: former) === object
    }

    /// Evicts entries until the limits hold, and in addition a few expired ones.
    ///
    /// - Returns: The result: done; more entries have to leave after these are destroyed; or only entries with busy
    ///   buckets could leave.
    @inlinable @inline(__always)
    func evictOverfull(
        adding cost: Int = 0,
        entries: Int = 0,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Attempt {
        if view.pointee.mayHaveTimes { removeExpired(core, &departures) }
        while true {
            if departures.isFull { return .more }
            switch core.pointee.unlistOverfull(adding: cost, entries: entries) {
            case .none, .kept: return .done
            case .unpinned: return .more
            case .busy(let hash): return .busy(hash: hash)
            case .entry(let entry, let isLast):
                departures.add(takeOut(entry, core, because: .evicted))
                if isLast { return .done }
            }
        }
    }

    /// Evicts entries until the limits hold, and the just stored entry only if no other may leave (7.4).
    @usableFromInline
    func evictOthers(
        than entry: UInt32,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Attempt {
        guard entry != 0, core.pointee.isOverfull(adding: 0, entries: 0), let queue = core.pointee.setAside(entry)
        else {
            return evictOverfull(core, &departures)
        }
        // A prefetched value evicts only other prefetched values.
        let attempt =
            queue == .prefetched
            ? evict(core, &departures) { $0.pointee.unlistOverfullPrefetched() } : evictOverfull(core, &departures)
        core.pointee.putBack(entry, into: queue)
        return attempt.isDone ? evictOverfull(core, &departures) : attempt
    }

    /// Evicts the entries that `next` returns, until there are none or they have to be destroyed first.
    func evict(
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>,
        _ next: (CacheCore.Pointer) -> Leaver
    ) -> Attempt {
        while true {
            if departures.isFull { return .more }
            switch next(core) {
            case .none, .kept: return .done
            case .unpinned: return .more
            case .busy(let hash): return .busy(hash: hash)
            case .entry(let entry, _): departures.add(takeOut(entry, core, because: .evicted))
            }
        }
    }

    /// Evicts a few entries while another call evicts those above a lowered limit: as much as was added, and some more.
    @usableFromInline
    func evictSome(
        adding cost: Int,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Attempt {
        var rest = cost
        while rest >= 0, !departures.isFull {
            switch core.pointee.unlistOverfull(adding: 0, entries: 0) {
            case .none, .kept, .busy: return .done
            case .unpinned: return .more
            case .entry(let entry, _):
                let removal = takeOut(entry, core, because: .evicted)
                rest -= max(1, removal.cost)
                departures.add(removal)
            }
        }
        return .done
    }

    @usableFromInline
    func removeExpired(_ core: CacheCore.Pointer, _ departures: inout Departures<Key, Value>) {
        // Fewer than fill the departures, or the next attempt would examine more, until all expired ones have left.
        var steps = min(4, Departures<Key, Value>.most - 1)
        removeExpired(steps: &steps, core, &departures)
    }

    /// Examines the next few entries, and removes the expired ones, until they cost `most` or more.
    func removeExpired(
        steps: inout Int,
        upTo most: Int = .max,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) {
        var cost = 0
        while cost < most, case .entry(let entry, _) = core.pointee.unlistExpired(steps: &steps) {
            let removal = takeOut(entry, core, because: .expired)
            cost += removal.cost
            departures.add(removal)
        }
    }

    @usableFromInline
    func forgetAbsentValue(of key: Key, _ departures: inout Departures<Key, Value>) {
        if let rest = weakValues.remove(key) { departures.add(other: rest) }
        if let rest = leaving.remove(key) { departures.add(other: rest) }
    }

    /// Records a manual change of the key, which makes a load under way outdated.
    ///
    /// The caller holds the policy's lock.
    @inlinable @inline(__always)
    func noteChange(of key: Key, _ departures: inout Departures<Key, Value>) {
        if core.pointee.isLoading { noteChangeOfLoads(of: key, &departures) }
        if view.pointee.mayHaveAbsentees { forgetAbsentValue(of: key, &departures) }
    }

    @usableFromInline
    func noteChangeOfLoads(of key: Key, _ departures: inout Departures<Key, Value>) {
        if let rest = loading.noteChange(of: key) { departures.add(other: rest) }
    }
}
