extension ResourceCache {
    /// The options of a cache.
    public struct Options: Sendable {
        /// How long a value is returned after it was stored; `nil` for as long as it is in the cache.
        ///
        /// A lifetime given with a value replaces it (``ResourceCache/insert(_:for:cost:priority:timeToLive:)``,
        /// ``ResourceCache/Loaded``). All times follow the kernel's coarse clock: a value may be returned some milliseconds
        /// longer, on a busy virtual machine more than ten.
        public var timeToLive: Duration?
        /// How long a value is returned after it was last read, or stored; `nil` for as long as it is in the cache.
        ///
        /// It applies in addition to the lifetime, also to a given one: the earlier end counts.
        public var timeToIdle: Duration?
        /// The age from which ``ResourceCache/load(_:cost:priority:using:)`` returns a value and makes a new one in the
        /// background, for which the caller does not wait; `nil` for never.
        ///
        /// Only loads refresh: other reads return the present value and begin no load. A lifetime given with a value
        /// does not change this age, so it has no effect on a value that expires earlier; ``ResourceCache/Loaded`` can
        /// set both.
        public var refreshAfter: Duration?
        /// How long a failed load is remembered, so that the next loads fail with the same error without loading.
        ///
        /// The time doubles with each further failure, up to 32 times; the failure is forgotten when the key is stored
        /// or removed by a call. `nil` remembers none. Failures of loads whose tasks were cancelled are not remembered. Of
        /// more than 1024 failures the cache forgets an eighth, those that would expire first.
        public var failureTimeToLive: Duration?
        /// The cost above which everything except values on screen leaves.
        ///
        /// `nil` for the limit. Only a value below the limit has an effect.
        public var softLimit: Int?
        /// Computes the cost of a value that is stored or loaded without one, usually in bytes; not negative.
        ///
        /// The cost counts as in ``ResourceCache/insert(_:for:cost:priority:timeToLive:)``. Called once for each value,
        /// without a lock, on the thread that stores it. It must neither load the key that it weighs, whose load has not
        /// ended, nor change the value of that key during an update, as the update's closure must not.
        public var weigher: (@Sendable (_ key: Key, _ value: Value) -> Int)?
        /// The share of its cost that the cache keeps at a level of pressure, from 0 to 1, instead of a half at a
        /// warning and a tenth at critical.
        ///
        /// A lower share counts as 0, and a higher one, or a NaN, as 1. Called without a lock, on the thread that
        /// delivers the warning. If a number of bytes is wanted, it does not apply at a warning, and at critical the
        /// cache gives its part of them if that is more. Values leave whole: a cache that holds one value off screen
        /// gives it up for any share below 1.
        public var keptShare: (@Sendable (_ level: PressureLevel) -> Double)?
        /// Called with the values that have left, in order, up to 64 at a time, during the call that removes them.
        ///
        /// The end of the cache does not call it. Called without a lock, so it may use the cache, on the thread of that
        /// call, which waits. Values that two threads remove at the same time may be reported in either order. Values
        /// that it keeps are not freed.
        ///
        /// If the call was made by a loader, this runs inside that loader, as the `deinit` of values does, and must not load
        /// the loader's key.
        public var onRemoval: (@Sendable (_ removals: [CacheRemoval<Key, Value>]) -> Void)?
        var clock: CacheClock?

        /// Creates the default options.
        public init() {}

        /// Measures times with another clock than the kernel's monotonic clock, or than the clock of the
        /// ``ResourceTesting`` scope in which the cache is created.
        public mutating func useClock<C: Clock>(_ clock: C) where C.Duration == Duration {
            self.clock = CacheClock(clock)
        }

        /// The times of an entry; `nil` if it never expires.
        ///
        /// - Parameters:
        ///   - toLive: Replaces ``timeToLive``.
        ///   - toRefresh: Replaces ``refreshAfter``.
        /// - Returns: The times.
        func times(toLive: Duration?, toRefresh: Duration? = nil) -> CacheTimes? {
            let (toLive, toRefresh) = (toLive ?? timeToLive, toRefresh ?? refreshAfter)
            guard toLive != nil || timeToIdle != nil || toRefresh != nil else { return nil }
            return CacheTimes(toLive: toLive, toIdle: timeToIdle, toRefresh: toRefresh)
        }
    }
}
