extension ResourceCache {
    /// The value for a key, or `nil` if there is none or it has expired.
    ///
    /// A use: values that were read leave later. Counts as a hit or a miss. Waits for at most one other thread that
    /// uses a neighbour of the key, for some ten nanoseconds.
    @inlinable
    public func value(for key: Key) -> Value? {
        let hash = hash(of: key)
        guard let value = valueAtOnce(for: key, hash: hash) else { return valueSearched(for: key, hash: hash) }
        view.pointee.counters.count(isHit: true)
        return value
    }

    /// The value for a key on the fast path: no other thread uses the bucket, the first entry with the key's tag
    /// belongs to the key, and it has no times.
    ///
    /// Nineteen of twenty reads find their value this way. It takes a third fewer instructions than a search, and fits
    /// the processor's instruction window better, so that the processor already fetches the data of the next read.
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

    /// The value for a key, by a full search.
    @inlinable @inline(never)
    func valueSearched(for key: Key, hash: UInt32) -> Value? {
        @inline(__always)
        func read(_ bucket: Bucket) -> Value? {
            let entry = find(key, hash: hash, in: bucket)
            return entry != 0 && use(entry) ? value(of: entry).pointee : nil
        }
        let absences = view.pointee.absenceCount
        guard let value = view.pointee.withBucket(of: hash, read) else {
            return valueOfMiss(key, hash: hash, since: absences)
        }
        view.pointee.counters.count(isHit: true)
        return value
    }

    /// Calls `body` with the value for a key and returns its result; `nil` if there is no value or it has expired.
    ///
    /// The closure gets a copy of the value and runs without any lock, so it may take long and use the cache. This call
    /// keeps the value, and nothing else, alive until the closure returns. Otherwise like ``value(for:)``.
    @inlinable
    public func withValue<Result, Failure: Error>(
        for key: Key,
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let value = value(for: key) else { return nil }
        return try body(value)
    }

