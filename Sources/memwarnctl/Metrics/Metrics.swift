import MemoryPressure

/// Metrics as text for Prometheus.
enum Metrics {
    /// The metrics if no daemon answers.
    static var down: String { up(false).text }

    /// Everything about a daemon; with `perHost`, series for each host besides the sums.
    static func text(_ snapshot: MetricsSnapshot, perHost: Bool) -> String {
        let families =
            [up(true)] + daemon(snapshot.daemon) + counters(snapshot.counters) + scopes(snapshot.scopes)
            + hosts(snapshot.hosts) + (perHost ? eachHost(snapshot.hosts) : [])
        return families.map(\.text).joined()
    }

    private static func up(_ isUp: Bool) -> MetricFamily {
        var family = MetricFamily("memwarnd_up", .gauge, "Whether the daemon answered.")
        family.add(.flag(isUp))
        return family
    }
}
