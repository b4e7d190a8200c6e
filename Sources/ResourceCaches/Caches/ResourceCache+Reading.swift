extension ResourceCache {
    /// The value for a key, or `nil` if there is none or its time is up.
    ///
    /// A use: what was read leaves later. Counts as a hit or a miss. Waits for at most one other thread that is at a
    /// neighbour of the key, for some ten nanoseconds.
    @inlinable
    public func value(for key: Key) -> Value? {
        let hash = hash(of: key)
        guard let value = valueAtOnce(for: key, hash: hash) else { return valueSearched(for: key, hash: hash) }
        view.pointee.counters.count(isHit: true)
        return value
    }

    /// The value for a key, if nothing stands in the way of reading it: no other thread is at the bucket, the first entry
    /// with the key's tag is the key's, and it has no times.
    ///
    /// Nineteen reads of twenty find their value so. All that it takes is a third less than a search, and fits a processor's
    /// window of instructions better, so that it fetches what the next read needs meanwhile.
    @inlinable @inline(__always)
    func valueAtOnce(for key: Key, hash: UInt32) -> Value? {
        @inline(__always)
        func read(_ bucket: Bucket) -> Value? {
            let matches = bucket.matches(Bucket.tag(of: hash))
            guard matches != 0 else { return nil }
            let entry = bucket.entry(matches.trailingZeroBitCount)
            let base = view.pointee.base(of: entry, Self.layout)
            let pair = Self.layout.pair(of: entry, in: base)
            guard isKey(key, pair.assumingMemoryBound(to: Key.self)) else { return nil }
            guard Self.layout.uses(of: entry, in: base).countUnlessTimed() else { return nil }
            return (pair + Self.valueOffset).assumingMemoryBound(to: Value.self).pointee
        }
        return view.pointee.withFreeBucket(of: hash, read)
    }

    /// The value for a key, wherever it is.
    @inlinable @inline(never)
    func valueSearched(for key: Key, hash: UInt32) -> Value? {
        @inline(__always)
        func read(_ bucket: Bucket) -> Value? {
            let entry = find(key, hash: hash, in: bucket)
            return entry != 0 && use(entry) ? value(of: entry).pointee : nil
        }
        guard let value = view.pointee.withBucket(of: hash, read) else { return valueOfMiss(key, hash: hash) }
        view.pointee.counters.count(isHit: true)
        return value
    }

    /// Calls back with the value for a key, and returns what that returns; `nil` if there is none or its time is up.
    ///
    /// The closure gets a copy of the value and runs without any lock, so it may take long and use the cache. The value
    /// is held back by this call until the closure ends, and nothing else is. Otherwise like ``value(for:)``.
    @inlinable
    public func withValue<Result, Failure: Error>(
        for key: Key,
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let value = value(for: key) else { return nil }
        return try body(value)
    }

    /// The value for a key, or `nil` if there is none or its time is up; neither a use nor a hit or a miss.
    ///
    /// Waits like ``value(for:)``.
    @inlinable
    public func peek(_ key: Key) -> Value? {
        let hash = hash(of: key)
        @inline(__always)
        func read(_ bucket: Bucket) -> Value? {
            let entry = find(key, hash: hash, in: bucket)
            return entry != 0 && isGood(entry) ? self.value(of: entry).pointee : nil
        }
        return view.pointee.withBucket(of: hash, read) ?? (view.pointee.mayHaveAbsentees ? absentValue(for: key) : nil)
    }

    /// Whether there is a value for a key whose time is not up; neither a use nor a hit or a miss.
    ///
    /// Waits like ``value(for:)``.
    @inlinable
    public func contains(_ key: Key) -> Bool {
        let hash = hash(of: key)
        @inline(__always)
        func look(_ bucket: Bucket) -> Bool {
            let entry = find(key, hash: hash, in: bucket)
            return entry != 0 && isGood(entry)
        }
        return view.pointee.withBucket(of: hash, look) || view.pointee.mayHaveAbsentees && absentValue(for: key) != nil
    }

    /// The value for a key, read as by ``value(for:)``; stored as by ``insert(_:for:cost:priority:timeToLive:)``, or
    /// removed by `nil`.
    @inlinable
    public subscript(key: Key) -> Value? {
        get { value(for: key) }
        set {
            if let newValue { insert(newValue, for: key) } else { remove(key) }
        }
    }

    /// With the lock of its bucket: counts a use of an entry, unless it is out of date.
    @inlinable @inline(__always)
    func use(_ entry: UInt32) -> Bool {
        view.pointee.uses(of: entry, Self.layout).countUnlessTimed() || view.pointee.useTimed(entry)
    }

    @inlinable @inline(__always)
    func isGood(_ entry: UInt32) -> Bool {
        !view.pointee.uses(of: entry, Self.layout).isTimed || !view.pointee.hasExpired(entry)
    }
}

