public import CLinux

extension ResourceCache {
    /// Stores a value, in place of the one there is for its key.
    ///
    /// Readers find the old value or the new one, and never none between. If the cache holds more than its
    /// ``limit`` then, others leave, and this one does not. A value is not kept if it is dearer than what ``limit``,
    /// ``softLimit`` and a memory warning leave beside pins, reservations and what is on screen. A value on screen needs
    /// room only within the ``limit``, beside pins and reservations; a value that is fetched ahead also needs it beside all
    /// values that are not. What is not kept costs no other its place, and the old value, being out of date, leaves all the
    /// same. What costs no more than the value whose place it takes is kept if that is pinned or its priority stays.
    ///
    /// A load of the same key that is under way does not store what it brings. Waits for other changes, constant time.
    /// What leaves ends before this returns.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    ///   - cost: What it costs, not negative; from 8 TiB on it counts as that. Without it what the ``Options/weigher``
    ///     says, and without that 1, so that the ``limit`` is a number of values.
    ///   - priority: How much it would be missed; `nil` for that of the value whose place it takes, and
    ///     ``CachePriority/offScreen`` if there is none, or if its time is up.
    ///   - timeToLive: How long it is handed out, in place of ``Options/timeToLive``.
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

    /// Removes and returns the value for a key; `nil` if there is none, or if its time is up.
    ///
    /// A load of the key that is under way does not store what it brings; the callers that wait for it get that.
    /// Waits for other changes, constant time.
    @inlinable
    @discardableResult
    public func remove(_ key: Key) -> Value? {
        let hash = hash(of: key)
        var value = view.pointee.mayHaveAbsentees ? absentValue(for: key) : nil
        change { core, departures in
            noteChange(of: key, &departures)
            let entry = find(key, hash: hash)
            guard entry != 0 else { return .done }
            let isGood = isGood(entry)
            let reason = isGood ? RemovalReason.removed : .expired
            guard core.pointee.unlist(entry, because: reason) else { return .busy(hash: hash) }
            let removal = takeOut(entry, core, because: reason)
            if isGood { value = removal.value }
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

/// What has a value stored.
@frozen @usableFromInline
enum StoreOccasion: Sendable {
    /// The service, by hand: what is being loaded for the key is out of date.
    case hand
    /// A load that has ended.
    case load
    /// A read that found an object which had left while it was used.
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
            // Once it is stored, what has begun since is newer.
            if occasion == .hand, pending != nil { noteChange(of: key, &departures) }
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
        // A value that was not kept ends here, with no lock held.
        withExtendedLifetime(pending) {}
    }

    /// With the policy's lock: stores a value, and has others leave for it.
    ///
    /// Of the arguments, `pending` is the value, `nil` once it is stored, and `queue` where a new entry begins, once that is
    /// decided.
    ///
    /// - Returns: What ``change(_:)`` needs to know; to be called again with the same arguments.
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

    // Apart, so that the compiler has few variables at a time where values are replaced.
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
        // After a bucket was busy only the limits may be left to see to.
        if pending != nil {
            // What is out of date may have left already, and then it has no priority to pass on.
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
                // What is prefetched costs only others like it their places.
                if priority != .prefetched, core.pointee.limitChanges == 0 {
                    let attempt = evictOverfull(adding: cost.bytes, entries: 1, core, &departures)
                    guard case .done = attempt else { return attempt }
                }
                entry = core.pointee.makeEntry(hash: hash, cost: cost, times: times)
                self.key(of: entry).initialize(to: key)
                // It is there, as was asked above.
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

    /// Stores a value in place of one that differs in nothing else, which is what most stores of a key that is there do.
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
            // It is there, as the caller has asked.
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
            // It is there, as the caller has asked.
            place.initialize(to: pending.take().unsafelyUnwrapped)
            core.pointee.noteReplacement(of: old, cost: cost, times: times)
        }
        guard isDone else { return false }
        if let priority { core.pointee.setPriority(priority, of: old) }
        if core.pointee.isHeard, !isOwnSuccessor(departures.replaced, self.value(of: old).pointee),
            let value = departures.replaced.take()
        {
            departures.add(CacheRemoval(key: key, value: value, reason: .replaced, cost: before))
        }
        return true
    }

    /// Notes that a value is not kept; the one that there is for its key leaves.
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
        if old != 0 {
            guard core.pointee.unlist(old, because: .replaced) else { return .busy(hash: hash) }
            let removal = takeOut(old, core, because: .replaced)
            if isOwnSuccessor(removal.value, pending) {
                departures.add(other: removal)
            } else {
                departures.add(removal)
            }
        }
        core.pointee.noteRefusal()
        if tellsFirst, core.pointee.isHeard, let value = pending.take() {
            departures.add(CacheRemoval(key: key, value: value, reason: .evicted, cost: cost.bytes))
        }
        // Pins may have ended when room was looked for.
        return settleLimits(core, &departures)
    }

