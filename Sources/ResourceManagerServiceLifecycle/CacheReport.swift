#if ServiceLifecycle
internal import CoreMetrics
internal import ResourceManager

/// One cache's metrics and the last reported counts: counters take differences.
struct CacheReport {
    private struct Count {
        let counter: Counter
        let value: @Sendable (CacheStatistics) -> Int
    }

    private struct Level {
        let gauge: Gauge
        let value: @Sendable (CacheStatistics) -> Int
    }

    private let statistics: @Sendable () -> CacheStatistics?
    private let counts: [Count]
    private let loadSeconds: FloatingPointCounter
    private let levels: [Level]
    private var last: CacheStatistics?

    init(_ name: String, _ factory: any MetricsFactory, statistics: @escaping @Sendable () -> CacheStatistics?) {
        self.statistics = statistics
        func count(
            _ label: String,
            _ dimension: (String, String)? = nil,
            _ value: @escaping @Sendable (CacheStatistics) -> Int
        ) -> Count {
            let counter = Counter(
                label: "resource_manager.cache." + label,
                dimensions: [("cache", name)] + (dimension.map { [$0] } ?? []),
                factory: factory
            )
            return Count(counter: counter, value: value)
        }
        func level(_ label: String, _ value: @escaping @Sendable (CacheStatistics) -> Int) -> Level {
            let label = "resource_manager.cache." + label
            return Level(gauge: Gauge(label: label, dimensions: [("cache", name)], factory: factory), value: value)
        }
        counts = [
            count("hits") { Int(clamping: $0.hits) },
            count("misses") { Int(clamping: $0.misses) },
            count("loads", ("result", "loaded")) { $0.loads },
            count("loads", ("result", "failed")) { $0.failedLoads },
            count("loads", ("result", "joined")) { $0.joinedLoads },
            count("removals", ("reason", "evicted")) { $0.evictions },
            count("removals", ("reason", "expired")) { $0.expirations },
            count("removals", ("reason", "replaced")) { $0.replacements },
            count("removals", ("reason", "removed")) { $0.removals },
            count("removals", ("reason", "pressure")) { $0.pressureRemovals },
            count("pressure_bytes") { $0.pressureCost },
            count("refusals") { $0.refusals },
            count("regrets") { $0.regrets },
        ]
        loadSeconds = FloatingPointCounter(
            label: "resource_manager.cache.load_seconds",
            dimensions: [("cache", name)],
            factory: factory
        )
        levels = [level("entries") { $0.count }, level("cost") { $0.cost }, level("pinned_cost") { $0.pinnedCost }]
    }

    /// Reports the activity since the last report; returns `false` if the cache no longer exists.
    mutating func update() -> Bool {
        guard let now = statistics() else {
            for level in levels { level.gauge.record(0) }
            return false
        }
        for count in counts {
            let growth = count.value(now) - (last.map(count.value) ?? 0)
            if growth > 0 { count.counter.increment(by: growth) }
        }
        let loadTime = now.loadTime - (last?.loadTime ?? .zero)
        if loadTime > .zero { loadSeconds.increment(by: loadTime / .seconds(1)) }
        for level in levels { level.gauge.record(level.value(now)) }
        last = now
        return true
    }
}
#endif