extension ResourceCache {
    /// The value for a key as by ``value(for:)``, and whether it is old enough to be made anew.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - isKeptForLoad: Whether a value whose time is up stays for the load that follows.
    /// - Returns: Both, or `nil` if there is none or its time is up.
    @usableFromInline
    func lookUp(_ key: Key, isKeptForLoad: Bool = false) -> (value: Value, isStale: Bool)? {
        let hash = hash(of: key)
        let found: (Value, Bool)? = view.pointee.withBucket(of: hash) { bucket in
            let entry = find(key, hash: hash, in: bucket)
            guard entry != 0, use(entry) else { return nil }
            let isTimed = view.pointee.uses(of: entry, Self.layout).isTimed
            return (value(of: entry).pointee, isTimed && view.pointee.isStale(entry))
        }
        if found != nil {
            view.pointee.counters.count(isHit: true)
            return found
        }
        return (isKeptForLoad ? valueTakenBack(key, hash: hash) : valueOfMiss(key, hash: hash)).map { ($0, false) }
    }

    /// What is left to do where no good entry was found: an entry whose time is up leaves, and an object that left while
    /// it was used comes back.
    @usableFromInline
    func valueOfMiss(_ key: Key, hash: UInt32) -> Value? {
        if view.pointee.mayHaveTimes { removeExpired(key, hash: hash) }
        return valueTakenBack(key, hash: hash)
    }

    private func valueTakenBack(_ key: Key, hash: UInt32) -> Value? {
        if view.pointee.mayHaveAbsentees, let value = takeBack(key, hash: hash) {
            view.pointee.counters.count(isHit: true)
            return value
        }
        view.pointee.counters.count(isHit: false)
        return nil
    }

    /// How many other entries a read looks at that has found one out of date.
    private static var sweptEntries: Int { 16 }

    private func removeExpired(_ key: Key, hash: UInt32) {
        change { core, departures in
            let entry = find(key, hash: hash)
            guard entry != 0, !isGood(entry) else { return .done }
            guard core.pointee.unlist(entry, because: .expired) else { return .busy(hash: hash) }
            departures.add(takeOut(entry, core, because: .expired))
            var steps = Self.sweptEntries
            removeExpired(steps: &steps, core, &departures)
            return .done
        }
    }

    /// Puts an object back that left while it was used, if it is still alive and no other has to leave for it.
    ///
    /// - Returns: The object, whether there was room or not; or the value whose leaving is being told.
    func takeBack(_ key: Key, hash: UInt32) -> Value? {
        var value: Value?
        var pending: Value?
        var queue: EntryQueue?
        var isStored = false
        change { core, departures in
            if isStored { return evictOverfull(core, &departures) }
            if let leaver = leaving.find(key) {
                value = leaver
                return .done
            }
            // Under the lock that stores it: a change by hand removes the reference.
            guard let (reference, object) = findWeak(key) else { return .done }
            departures.add(other: object)
            value = object as? Value
            guard find(key, hash: hash) == 0 else { return .done }
            // Others may be in use as well, and would not be found again if they left for it.
            guard core.pointee.hasSpareRoom(for: reference.cost) else { return .done }
            pending = value
            let times = reference.ends.map(CacheTimes.init)
            let attempt = store(
                &pending,
                for: key,
                hash: hash,
                cost: reference.cost,
                priority: nil,
                times: times,
                &queue,
                core,
                &departures
            )
            isStored = pending == nil
            return attempt
        }
        withExtendedLifetime(pending) {}
        return value
    }

    /// With the policy's lock: the reference for a key, if its object is alive and not out of date.
    private func findWeak(_ key: Key) -> (reference: WeakValues<Key>.Reference, object: AnyObject)? {
        weakValues.find(key, at: view.pointee.clock.now())
    }

    /// The value for a key that has left and can still be found.
    @usableFromInline
    func absentValue(for key: Key) -> Value? {
        let (leaver, object) = withCore { _ in (leaving.find(key), findWeak(key)?.object) }
        return leaver ?? object as? Value
    }

    /// With the policy's lock: the value of a key that is not out of date.
    func goodValue(for key: Key, hash: UInt32) -> Value? {
        let entry = find(key, hash: hash)
        if entry != 0, isGood(entry) { return value(of: entry).pointee }
        return weakValues.isEmpty ? nil : findWeak(key)?.object as? Value
    }
}