    /// Has entries leave until the limits hold, unless another call is at that.
    func settleLimits(_ core: CacheCore.Pointer, _ departures: inout Departures<Key, Value>) -> Attempt {
        core.pointee.limitChanges > 0 ? .done : evictOverfull(core, &departures)
    }

    /// Whether an object takes its own place, of which no handler is told that hears of objects.
    @inlinable @inline(__always)
    func isOwnSuccessor(_ former: Value?, _ value: Value?) -> Bool {
        tellsFirst && isSameObject(former, value)
    }

    @usableFromInline
    func isSameObject(_ former: Value?, _ value: Value?) -> Bool {
        guard let former, let value, let object = references.object(of: value) else { return false }
        return references.object(of: former) === object
    }

    /// Has entries leave until the limits hold, and a few besides if their time is up.
    ///
    /// - Returns: Whether all have left; if so many have that they are to be ended first; or if no other entry can leave
    ///   than some whose bucket is busy.
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
            case .busy(let hash): return .busy(hash: hash)
            case .entry(let entry, let isLast):
                departures.add(takeOut(entry, core, because: .evicted))
                if isLast { return .done }
            }
        }
    }

    /// Has entries leave until the limits hold, and an entry that was just stored only if no other may (7.4).
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
        // What is only fetched ahead has none leave but others like it.
        let attempt =
            queue == .prefetched
            ? evict(core, &departures) { $0.pointee.unlistOverfullPrefetched() } : evictOverfull(core, &departures)
        core.pointee.putBack(entry, into: queue)
        return attempt.isDone ? evictOverfull(core, &departures) : attempt
    }

    /// Has entries leave as `next` says, until there are none or so many have left that they are to be ended first.
    func evict(
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>,
        _ next: (CacheCore.Pointer) -> Leaver
    ) -> Attempt {
        while true {
            if departures.isFull { return .more }
            switch next(core) {
            case .none, .kept: return .done
            case .busy(let hash): return .busy(hash: hash)
            case .entry(let entry, _): departures.add(takeOut(entry, core, because: .evicted))
            }
        }
    }

    /// Has a few entries leave, while another call is at the many that a lowered limit does not allow: as much as was added,
    /// and some more.
    @usableFromInline
    func evictSome(
        adding cost: Int,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Attempt {
        var rest = cost
        while rest >= 0, !departures.isFull,
            case .entry(let entry, _) = core.pointee.unlistOverfull(adding: 0, entries: 0)
        {
            let removal = takeOut(entry, core, because: .evicted)
            rest -= max(1, removal.cost)
            departures.add(removal)
        }
        return .done
    }

    @usableFromInline
    func removeExpired(_ core: CacheCore.Pointer, _ departures: inout Departures<Key, Value>) {
        var steps = 4
        removeExpired(steps: &steps, core, &departures)
    }

    /// Looks at the next few entries, and has those leave whose time is up.
    ///
    /// - Returns: What they cost.
    @discardableResult
    func removeExpired(
        steps: inout Int,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Int {
        var cost = 0
        while case .entry(let entry, _) = core.pointee.unlistExpired(steps: &steps) {
            let removal = takeOut(entry, core, because: .expired)
            cost += removal.cost
            departures.add(removal)
        }
        return cost
    }

    @usableFromInline
    func forgetAbsentValue(of key: Key, _ departures: inout Departures<Key, Value>) {
        if let rest = weakValues.remove(key) { departures.add(other: rest) }
        if let rest = leaving.remove(key) { departures.add(other: rest) }
    }

    /// With the policy's lock: the key is changed by hand, and what is being loaded for it is out of date.
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
