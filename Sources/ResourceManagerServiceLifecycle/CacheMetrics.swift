#if ServiceLifecycle
public import CoreMetrics
public import ResourceManager
public import ServiceLifecycle
internal import Synchronization

/// Reports the activity of caches through swift-metrics at intervals.
///
/// ```swift
/// let metrics = CacheMetrics()
/// metrics.add(pages)
/// ```
///
/// | metric | kind | what |
/// | --- | --- | --- |
/// | `resource_manager.cache.hits`, `.misses` | counter | reads, as in `CacheStatistics` |
/// | `resource_manager.cache.loads` | counter | loads by `result`: `loaded`, `failed`, `joined` |
/// | `resource_manager.cache.load_seconds` | counter | the time of loads that returned a value |
/// | `resource_manager.cache.removals` | counter | removed values, by `reason`: `evicted`, `expired`, `replaced`, `removed`, `pressure` |
/// | `resource_manager.cache.pressure_bytes` | counter | the cost of values that were removed because memory was short |
/// | `resource_manager.cache.refusals`, `.regrets` | counter | values that were not kept; values that were needed again soon |
/// | `resource_manager.cache.entries`, `.cost`, `.pinned_cost` | gauge | the present contents |
///
/// All have the dimension `cache`, the cache's name. A cache counts its own activity without locks; this class reads
/// the counts, so that hits cost nothing extra. It may be used from any thread.
public final class CacheMetrics: Service {
    private let interval: Duration
    private let factory: any MetricsFactory
    private let reports = Mutex<[CacheReport]>([])

    /// Creates a reporter without caches; it reports automatically only while ``run()`` runs.
    ///
    /// - Parameters:
    ///   - interval: How often ``run()`` reports; use about the interval at which the metrics are collected.
    ///   - factory: Makes the metrics.
    public init(every interval: Duration = .seconds(10), factory: any MetricsFactory = MetricsSystem.factory) {
        self.interval = interval
        self.factory = factory
    }

    /// Reports a cache from now on, including all of its activity so far; does not keep the cache alive.
    ///
    /// After the cache is destroyed the next report sets its gauges to 0.
    public func add<Key, Value>(_ cache: ResourceCache<Key, Value>) {
        let report = CacheReport(cache.name, factory) { [weak cache] in cache?.statistics }
        reports.withLock { $0.append(report) }
    }

    /// Reports the activity since the last report now.
    ///
    /// Waits for changes in progress in each cache, and for reports of other threads.
    public func report() {
        reports.withLock { reports in
            var alive: [CacheReport] = []
            for var report in reports where report.update() { alive.append(report) }
            reports = alive
        }
    }

    /// Reports at intervals until the service group shuts down gracefully, and once more then.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while (try? await Task.sleep(for: interval)) != nil { report() }
        }
        report()
        try Task.checkCancellation()
    }
}
#endif