    /// The value for a key, or `nil` if there is none or it has expired; neither a use nor a hit or a miss.
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
        let absences = view.pointee.absenceCount
        return view.pointee.withBucket(of: hash, read)
            ?? (view.pointee.mayHaveMissed(since: absences) ? absentValue(for: key, hash: hash) : nil)
    }

    /// Whether there is an unexpired value for a key; neither a use nor a hit or a miss.
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
        let absences = view.pointee.absenceCount
        return view.pointee.withBucket(of: hash, look)
            || view.pointee.mayHaveMissed(since: absences) && absentValue(for: key, hash: hash) != nil
    }

    /// The value for a key: reads like ``value(for:)``, stores like ``insert(_:for:cost:priority:timeToLive:)``, and
    /// removes it if set to `nil`.
    @inlinable
    public subscript(key: Key) -> Value? {
        get { value(for: key) }
        set {
            if let newValue { insert(newValue, for: key) } else { remove(key) }
        }
    }

    /// Counts a use of an entry, unless it has expired.
    ///
    /// The caller holds the lock of its bucket.
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
    /// The value for a key like ``value(for:)``, and whether it is old enough to be refreshed.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - isKeptForLoad: Whether an expired value stays for the load that follows.
    /// - Returns: Both, or `nil` if there is no value or it has expired.
    @usableFromInline
    func lookUp(_ key: Key, isKeptForLoad: Bool = false) -> (value: Value, isStale: Bool)? {
        let hash = hash(of: key)
        let absences = view.pointee.absenceCount
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
        if !isKeptForLoad, view.pointee.mayHaveTimes { removeExpired(key, hash: hash) }
        return valueTakenBack(key, hash: hash, since: absences).map { ($0.value, $0.isStale) }
    }

    /// Handles a miss: an expired entry leaves, and an object that left while it was used returns.
    @usableFromInline
    func valueOfMiss(_ key: Key, hash: UInt32, since absences: UInt32) -> Value? {
        if view.pointee.mayHaveTimes { removeExpired(key, hash: hash) }
        return valueTakenBack(key, hash: hash, since: absences)?.value
    }

    private func valueTakenBack(_ key: Key, hash: UInt32, since absences: UInt32) -> TakenBack? {
        if view.pointee.mayHaveMissed(since: absences), let found = takeBack(key, hash: hash) {
            view.pointee.counters.count(isHit: true)
            return found
        }
        view.pointee.counters.count(isHit: false)
        return nil
    }

    /// The number of other entries that a read examines after it has found an expired one.
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

    /// Puts back an object that left while it was used, if it is still alive and fits without an eviction.
    ///
    /// - Returns: The object, whether or not there was room; or the value that the handler is being told about.
    func takeBack(_ key: Key, hash: UInt32) -> TakenBack? {
        var value: Value?
        var (isThere, isStale) = (false, false)
        var pending: Value?
        var queue: EntryQueue?
        var isStored = false
        change { core, departures in
            if isStored { return evictOverfull(core, &departures) }
            if let leaver = leaving.find(key) {
                value = leaver
                return .done
            }
            // This happens under the lock that stores it: a manual change removes the reference.
            guard let (reference, object) = findWeak(key) else {
                // Another read may have put it back since this one looked.
                departures.set(&value, to: goodEntryValue(for: key, hash: hash))
                isThere = value != nil
                return .done
            }
            departures.add(other: object)
            departures.set(&value, to: object as? Value)
            let now = view.pointee.clock.now()
            isStale = reference.isStale(at: now)
            guard find(key, hash: hash) == 0 else { return .done }
            // Other entries may be in use as well, and reads would not find them if they left for this one.
            guard core.pointee.hasSpareRoom(for: reference.cost) else {
                weakValues.noteUse(of: key, at: now)
                return .done
            }
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
            isThere = isStored
            return attempt
        }
        withExtendedLifetime(pending) {}
        return value.map { TakenBack(value: $0, isThere: isThere, isStale: isStale) }
    }

    /// An object that was found although it had left.
    struct TakenBack {
        let value: Value
        /// Whether the cache had an entry of the key for a moment at least, which may have left again at a warning.
        let isThere: Bool
        /// Whether it is old enough to be refreshed.
        let isStale: Bool
    }

    /// The reference for a key, if its object is alive and has not expired.
    ///
    /// The caller holds the policy's lock.
    private func findWeak(_ key: Key) -> (reference: WeakValues<Key>.Reference, object: AnyObject)? {
        weakValues.find(key, at: view.pointee.clock.now())
    }

    /// The value for a key that left and can still be found, or has been put back in the meantime.
    @usableFromInline
    func absentValue(for key: Key, hash: UInt32) -> Value? {
        withCore { _ in findAbsentValue(for: key) ?? goodEntryValue(for: key, hash: hash) }
    }

    /// The unexpired value for a key.
    ///
    /// The caller holds the policy's lock.
    func goodValue(for key: Key, hash: UInt32) -> Value? {
        goodEntryValue(for: key, hash: hash) ?? (weakValues.isEmpty ? nil : weakValue(for: key))
    }

    /// The unexpired value in the table for a key.
    ///
    /// The caller holds the policy's lock.
    private func goodEntryValue(for key: Key, hash: UInt32) -> Value? {
        let entry = find(key, hash: hash)
        return entry != 0 && isGood(entry) ? value(of: entry).pointee : nil
    }

    /// The value for a key that left and can still be found.
    ///
    /// The caller holds the policy's lock.
    @usableFromInline
    func findAbsentValue(for key: Key) -> Value? {
        leaving.find(key) ?? weakValue(for: key)
    }

    /// The object for a key that left while it was used.
    private func weakValue(for key: Key) -> Value? {
        // Not a cast of the optional object: where values are optional too, `nil` would be cast to a value.
        guard let object = findWeak(key)?.object else { return nil }
        return object as? Value
    }
}
