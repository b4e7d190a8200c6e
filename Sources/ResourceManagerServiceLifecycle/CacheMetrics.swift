#if ServiceLifecycle
public import CoreMetrics
public import ResourceManager
public import ServiceLifecycle
internal import Synchronization

/// Reports what caches have done through swift-metrics, every so often.
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
/// | `resource_manager.cache.load_seconds` | counter | how long those took that brought a value |
/// | `resource_manager.cache.removals` | counter | values that left, by `reason`: `evicted`, `expired`, `replaced`, `removed`, `pressure` |
/// | `resource_manager.cache.pressure_bytes` | counter | what those cost that left for want of memory |
/// | `resource_manager.cache.refusals`, `.regrets` | counter | values not kept; values that came back soon |
/// | `resource_manager.cache.entries`, `.cost`, `.pinned_cost` | gauge | what it holds |
///
/// All have the dimension `cache`, its name. A cache counts by itself without locks; this reads its counts, so that hits
/// cost nothing more. May be used from anywhere.
public final class CacheMetrics: Service {
    private let interval: Duration
    private let factory: any MetricsFactory
    private let reports = Mutex<[CacheReport]>([])

    /// Reports nothing until caches are added, and by itself only while ``run()`` runs.
    ///
    /// - Parameters:
    ///   - interval: How often ``run()`` reports; about as often as the metrics are collected.
    ///   - factory: Makes the metrics.
    public init(every interval: Duration = .seconds(10), factory: any MetricsFactory = MetricsSystem.factory) {
        self.interval = interval
        self.factory = factory
    }

    /// Reports a cache from now on, beginning with all that it has done so far; it is not kept alive.
    ///
    /// When it is gone its gauges go to 0 with the next report.
    public func add<Key, Value>(_ cache: ResourceCache<Key, Value>) {
        let report = CacheReport(cache.name, factory) { [weak cache] in cache?.statistics }
        reports.withLock { $0.append(report) }
    }

    /// Reports what has happened since the last time, now.
    ///
    /// Waits for changes of each cache that are under way, and for reports of other threads.
    public func report() {
        reports.withLock { reports in
            var alive: [CacheReport] = []
            for var report in reports where report.update() { alive.append(report) }
            reports = alive
        }
    }

    /// Reports every so often until the service group shuts down gracefully, and once more then.
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
