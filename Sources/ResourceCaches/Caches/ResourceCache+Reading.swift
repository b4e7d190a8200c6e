public import CEpoch

extension ResourceCache {
    /// The value for a key, or `nil` if there is none or its time is up.
    ///
    /// A use of the value, and a hit or a miss. Takes no lock and waits for nobody; about as long as a retain and two
    /// accesses to memory.
    @inlinable
    public func value(for key: Key) -> Value? {
        let hash = self.hash(of: key)
        let reader = epoch_enter()
        let entry = find(key, hash: hash)
        guard entry != 0, use(entry) else {
            view.pointee.counters.count(isHit: false, by: reader)
            epoch_leave(reader)
            return nil
        }
        let value = self.value(of: entry).pointee
        view.pointee.counters.count(isHit: true, by: reader)
        epoch_leave(reader)
        return value
    }

    /// What a closure makes of the value for a key, or `nil` if there is none or its time is up.
    ///
    /// Like ``value(for:)``, without a copy of the value, and so without two threads that read the same one waiting
    /// for its reference count. What has left the cache meanwhile, of this and of all other caches, ends only after
    /// the closure has returned: it should be short. It may use the cache.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - body: Called at most once, on this thread.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    @inlinable
    public func withValue<Result, Failure: Error>(
        for key: Key,
        _ body: (borrowing Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        let hash = self.hash(of: key)
        let reader = epoch_enter()
        defer { epoch_leave(reader) }
        let entry = find(key, hash: hash)
        guard entry != 0, use(entry) else {
            view.pointee.counters.count(isHit: false, by: reader)
            return nil
        }
        view.pointee.counters.count(isHit: true, by: reader)
        return try body(value(of: entry).pointee)
    }

    /// The value for a key, or `nil` if there is none or its time is up; neither a use nor a hit or a miss.
    ///
    /// Takes no lock and waits for nobody.
    @inlinable
    public func peek(_ key: Key) -> Value? {
        let hash = self.hash(of: key)
        let reader = epoch_enter()
        let entry = find(key, hash: hash)
        guard entry != 0, isGood(entry) else {
            epoch_leave(reader)
            return nil
        }
        let value = self.value(of: entry).pointee
        epoch_leave(reader)
        return value
    }

    /// Whether there is a value for a key whose time is not up; neither a use nor a hit or a miss.
    ///
    /// Takes no lock and waits for nobody.
    @inlinable
    public func contains(_ key: Key) -> Bool {
        let hash = self.hash(of: key)
        let reader = epoch_enter()
        let entry = find(key, hash: hash)
        let isThere = entry != 0 && isGood(entry)
        epoch_leave(reader)
        return isThere
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

    /// Counts a use of an entry unless it is out of date.
    @inlinable @inline(__always)
    func use(_ entry: UInt32) -> Bool {
        let header = self.header(of: entry)
        if header.pointee.isTimed, !view.pointee.isGood(entry) { return false }
        header.pointee.countUse()
        return true
    }

    @inlinable @inline(__always)
    func isGood(_ entry: UInt32) -> Bool {
        !header(of: entry).pointee.isTimed || !view.pointee.hasExpired(entry)
    }
}

extension ResourceCache {
    /// The value for a key as by ``value(for:)``, and whether it is old enough to be made anew.
    @inlinable
    func lookUp(_ key: Key) -> (value: Value, isStale: Bool)? {
        let reader = epoch_enter()
        let entry = find(key, hash: self.hash(of: key))
        guard entry != 0, use(entry) else {
            view.pointee.counters.count(isHit: false, by: reader)
            epoch_leave(reader)
            return nil
        }
        let found = (value(of: entry).pointee, header(of: entry).pointee.isTimed && view.pointee.isStale(entry))
        view.pointee.counters.count(isHit: true, by: reader)
        epoch_leave(reader)
        return found
    }
}
