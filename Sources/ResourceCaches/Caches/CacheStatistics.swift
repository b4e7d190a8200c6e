/// What a cache has done so far, and what it holds.
///
/// Each figure is exact when no other thread uses the cache at that moment; they are read one after another.
public struct CacheStatistics: Sendable, Hashable {
    /// Reads that found a value.
    ///
    /// By ``ResourceCache/value(for:)``, ``ResourceCache/withValue(for:_:)``, or the look at the beginning of a load.
    /// What only asks (``ResourceCache/peek(_:)``, ``ResourceCache/contains(_:)``) does not count.
    public var hits: UInt64
    /// Reads that found none, or one whose time was up, and did not join a load under way.
    public var misses: UInt64
    /// Loads that brought a value, or found the old one to be good; those in the background included, and each key of many that were loaded at once.
    public var loads: Int
    /// Loads that ended with an error; not those that were handed over.
    public var failedLoads: Int
    /// Calls that waited for a load under way; not misses.
    public var joinedLoads: Int
    /// How long the loads took that brought a value, added up.
    public var loadTime: Duration
    /// Values that left for a limit.
    public var evictions: Int
    /// Values that left because their time was up; counted when they leave.
    public var expirations: Int
    /// Values that left for others with the same key, those among them whose time was up.
    public var replacements: Int
    /// Values that were removed by hand.
    public var removals: Int
    /// Values that left for want of memory.
    public var pressureRemovals: Int
    /// What those cost.
    public var pressureCost: Int
    /// Values that were not kept, since there was no room for what they cost.
    public var refusals: Int
    /// Values that came back not long after they had left for a limit or for want of memory: those the cache should
    /// have kept.
    public var regrets: Int
    /// How many values the cache holds.
    public var count: Int
    /// What they cost.
    public var cost: Int
    /// The most they ever cost.
    public var peakCost: Int
    /// The cost of what is pinned.
    public var pinnedCost: Int
    /// The cost that is reserved for values that are still being made.
    public var reservedCost: Int
    /// The cost of objects that left for want of memory and are still alive, as readers hold them back.
    ///
    /// Known of objects only, see ``ResourceCache``. Everything else that leaves ends before the call returns that has it
    /// leave, unless a reader still uses it.
    public var unfreedCost: Int

    /// Hits among hits and misses, from 0 to 1; 0 if there were none.
    public var hitRatio: Double {
        hits + misses == 0 ? 0 : Double(hits) / Double(hits + misses)
    }
}

extension ResourceCache {
    /// What the cache has done so far, and what it holds.
    ///
    /// Waits for changes under way, constant time.
    public var statistics: CacheStatistics {
        let (hits, misses) = view.pointee.counters.totals
        let unfreedCost = withCore { _ in weakValues }.livingCost
        return withCore { core in
            let figures = core.pointee.figures
            return CacheStatistics(
                hits: hits,
                // The readers' counters are read before the lock is taken, so they may be behind.
                misses: misses - min(misses, figures.joinedMisses),
                loads: figures.loads,
                failedLoads: figures.failedLoads,
                joinedLoads: figures.joinedLoads,
                loadTime: figures.loadTime,
                evictions: figures.removals(.evicted),
                expirations: figures.removals(.expired),
                replacements: figures.removals(.replaced),
                removals: figures.removals(.removed),
                pressureRemovals: figures.removals(.pressure),
                pressureCost: figures.pressureCost,
                refusals: figures.refused,
                regrets: figures.regrets,
                count: core.pointee.count,
                cost: core.pointee.cost,
                peakCost: figures.peakCost,
                pinnedCost: core.pointee.pins.cost,
                reservedCost: core.pointee.reserved,
                unfreedCost: unfreedCost
            )
        }
    }

    /// What the cache knows of a key; not a use.
    public func status(of key: Key) -> CacheStatus {
        if contains(key) { return .present }
        let hash = hash(of: key)
        return withCore { $0.pointee.isGhost(hash) } ? .evicted : .absent
    }

    /// The keys of the values that would leave last, the last one first.
    ///
    /// What to load first after a restart, with ``warm(_:atOnce:using:)``. Those on screen come first, then those
    /// that were read while they were new, then the new ones, and last what was fetched ahead; each time those first
    /// that were read most since the cache last thought of having them leave. Pinned ones are left out. Atomic; takes
    /// time in proportion to the number of values, in which changes wait and reads do not.
    ///
    /// - Parameter count: How many at most; not negative.
    /// - Returns: The keys.
    public func hottest(_ count: Int = .max) -> [Key] {
        precondition(count >= 0, "a number of keys is not negative")
        return withCore { core in
            core.pointee.queues.hottestFirst(in: view).prefix(count).map { key(of: $0).pointee }
        }
    }

    /// The keys of the values that would leave first, the first one first.
    ///
    /// Otherwise like ``hottest(_:)``.
    ///
    /// - Parameter count: How many at most; not negative.
    /// - Returns: The keys.
    public func coldest(_ count: Int = .max) -> [Key] {
        precondition(count >= 0, "a number of keys is not negative")
        return withCore { core in
            core.pointee.queues.hottestFirst(in: view).suffix(count).reversed().map { key(of: $0).pointee }
        }
    }
}

/// What a cache knows of a key.
public enum CacheStatus: Sendable, Hashable, CaseIterable {
    /// There is a value, or an object that has left while the service used it, and is found as long as it lives.
    case present
    /// There was one, and it left not long ago for a limit or for want of memory.
    ///
    /// Known of about as many keys as there are values. Once in some hundred thousand times it is said of a key that
    /// only has the same hash.
    case evicted
    /// There is none, and none is remembered: never loaded, removed by hand, out of date, or gone for long.
    case absent
}
