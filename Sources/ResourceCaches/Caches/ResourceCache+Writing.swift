extension ResourceCache {
    /// Stores a value, in place of the one there is for its key.
    ///
    /// Readers find the old value or the new one, and never none between. If the cache holds more than its
    /// ``limit`` then, others leave. A value that is by itself dearer than what the limit leaves beside pins and
    /// reservations is not kept; it costs no other its place, and the old one, being out of date, leaves all the same.
    ///
    /// A load of the same key that is under way does not store what it brings. Waits for other changes, constant time.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    ///   - cost: What it costs, not negative and less than 8 TiB; without it what the ``Options/weigher`` says, and
    ///     without that 1, so that the ``limit`` is a number of values.
    ///   - priority: How much it would be missed. One that takes another's place keeps that one's.
    ///   - timeToLive: How long it is handed out, in place of ``Options/timeToLive``.
    @inlinable
    public func insert(
        _ value: consuming Value,
        for key: Key,
        cost: Int? = nil,
        priority: CachePriority = .offScreen,
        timeToLive: Duration? = nil
    ) {
        let hash = self.hash(of: key)
        let cost = Self.checked(cost ?? weigher?(key, value) ?? 1)
        let times = timeToLive == nil ? times : times(toLive: timeToLive)
        view.pointee.lock()
        noteChange(of: key)
        guard let old = makeRoom(for: key, hash: hash, cost: cost, priority: priority) else {
            finish()
            // Not under the lock, since its deinit may use the cache.
            _ = consume value
            return
        }
        store(value, for: key, hash: hash, inPlaceOf: old, cost: cost, priority: priority, times: times)
        finish()
    }

    /// Removes and returns the value for a key; `nil` if there is none, or if its time is up.
    ///
    /// A load of the key that is under way does not store what it brings, though those who wait for it get it.
    /// Waits for other changes, constant time.
    @inlinable
    @discardableResult
    public func remove(_ key: Key) -> Value? {
        let hash = self.hash(of: key)
        view.pointee.lock()
        noteChange(of: key)
        let entry = find(key, hash: hash)
        guard entry != 0 else {
            view.pointee.unlock()
            return nil
        }
        let isGood = isGood(entry)
        let value = isGood ? self.value(of: entry).pointee : nil
        leave(entry, hash: hash, because: isGood ? .removed : .expired)
        finish(draining: true)
        return value
    }

    @inlinable
    static func checked(_ cost: Int) -> Int {
        precondition(
            cost >= 0 && cost <= EntryCost.largest,
            "the cost of a cache entry is a number of bytes, not negative and less than 8 TiB"
        )
        return cost
    }

    @usableFromInline
    func times(toLive: Duration?) -> CacheTimes? {
        options.times(toLive: toLive)
    }
}

// With the lock held.
extension ResourceCache {
    /// The entry that a key has, or 0, if a new one for it could be kept; `nil` if not, and then the old one leaves.
    @inlinable
    func makeRoom(for key: Key, hash: UInt32, cost: Int, priority: CachePriority) -> UInt32? {
        let old = find(key, hash: hash)
        if core.pointee.hasRoom(for: cost, inPlaceOf: old, priority: priority) { return old }
        core.pointee.noteRefusal()
        if old != 0 { leave(old, hash: hash, because: .replaced) }
        return nil
    }

    /// Stores a value that there is room for.
    @inlinable
    func store(
        _ value: consuming Value,
        for key: Key,
        hash: UInt32,
        inPlaceOf old: UInt32,
        cost: Int,
        priority: CachePriority,
        times: CacheTimes?
    ) {
        var queue: EntryQueue?
        if old == 0 {
            queue = core.pointee.place(hash: hash, cost: cost, priority: priority)
            // What is prefetched takes nobody's place but that of others like it.
            if priority > .prefetched { evictOverfull(adding: cost) }
        }
        let entry = core.pointee.makeEntry(cost: cost, times: times)
        self.key(of: entry).initialize(to: key)
        self.value(of: entry).initialize(to: value)
        if let queue {
            core.pointee.publish(entry, hash: hash, in: queue)
        } else {
            if isHeard { noteDeparture(of: old, because: .replaced) }
            core.pointee.publish(entry, hash: hash, inPlaceOf: old)
        }
        // Of several that may not leave yet, or if the new one costs more, it has to go by itself.
        evictOverfull()
    }

    /// Has entries leave until the limits hold, and a few besides if their time is up.
    @inlinable
    func evictOverfull(adding cost: Int = 0) {
        if core.pointee.isSweepNeeded { removeExpired(steps: 4) }
        while true {
            let entry = core.pointee.takeOverfull(adding: cost)
            if entry == 0 { return }
            leave(entry, because: .evicted)
        }
    }

    @inlinable
    func leave(_ entry: UInt32, because reason: RemovalReason) {
        leave(entry, hash: self.hash(of: key(of: entry).pointee), because: reason)
    }

    @inlinable
    func leave(_ entry: UInt32, hash: UInt32, because reason: RemovalReason) {
        if isHeard { noteDeparture(of: entry, because: reason) }
        core.pointee.remove(entry, hash: hash, because: reason)
    }

    /// Looks at the next few entries, has those leave whose time is up, and returns what they cost.
    @usableFromInline
    @discardableResult
    func removeExpired(steps: Int) -> Int {
        let now = view.pointee.clock.now()
        var steps = steps
        var cost = 0
        while let entry = core.pointee.sweep.takeExpired(steps: &steps, now: now, in: core.pointee.slab, view) {
            cost += view.pointee.bytes(of: entry)
            leave(entry, because: .expired)
        }
        return cost
    }

    /// Leaves the lock, tells of what has left, and ends what no reader looks at any more.
    @inlinable
    func finish(draining: Bool = false) {
        let isDue = draining || core.pointee.isDrainDue
        if isHeard { unlockAndTell() } else { view.pointee.unlock() }
        if isDue { drain() }
    }

    /// Ends what has left and no reader looks at any more; without the lock.
    @inlinable
    func drain() {
        view.pointee.lock()
        let batch = core.pointee.takePassed()
        view.pointee.unlock()
        if batch.isEmpty { return }
        for entry in batch.entries { destroy(entry) }
        for block in batch.blocks { block.deallocate() }
        view.pointee.lock()
        core.pointee.free(batch.entries)
        view.pointee.unlock()
    }
}
