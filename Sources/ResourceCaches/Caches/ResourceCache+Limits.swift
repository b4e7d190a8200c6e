extension ResourceCache {
    /// The cost that the cache may hold, `nil` for no limit; a lower one takes effect at once.
    ///
    /// Pins and what is on screen included; between calls only what is pinned may keep the cache above it. A negative one
    /// counts as 0. To lower it takes as long as the values' destructors do; meanwhile other changes get their turns.
    public var limit: Int? {
        get { withCore { $0.pointee.limits.hard } }
        set { setLimits { $0.hard = newValue } }
    }

    /// The cost above which everything leaves but what is on screen; a lower one takes effect at once.
    ///
    /// `nil` for the ``limit``, and of use below that only. Otherwise like that one.
    public var softLimit: Int? {
        get { withCore { $0.pointee.limits.soft } }
        set { setLimits { $0.soft = newValue } }
    }

    /// How many values the cache may hold, `nil` for any number; a lower number takes effect at once, as a lower
    /// ``limit`` does.
    package var countLimit: Int? {
        get { withCore { $0.pointee.limits.count == .max ? nil : $0.pointee.limits.count } }
        set { setLimits { $0.count = max(0, newValue ?? .max) } }
    }

    /// How many values the cache holds; those whose time is up count until they have left.
    public var count: Int { withCore { $0.pointee.count } }

    /// The cost of the values that the cache holds.
    public var totalCost: Int { withCore { $0.pointee.cost } }

    /// Has values leave, those that would be missed least first, until what stays costs at most so much.
    ///
    /// Nothing on screen and nothing pinned leaves. Atomic only in steps of 64 values, between which other changes get
    /// their turns; it takes as long as the values' destructors do. No more leaves than is too much when it is called,
    /// however much other threads store meanwhile. The limits stay as they are.
    ///
    /// - Parameter cost: What may stay; below 0 it is 0. At 0 values that cost nothing leave as well.
    /// - Returns: The cost of what has left.
    @discardableResult
    public func trim(toCost cost: Int) -> Int {
        let cost = max(0, cost)
        let trimmed = trim(downTo: cost)
        giveBackMemory()
        return trimmed
    }

    /// Has values leave like ``trim(toCost:)``, until this part of the present cost is left.
    ///
    /// - Parameter fraction: From 0 to 1.
    /// - Returns: The cost of what has left.
    @discardableResult
    public func trim(toFraction fraction: Double) -> Int {
        precondition((0...1).contains(fraction), "a cache is trimmed to a part between 0 and 1 of its cost")
        let cost = totalCost
        return trim(toCost: fraction == 1 ? cost : Int(Double(cost) * fraction))
    }

    /// Has entries leave until so much is left, and no more than are too much now: others may be storing faster.
    private func trim(downTo cost: Int) -> Int {
        var trimmed = 0
        var cost = cost
        var (bytes, steps) = withCore { core in
            if core.pointee.endExpiredPins() {
                // What they held may be more than a limit allows.
                cost = min(cost, max(0, core.pointee.limits.lowerLimit - core.pointee.reserved))
            }
            return (core.pointee.cost - cost, core.pointee.releasable.count)
        }
        change { core, departures in
            // At 0 what costs nothing leaves as well.
            while steps > 0, cost == 0 || bytes > 0 && core.pointee.cost > cost {
                if departures.isFull { return .more }
                switch core.pointee.unlistForShortage(because: .evicted) {
                case .none, .kept: return .done
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

    /// Removes all values, those on screen and the pinned ones as well, and gives back the cache's own memory.
    ///
    /// All that were there when it was called leave; of those that other threads store meanwhile some may. What loads
    /// under way bring is not stored. It takes as long as the values' destructors do, in steps of 64 values, between
    /// which other changes get their turns.
    public func removeAll() {
        // First, as a warning keeps no weak references meanwhile.
        withCore { $0.pointee.walks += 1 }
        noteChangeOfAll()
        visitAll { entry, core, departures in
            guard core.pointee.unlist(entry, because: .removed) else {
                return .busy(hash: view.pointee.header(of: entry).pointee.hash)
            }
            departures.add(takeOut(entry, core, because: .removed))
            return .done
        }
        withCore { core in
            core.pointee.walks -= 1
            core.pointee.forgetGhosts()
        }
        giveBackMemory()
    }

    /// Removes all values that a condition holds for, those on screen and the pinned ones as well, and those that have left
    /// while they were used.
    ///
    /// What loads under way bring is not stored, whatever their keys. Atomic for each value. A value that is stored
    /// meanwhile may be looked at or not; it is removed if the former one of its key is.
    ///
    /// - Parameter condition: Called without any lock, once for each value that is there at the beginning.
    /// - Returns: How many were removed.
    /// - Throws: What the condition throws; those it held for before are removed then.
    @discardableResult
    public func removeAll(where condition: (Key, Value) throws -> Bool) rethrows -> Int {
        change { _, departures in
            departures.add(other: loading.noteChangeOfAll())
            return .done
        }
        withCore { $0.pointee.walks += 1 }
        defer { withCore { $0.pointee.walks -= 1 } }
        var removed = 0
        let (weak, left) = withCore { _ in (weakValues, leaving) }
        let found = weak.living.compactMap { key, object in (object as? Value).map { (key: key, value: $0) } }
        for (key, value) in found + left.all where try condition(key, value) {
            if remove(key) != nil { removed += 1 }
        }
        var next: UInt32? = EntryStore.first
        while next != nil {
            for (key, value) in copyPairs(from: &next) where try condition(key, value) {
                if remove(key) != nil { removed += 1 }
            }
        }
        return removed
    }

    /// Copies of the keys and values of the next few entries; sets `next` to `nil` at the end.
    private func copyPairs(from next: inout UInt32?) -> [(Key, Value)] {
        withCore { core in
            var pairs: [(Key, Value)] = []
            var number = next ?? EntryStore.first
            for _ in 0..<Departures<Key, Value>.most {
                guard let entry = core.pointee.store.entry(from: &number) else {
                    next = nil
                    return pairs
                }
                if core.pointee.isListed(entry) { pairs.append((key(of: entry).pointee, value(of: entry).pointee)) }
            }
            next = number
            return pairs
        }
    }

    /// Calls back with each entry that is listed, under the policy's lock, which other changes get in between.
    private func visitAll(
        _ visit: (UInt32, CacheCore.Pointer, inout Departures<Key, Value>) -> Attempt
    ) {
        var next = EntryStore.first
        // Later ones were stored meanwhile, perhaps by a handler that hears of each removal.
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

    /// Reserves room for a value that is still to be made, for as long as the reservation is kept.
    ///
    /// Others leave for it as for a value. More than the ``limit`` leaves beside pins and other reservations is not
    /// reserved, as a value of that cost would not be kept. Nothing is promised: what is pinned later may take the
    /// room.
    ///
    /// - Parameter cost: Not negative; from 8 TiB on it counts as that.
    /// - Returns: The reservation; its ``CacheReservation/cost`` is 0 if there is no room.
    public func reserve(cost: Int) -> CacheReservation {
        reserve(EntryCost(cost)) { _ in 0 }
    }

    /// Reserves room for what a load will bring: no more than it costs beyond the value that is there for the key.
    func reserve(_ cost: Int?, forLoadOf key: Key) -> CacheReservation {
        let hash = hash(of: key)
        return reserve(EntryCost(cost ?? 0)) { core in
            let entry = find(key, hash: hash)
            return entry == 0 ? 0 : core.pointee.bytes(of: entry)
        }
    }

    // Of what is wanted, `present` is asked under the policy's lock how much is there already.
    private func reserve(_ wanted: EntryCost, beyond present: (CacheCore.Pointer) -> Int) -> CacheReservation {
        guard wanted.bytes > 0 else { return CacheReservation(cost: 0) { _ in } }
        var reserved: Int?
        change { core, departures in
            if reserved == nil {
                let rest = EntryCost(max(0, wanted.bytes - present(core)))
                // As for a value: one that will not be kept costs no other its place.
                let has = core.pointee.hasRoom(for: rest, inPlaceOf: 0, priority: .offScreen) ? rest.bytes : 0
                core.pointee.reserved += has
                reserved = has
            }
            if core.pointee.limitChanges > 0 { return evictSome(adding: reserved ?? 0, core, &departures) }
            return evictOverfull(core, &departures)
        }
        return CacheReservation(cost: reserved ?? 0) { [self] reserved in
            withCore { $0.pointee.reserved -= reserved }
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

    /// Ends a change of the limit, and has what is too much then leave: others have stored while handlers and destructors
    /// ran, and left that to this call.
    func endLimitChange(_ evict: (CacheCore.Pointer, inout Departures<Key, Value>) -> Attempt) {
        var hasEnded = false
        change { core, departures in
            if !hasEnded { core.pointee.limitChanges -= 1 }
            hasEnded = true
            return evict(core, &departures)
        }
    }

    /// Gives back what the cache's own table and entries no longer need, after many have left; other changes get their
    /// turns in between.
    func giveBackMemory() {
        moveTogether()
        change { core, _ in core.pointee.giveBackSome() }
    }

    /// Moves entries out of chunks that have few of them, so that these return to the kernel.
    private func moveTogether() {
        // Each is closed once at most; one whose entries are busy stays.
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
