/// The activity of a cache so far, and its contents.
///
/// Each figure is exact when no other thread uses the cache at that moment; they are read one after another.
public struct CacheStatistics: Sendable, Hashable {
    /// Reads that found a value.
    ///
    /// By ``ResourceCache/value(for:)``, ``ResourceCache/withValue(for:_:)``, or the search at the beginning of a load.
    /// Queries (``ResourceCache/peek(_:)``, ``ResourceCache/contains(_:)``) and refreshes do not count.
    public var hits: UInt64
    /// Reads that found no value or an expired one, and did not join a load under way; also those that got a remembered
    /// failure.
    public var misses: UInt64
    /// Loads that returned a value, or confirmed the old one; includes background loads, and counts each key of a bulk
    /// load.
    public var loads: Int
    /// Loads that ended with an error, except those that were handed over; a failed bulk load counts each of its keys,
    /// and a remembered failure does not count again.
    public var failedLoads: Int
    /// Calls that waited for a load under way; they are not misses.
    public var joinedLoads: Int
    /// The total time of loads that returned a value.
    public var loadTime: Duration
    /// Values that left because the cache was above a limit, or was trimmed.
    public var evictions: Int
    /// Values that left because they expired; counted when they leave.
    public var expirations: Int
    /// Values that left because another was stored for their key, including expired ones.
    public var replacements: Int
    /// Values that were removed by a call other than a trim.
    public var removals: Int
    /// Values that left because memory was short.
    public var pressureRemovals: Int
    /// The cost of those values.
    public var pressureCost: Int
    /// Values that were not kept because there was no room for their cost.
    public var refusals: Int
    /// Values that were stored again soon after they had left, because of a limit or because memory was short: values
    /// that the cache should have kept.
    public var regrets: Int
    /// The number of values in the cache.
    public var count: Int
    /// Their cost.
    public var cost: Int
    /// The highest cost so far.
    public var peakCost: Int
    /// The cost of pinned values, including those whose pins have ended by time, until the cache looks for room, is trimmed or
    /// receives a warning.
    public var pinnedCost: Int
    /// The cost that is reserved for values that are being made.
    public var reservedCost: Int
    /// The cost of objects that left because memory was short and are still alive because readers hold them.
    ///
    /// This is known only for objects, see ``ResourceCache``. Any other value is destroyed before the call that removes
    /// it returns, unless a reader still uses it.
    public var unfreedCost: Int

    /// Hits among hits and misses, from 0 to 1; 0 if there were none.
    public var hitRatio: Double {
        hits + misses == 0 ? 0 : Double(hits) / Double(hits + misses)
    }
}

extension ResourceCache {
    /// The activity of the cache so far, and its contents.
    ///
    /// Waits for changes under way. Takes constant time, and for class instances some 0.2 µs more for each of those that have
    /// left and may be in use, which are at most 16 384. Changes do not wait for that.
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

    /// The status of a key; not a use.
    public func status(of key: Key) -> CacheStatus {
        if contains(key) { return .present }
        let hash = hash(of: key)
        return withCore { $0.pointee.isGhost(hash) } ? .evicted : .absent
    }

    /// The keys of the most valuable values, the most valuable first.
    ///
    /// Use them to load values after a restart, with ``warm(_:atOnce:using:)``. Values on screen come first, then those
    /// that were read while they were new, then new ones, and prefetched ones last; in each group the order is by the
    /// number of reads since the cache last considered evicting the value. Pinned values are left out. Atomic; takes
    /// time in proportion to the number of values, during which changes wait and reads do not.
    ///
    /// - Parameter count: The maximum number; not negative.
    /// - Returns: The keys.
    public func hottest(_ count: Int = .max) -> [Key] {
        precondition(count >= 0, "a number of keys is not negative")
        return withCore { core in
            core.pointee.queues.hottestFirst(in: view).prefix(count).map { key(of: $0).pointee }
        }
    }

    /// The keys of the least valuable values, the next to leave first.
    ///
    /// Otherwise like ``hottest(_:)``.
    ///
    /// - Parameter count: The maximum number; not negative.
    /// - Returns: The keys.
    public func coldest(_ count: Int = .max) -> [Key] {
        precondition(count >= 0, "a number of keys is not negative")
        return withCore { core in
            core.pointee.queues.hottestFirst(in: view).suffix(count).reversed().map { key(of: $0).pointee }
        }
    }
}

/// The status of a key in a cache.
public enum CacheStatus: Sendable, Hashable, CaseIterable {
    /// There is a value, or an object that left at a warning while it was used and can be found as long as it lives.
    case present
    /// There was a value, and it left recently for a limit or because memory was short.
    ///
    /// Remembered for about as many keys as there are values. Once in some hundred thousand queries it is reported for
    /// a key that only has the same hash.
    case evicted
    /// There is no value, and none is remembered: it was never loaded, did not fit, was removed by a call, has expired,
    /// or left long ago.
    case absent
}
