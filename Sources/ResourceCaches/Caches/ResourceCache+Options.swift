extension ResourceCache {
    /// What a cache does besides holding values up to its limit.
    public struct Options: Sendable {
        /// How long a value is handed out after it was stored; `nil` for as long as it is there.
        ///
        /// A lifetime that is given with a value replaces it (``ResourceCache/insert(_:for:cost:priority:timeToLive:)``,
        /// ``ResourceCache/Loaded``).
        public var timeToLive: Duration?
        /// How long a value is handed out after it was last read, or stored; `nil` for as long as it is there.
        ///
        /// Counts beside the lifetime, also beside one that is given: what ends first counts.
        public var timeToIdle: Duration?
        /// From which age on ``ResourceCache/load(_:cost:priority:using:)`` hands a value out and makes a new one
        /// meanwhile, for which the caller does not wait; `nil` for never.
        ///
        /// Only loads do: other reads hand out what there is, and begin no load. A lifetime that is given with a value
        /// leaves this as it is, so it has no effect on a value that lives for less; ``ResourceCache/Loaded`` can give
        /// both.
        public var refreshAfter: Duration?
        /// How long a failed load is remembered, so that the next ones fail with the same error and without loading.
        ///
        /// Twice as long after each further failure, up to 32 times; forgotten when the key is stored or removed by
        /// hand. `nil` remembers none. No failures are remembered of loads that ended because their tasks were
        /// cancelled.
        public var failureTimeToLive: Duration?
        /// The cost above which everything leaves but what is on screen, `nil` for the limit; of use below that only.
        public var softLimit: Int?
        /// The cost of a value that is stored or loaded without one, usually in bytes; not negative and less than 8
        /// TiB.
        ///
        /// Called once for each value, without the lock, on the thread that stores it.
        public var weigher: (@Sendable (_ key: Key, _ value: Value) -> Int)?
        /// Which part of its cost the cache keeps at a level of pressure, from 0 to 1, in place of a half at a warning
        /// and a tenth at critical.
        ///
        /// Called without the lock, on the thread that delivers the warning. Does not count where a number of bytes is
        /// asked for.
        public var keptShare: (@Sendable (_ level: PressureLevel) -> Double)?
        /// Hears of the values that have left, in order, in the middle of the call that had them leave.
        ///
        /// Called without the lock, so it may use the cache; on the thread of that call, which waits for it. What two
        /// threads have leave at the same time may be told in either order. Values that it keeps are not freed.
        public var onRemoval: (@Sendable (_ removals: [CacheRemoval<Key, Value>]) -> Void)?
        var clock: CacheClock?

        /// No options.
        public init() {}

        /// Has times measured by another clock than the kernel's monotonic one, or than the clock of the ``ResourceTesting``
        /// scope in which the cache is made.
        public mutating func useClock<C: Clock>(_ clock: C) where C.Duration == Duration {
            self.clock = CacheClock(clock)
        }

        /// The times of an entry; `nil` if it never is out of date.
        ///
        /// - Parameters:
        ///   - toLive: In place of ``timeToLive``.
        ///   - toRefresh: In place of ``refreshAfter``.
        /// - Returns: The times.
        func times(toLive: Duration?, toRefresh: Duration? = nil) -> CacheTimes? {
            let (toLive, toRefresh) = (toLive ?? timeToLive, toRefresh ?? refreshAfter)
            guard toLive != nil || timeToIdle != nil || toRefresh != nil else { return nil }
            return CacheTimes(toLive: toLive, toIdle: timeToIdle, toRefresh: toRefresh)
        }
    }
}
