#if ServiceLifecycle
public import CoreMetrics
public import ResourceManager

/// Counts the events of a host through swift-metrics, for as long as this object exists.
///
/// | metric | kind | what |
/// | --- | --- | --- |
/// | `resource_manager.warnings` | counter | broadcasts; also by `level` and `simulated` |
/// | `resource_manager.released_bytes` | counter | the bytes that views, observers and caches released, by their own count |
/// | `resource_manager.resident_freed_bytes` | counter | the decrease of the process's resident set at the same time |
/// | `resource_manager.delivery.duration` | timer | from the first callback to the last measurement |
/// | `resource_manager.level` | gauge | 0 normal, 1 warning, 2 critical |
/// | `resource_manager.daemon` | gauge | 1 while warnings come from a daemon, otherwise 0 |
/// | `resource_manager.faults` | counter | each `ResourceFault` |
///
/// All have the dimension `host`, the host's name. Nothing is sampled: events change the metrics, in the host's
/// isolation, and nothing runs in between. For the activity of caches see ``CacheMetrics``.
public final class HostMetrics {
    private let registrations: [Registration]

    /// Begins to count, with the gauges at the present values.
    ///
    /// - Parameters:
    ///   - host: The host; it is not kept alive.
    ///   - factory: Makes the metrics.
    public init(_ host: ControllerHost, factory: any MetricsFactory = MetricsSystem.factory) {
        let dimensions = [("host", host.name)]
        let warnings = WarningCounters(dimensions, factory)
        let released = Counter(label: "resource_manager.released_bytes", dimensions: dimensions, factory: factory)
        let freed = Counter(label: "resource_manager.resident_freed_bytes", dimensions: dimensions, factory: factory)
        let faults = Counter(label: "resource_manager.faults", dimensions: dimensions, factory: factory)
        let duration = Timer(
            label: "resource_manager.delivery.duration",
            dimensions: dimensions,
            preferredDisplayUnit: .seconds,
            factory: factory
        )
        let level = Gauge(label: "resource_manager.level", dimensions: dimensions, factory: factory)
        let daemon = Gauge(label: "resource_manager.daemon", dimensions: dimensions, factory: factory)
        level.record(host.level.rawValue)
        daemon.record(host.origin.isDaemon ? 1 : 0)
        registrations = [
            host.onDelivery { warning, release in
                warnings.count(warning)
                released.increment(by: release.released)
                freed.increment(by: release.residentFreed)
                duration.recordNanoseconds(Int64(release.duration / .nanoseconds(1)))
            },
            host.onLevelChange { level.record($0.rawValue) },
            host.onOriginChange { daemon.record($0.isDaemon ? 1 : 0) },
            host.onFault { _ in faults.increment() },
        ]
    }
}

/// A counter for each kind of warning, created before the first warning: a rate needs a 0 to begin from.
private struct WarningCounters {
    private let counters: [(level: PressureLevel, isSimulated: Bool, counter: Counter)]

    init(_ dimensions: [(String, String)], _ factory: any MetricsFactory) {
        counters = [PressureLevel.warning, .critical].flatMap { level in
            [false, true].map { isSimulated in
                let dimensions = dimensions + [("level", "\(level)"), ("simulated", "\(isSimulated)")]
                return (
                    level, isSimulated,
                    Counter(label: "resource_manager.warnings", dimensions: dimensions, factory: factory)
                )
            }
        }
    }

    func count(_ warning: MemoryWarning) {
        counters.first { $0.level == warning.level && $0.isSimulated == warning.isSimulated }?.counter.increment()
    }
}

extension PressureOrigin {
    fileprivate var isDaemon: Bool {
        if case .daemon = self { true } else { false }
    }
}
#endif
