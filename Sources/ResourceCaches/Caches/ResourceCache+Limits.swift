extension ResourceCache {
    /// The cost that the cache may hold, `nil` for no limit; a lower one takes effect at once.
    ///
    /// Pins and what is on screen included; only what is pinned may keep the cache above it. Waits for changes under
    /// way; to lower it takes time in proportion to what leaves.
    public var limit: Int? {
        get { withLock { $0.pointee.limits.hard } }
        set { setLimits { $0.hard = newValue } }
    }

    /// The cost above which everything leaves but what is on screen; a lower one takes effect at once.
    ///
    /// `nil` for the ``limit``, and of use below that only. Otherwise like that one.
    public var softLimit: Int? {
        get { withLock { $0.pointee.limits.soft } }
        set { setLimits { $0.soft = newValue } }
    }

    /// How many values the cache holds; those whose time is up count until they have left.
    public var count: Int { withLock { $0.pointee.table.count } }

    /// The cost of the values that the cache holds.
    public var totalCost: Int { withLock { $0.pointee.cost } }

    /// Has values leave, those that would be missed least first, until what stays costs at most so much.
    ///
    /// Nothing on screen and nothing pinned leaves. Atomic only in steps of 4 MiB: others may change the cache
    /// meanwhile. The limits stay as they are.
    ///
    /// - Parameter cost: What may stay; below 0 it is 0.
    /// - Returns: The cost of what has left.
    @discardableResult
    public func trim(toCost cost: Int) -> Int {
        var trimmed = 0
        while true {
            view.pointee.lock()
            let excess = core.pointee.cost - max(0, cost)
            let batch = excess > 0 ? removeNext(upTo: min(excess, ReclaimPacer.batchBytes)) : 0
            finish(draining: true)
            trimmed += batch
            if batch == 0 { return trimmed }
        }
    }

    /// Has values leave like ``trim(toCost:)``, until this part of the present cost is left.
    ///
    /// - Parameter fraction: From 0 to 1.
    /// - Returns: The cost of what has left.
    @discardableResult
    public func trim(toFraction fraction: Double) -> Int {
        precondition((0...1).contains(fraction), "a cache is trimmed to a part between 0 and 1 of its cost")
        return trim(toCost: Int(Double(totalCost) * fraction))
    }

    /// Removes all values, those on screen and the pinned ones as well, and gives back the cache's own memory.
    ///
    /// Atomic. What loads under way bring is not stored. Takes time in proportion to the number of values, in which
    /// other changes wait and reads do not.
    public func removeAll() {
        view.pointee.lock()
        loading.noteChangeOfAll()
        core.pointee.removeAll { entry in
            if isHeard { noteDeparture(of: entry, because: .removed) }
        }
        finish(draining: true)
    }

    /// Removes all values that a condition holds for, those on screen and the pinned ones as well.
    ///
    /// What loads under way bring is not stored, whatever their keys. Atomic for each value. A value that is stored
    /// meanwhile is not looked at; it is removed if the former one of its key is.
    ///
    /// - Parameter condition: Called without the lock, once for each value that is there at the beginning.
    /// - Returns: How many were removed.
    /// - Throws: What the condition throws; those it held for before are removed then.
    @discardableResult
    public func removeAll(where condition: (Key, Value) throws -> Bool) rethrows -> Int {
        view.pointee.lock()
        loading.noteChangeOfAll()
        view.pointee.unlock()
        var removed = 0
        for (key, value) in snapshot() where try condition(key, value) {
            if remove(key) != nil { removed += 1 }
        }
        return removed
    }

    /// Reserves room for a value that is still to be made, for as long as the reservation is kept.
    ///
    /// Others leave for it as for a value. More than the ``limit`` leaves beside pins and other reservations is not
    /// reserved, as a value of that cost would not be kept. Nothing is promised: what is pinned later may take the
    /// room.
    ///
    /// - Parameter cost: Not negative, and less than 8 TiB.
    /// - Returns: The reservation; its ``CacheReservation/cost`` is 0 if there is no room.
    public func reserve(cost: Int) -> CacheReservation {
        guard Self.checked(cost) > 0 else { return CacheReservation(cost: 0) { _ in } }
        view.pointee.lock()
        // As for a value: one that will not be kept costs no other its place.
        let reserved = core.pointee.hasRoom(for: cost, inPlaceOf: 0, priority: .offScreen) ? cost : 0
        core.pointee.reserved += reserved
        evictOverfull()
        finish()
        return CacheReservation(cost: reserved) { [self] reserved in
            view.pointee.lock()
            core.pointee.reserved -= reserved
            view.pointee.unlock()
        }
    }

    private func setLimits(_ change: (inout CacheLimits) -> Void) {
        view.pointee.lock()
        let before = core.pointee.limits.aim(at: view.pointee.clock) ?? .max
        change(&core.pointee.limits)
        let isLower = core.pointee.limits.aim(at: view.pointee.clock) ?? .max < before
        if isLower { core.pointee.queues.noteLoweredLimit() }
        evictOverfull()
        if isLower { core.pointee.compact() }
        finish(draining: true)
    }

    func withLock<Result>(_ body: (CacheCore.Pointer) -> Result) -> Result {
        view.pointee.lock()
        defer { view.pointee.unlock() }
        return body(core)
    }

    /// With the lock held: has values leave of at least so much cost, if there are any that may, and returns their
    /// cost.
    private func removeNext(upTo cost: Int) -> Int {
        var removed = 0
        while removed < cost {
            guard let entry = core.pointee.queues.takeForShortage(in: view) else { break }
            removed += view.pointee.bytes(of: entry)
            leave(entry, because: .evicted)
        }
        return removed
    }

    private func snapshot() -> [(Key, Value)] {
        view.pointee.lock()
        defer { view.pointee.unlock() }
        var pairs: [(Key, Value)] = []
        core.pointee.table.visit { pairs.append((key(of: $0).pointee, value(of: $0).pointee)) }
        return pairs
    }
}
