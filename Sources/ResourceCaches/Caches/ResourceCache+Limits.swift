extension ResourceCache {
    /// The cost that the cache may hold, `nil` for no limit; a lower one takes effect at once.
    ///
    /// It includes pinned values and values on screen; between calls only pinned values may keep the cache above it. A
    /// negative limit counts as 0. Lowering it takes as long as the destructors of the values that leave; other changes
    /// get their turns in between.
    public var limit: Int? {
        get { withCore { $0.pointee.limits.hard } }
        set { setLimits { $0.hard = newValue } }
    }

    /// The cost above which everything except values on screen leaves; a lower one takes effect at once.
    ///
    /// `nil` for the ``limit``; only a value below that has an effect. Otherwise like ``limit``.
    public var softLimit: Int? {
        get { withCore { $0.pointee.limits.soft } }
        set { setLimits { $0.soft = newValue } }
    }

    /// The maximum number of values, `nil` for any; a lower number takes effect at once, like a lower ``limit``.
    package var countLimit: Int? {
        get { withCore { $0.pointee.limits.count == .max ? nil : $0.pointee.limits.count } }
        set { setLimits { $0.count = max(0, newValue ?? .max) } }
    }

    /// The number of values in the cache; expired values count until they leave.
    public var count: Int { withCore { $0.pointee.count } }

    /// The cost of the values in the cache; expired values count until they leave.
    public var totalCost: Int { withCore { $0.pointee.cost } }

    /// Removes the least valuable values first, until the cost of the rest is at most `cost`.
    ///
    /// Values on screen and pinned values stay. It is atomic only in steps of 64 values, between which other changes
    /// get their turns; it takes as long as the values' destructors. It removes at most the excess at the time of the
    /// call, however much other threads store in the meantime. The limits do not change.
    ///
    /// - Parameter cost: The cost that may stay; a negative one counts as 0. At 0 values without a cost leave as well.
    /// - Returns: The cost of the removed values.
    @discardableResult
    public func trim(toCost cost: Int) -> Int {
        let cost = max(0, cost)
        let trimmed = trim(downTo: cost)
        giveBackMemory()
        return trimmed
    }

    /// Removes values like ``trim(toCost:)``, until this fraction of the present cost is left.
    ///
    /// - Parameter fraction: From 0 to 1.
    /// - Returns: The cost of the removed values.
    @discardableResult
    public func trim(toFraction fraction: Double) -> Int {
        precondition((0...1).contains(fraction), "a cache is trimmed to a part between 0 and 1 of its cost")
        let cost = totalCost
        return trim(toCost: fraction == 1 ? cost : Int(Double(cost) * fraction))
    }

    /// Removes entries until `cost` is left, but at most the present excess: other threads may be storing faster.
    private func trim(downTo cost: Int) -> Int {
        var trimmed = 0
        var cost = cost
        endExpiredPins()
        var (bytes, steps) = withCore { core in
            // Expired pins may have kept more.
            cost = min(cost, max(0, core.pointee.limits.lowerLimit - core.pointee.reserved))
            return (core.pointee.cost - cost, core.pointee.releasable.count)
        }
        change { core, departures in
            // At 0 entries without a cost leave as well.
            while steps > 0, cost == 0 || bytes > 0 && core.pointee.cost > cost {
                if departures.isFull { return .more }
                switch core.pointee.unlistForShortage(because: .evicted) {
                case .none, .kept, .unpinned: return .done
                case .busy(let hash): return .busy(hash: hash)
                case .entry(let entry, _):
                    let removal = takeOut(entry, core, because: .evicted)
                    trimmed += removal.cost
                    bytes -= removal.cost
                    steps -= 1
                    departures.add(removal)
                }
            }
            return .done
        }
        return trimmed
    }

    /// Removes all values, including values on screen and pinned ones, and gives back the cache's own memory.
    ///
    /// All values that are present at the call leave; some of those that other threads store during the call may leave
    /// as well. Results of loads under way are not stored. It takes as long as the values' destructors, in steps of 64
    /// values, between which other changes get their turns.
    public func removeAll() {
        // This comes first: during a walk warnings create no weak references.
        withCore { $0.pointee.walks += 1 }
        noteChangeOfAll()
        visitAll { entry, core, departures in
            guard core.pointee.unlist(entry, because: .removed) else {
                return .busy(hash: view.pointee.header(of: entry).pointee.hash)
            }
            // A load of the key that began since the call is outdated as well.
            if core.pointee.isLoading { noteChangeOfLoads(of: key(of: entry).pointee, &departures) }
            departures.add(takeOut(entry, core, because: .removed))
            return .done
        }
        withCore { core in
            core.pointee.walks -= 1
            core.pointee.forgetGhosts()
        }
        giveBackMemory()
    }

    /// Removes all values that satisfy a condition, including values on screen, pinned ones, and those that left while
    /// they were used.
    ///
    /// Results of loads under way are not stored, whatever their keys. It is atomic for each value. The condition may
    /// or may not see a value that is stored during the call; the new value is removed if the former value of its key
    /// is. The call ends, however many values the condition or other threads store.
    ///
    /// - Parameter condition: Called without any lock, at least once for each value that is present at the beginning
    ///   and does not leave before its turn, perhaps also for values that are stored meanwhile.
    /// - Returns: The number of removed values.
    /// - Throws: The condition's error; values that satisfied it before are removed.
    @discardableResult
    public func removeAll(where condition: (Key, Value) throws -> Bool) rethrows -> Int {
        change { _, departures in
            departures.add(other: loading.noteChangeOfAll())
            return .done
        }
        // Later entries are stored during the walk, perhaps by the condition.
        let (end, weak, left) = withCore { core in
            core.pointee.walks += 1
            return (core.pointee.store.end, weakValues, leaving)
        }
        defer { withCore { $0.pointee.walks -= 1 } }
        var removed = 0
        let living = weak.living
        let found = living.compactMap { key, object in (object as? Value).map { (key: key, value: $0) } }
        for (key, value) in found + left.all where try condition(key, value) {
            if remove(key) != nil { removed += 1 }
        }
        // A read may have put an object in use back into the table.
        let seen = Dictionary(living.map { ($0.key, $0.object) }, uniquingKeysWith: { first, _ in first })
        var next: UInt32? = EntryStore.first
        while next != nil {
            for (entry, key, value) in copyPairs(from: &next, to: end) {
                if !seen.isEmpty, let object = seen[key], object === references.object(of: value) { continue }
                guard try condition(key, value) else { continue }
                if remove(key) != nil || removeUnequal(entry) { removed += 1 }
            }
        }
        return removed
    }

    /// Removes an entry if its key does not equal itself, so that no search finds it.
    ///
    /// The entry may have been replaced since the caller saw it, by another that no search finds.
    private func removeUnequal(_ entry: UInt32) -> Bool {
        var isRemoved = false
        change { core, departures in
            var number = entry
            guard core.pointee.store.entry(from: &number) == entry, core.pointee.isListed(entry),
                !isKey(key(of: entry).pointee, key(of: entry))
            else { return .done }
            guard core.pointee.unlist(entry, because: .removed) else {
                return .busy(hash: view.pointee.header(of: entry).pointee.hash)
            }
            departures.add(takeOut(entry, core, because: .removed))
            isRemoved = true
            return .done
        }
        return isRemoved
    }

    /// The numbers of the next few entries, with copies of their keys and values; sets `next` to `nil` at the end.
    private func copyPairs(from next: inout UInt32?, to end: UInt32) -> [(UInt32, Key, Value)] {
        withCore { core in
            var pairs: [(UInt32, Key, Value)] = []
            var number = next ?? EntryStore.first
            for _ in 0..<Departures<Key, Value>.most {
                guard let entry = core.pointee.store.entry(from: &number), entry < end else {
                    next = nil
                    return pairs
                }
                guard core.pointee.isListed(entry) else { continue }
                pairs.append((entry, key(of: entry).pointee, value(of: entry).pointee))
            }
            next = number
            return pairs
        }
    }

    /// Calls `body` with each listed entry, under the policy's lock; other changes get the lock in between.
    private func visitAll(
        _ visit: (UInt32, CacheCore.Pointer, inout Departures<Key, Value>) -> Attempt
    ) {
        var next = EntryStore.first
        // Later entries were stored during the walk, perhaps by a handler that is told of each removal.
        let end = withCore { $0.pointee.store.end }
        change { core, departures in
            for _ in 0..<Departures<Key, Value>.most {
                let present = next
                guard let entry = core.pointee.store.entry(from: &next), entry < end else { return .done }
                guard core.pointee.isListed(entry) else { continue }
                let attempt = visit(entry, core, &departures)
                guard case .done = attempt else {
                    next = present
                    return attempt
                }
            }
            return .more
        }
    }

    func noteChangeOfAll() {
        change { _, departures in
            departures.add(other: loading.noteChangeOfAll())
            departures.add(other: weakValues.removeAll())
            departures.add(other: leaving.removeAll())
            return .done
        }
    }

    /// Reserves room for a value that is being made, for as long as the reservation is kept.
    ///
    /// Other values are evicted for it, as for a stored value. It reserves nothing that exceeds the room that
    /// ``limit``, ``softLimit`` and a memory warning leave beside pins, other reservations and values on screen, since
    /// a value off screen of that cost would not be kept. It is no guarantee: later pins may take the room.
    ///
    /// - Parameter cost: Not negative; counts as in ``insert(_:for:cost:priority:timeToLive:)``.
    /// - Returns: The reservation; its ``CacheReservation/cost`` is 0 if there is no room.
    public func reserve(cost: Int) -> CacheReservation {
        reserve(EntryCost(cost)) { _ in 0 }
    }

    /// Reserves room for the result of a load: at most its cost minus that of the present value of the key.
    func reserve(_ cost: Int?, forLoadOf key: Key) -> CacheReservation {
        let hash = hash(of: key)
        return reserve(EntryCost(cost ?? 0)) { core in
            let entry = find(key, hash: hash)
            return entry == 0 ? 0 : core.pointee.bytes(of: entry)
        }
    }

    // Reserves `wanted` minus the cost that `present` returns under the policy's lock.
    private func reserve(_ wanted: EntryCost, beyond present: (CacheCore.Pointer) -> Int) -> CacheReservation {
        guard wanted.bytes > 0 else { return CacheReservation(cost: 0) { _ in } }
        var reserved: Int?
        change { core, departures in
            if reserved == nil {
                let rest = EntryCost(max(0, wanted.bytes - present(core)))
                // As for a value: a value that will not be kept displaces no other.
                let hasRoom = core.pointee.hasRoom(for: rest, inPlaceOf: 0, priority: .offScreen)
                if !hasRoom, core.pointee.endExpiredPins() { return .more }
                let has = hasRoom ? rest.bytes : 0
                core.pointee.reserved += has
                reserved = has
            }
            if core.pointee.limitChanges > 0 { return evictSome(adding: reserved ?? 0, core, &departures) }
            return evictOverfull(core, &departures)
        }
        return CacheReservation(cost: reserved ?? 0) { [self] reserved in
            withCore { $0.pointee.endReservation(reserved) }
        }
    }

    private func setLimits(_ change: (inout CacheLimits) -> Void) {
        let isLower = withCore { core in
            let before = (core.pointee.limits.aim(at: view.pointee.clock.now()), core.pointee.limits.count)
            change(&core.pointee.limits)
            let isLower =
                core.pointee.limits.aim(at: view.pointee.clock.now()) < before.0 || core.pointee.limits.count < before.1
            if isLower { core.pointee.noteLoweredLimit() }
            core.pointee.noteLimits()
            core.pointee.limitChanges += 1
            return isLower
        }
        self.change { core, departures in evictOverfull(core, &departures) }
        endLimitChange { core, departures in evictOverfull(core, &departures) }
        if isLower { giveBackMemory() }
    }

    /// Ends a change of the limit, and removes the excess: other threads have stored values while handlers and
    /// destructors ran, and left the eviction to this call.
    func endLimitChange(_ evict: (CacheCore.Pointer, inout Departures<Key, Value>) -> Attempt) {
        var hasEnded = false
        change { core, departures in
            if !hasEnded { core.pointee.limitChanges -= 1 }
            hasEnded = true
            return evict(core, &departures)
        }
    }

    /// Gives back memory that the cache's table and entries no longer need, after many values have left; other changes
    /// get their turns in between.
    func giveBackMemory() {
        moveTogether()
        change { core, departures in
            if let pins = core.pointee.takeSparePins() { departures.add(other: pins) }
            return core.pointee.giveBackSome()
        }
    }

    /// Moves entries out of sparse chunks, so that these chunks return to the kernel.
    private func moveTogether() {
        // Each chunk is closed at most once; a chunk with busy entries stays.
        var rest = withCore { $0.pointee.store.chunkCount }
        while rest > 0 {
            rest -= 1
            guard let number = withCore({ $0.pointee.closeSparsest() }) else {
                return
            }
            var offset = 0
            while moveSome(of: number, from: &offset) { view.pointee.giveWay() }
            withCore { $0.pointee.reopen(number) }
            var pages = LeavingPages.Piece()
            repeat {
                pages = withCore { $0.pointee.leavingPages.take() }
                pages.unmap()
            } while !pages.isEmpty
        }
    }

    private func moveSome(of number: Int, from offset: inout Int) -> Bool {
        withCore { core in
            guard core.pointee.walks == 0 else { return false }
            for _ in 0..<Departures<Key, Value>.most {
                guard let entry = core.pointee.nextToMove(in: number, from: &offset) else { return false }
                _ = core.pointee.move(entry) { from, to in
                    key(of: to).moveInitialize(from: key(of: from), count: 1)
                    value(of: to).moveInitialize(from: value(of: from), count: 1)
                }
            }
            return true
        }
    }
}
