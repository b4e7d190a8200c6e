import MemwarnProtocol
import WarningPolicy

extension Metrics {
    /// The hosts of one scope and one door.
    private struct Group {
        let scope: String
        let door: HostRecord.Door
        var count = 0
        var releasable: UInt64 = 0
    }

    /// Sums over the hosts of each scope and door: there may be ten thousand hosts, and they come and go.
    static func hosts(_ records: [HostRecord]) -> [MetricFamily] {
        var groups: [String: Group] = [:]
        for record in records {
            let key = "\(record.door.rawValue)\(record.scope)"
            var group = groups[key] ?? Group(scope: record.scope, door: record.door)
            group.count += 1
            group.releasable = group.releasable.addingClamped(record.releasable)
            groups[key] = group
        }
        var count = MetricFamily("memwarnd_hosts", .gauge, "Registered hosts by scope and door.")
        var releasable = MetricFamily(
            "memwarnd_hosts_releasable_bytes",
            .gauge,
            "Bytes that the hosts of a scope and door could release by their own statements."
        )
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
            let labels: (scope: MetricFamily.Label, door: MetricFamily.Label) = (
                ("scope", group.scope), ("door", "\(group.door)")
            )
            count.add(.count(group.count), labels.scope, labels.door)
            releasable.add(.count(group.releasable), labels.scope, labels.door)
        }
        return [count, releasable]
    }

    /// Series for each host, with its number as the label; one series identifies the host.
    static func eachHost(_ records: [HostRecord]) -> [MetricFamily] {
        var info = MetricFamily("memwarnd_host_info", .gauge, "The identity of a host; always 1.")
        var releasable = MetricFamily(
            "memwarnd_host_releasable_bytes",
            .gauge,
            "Bytes that a host could release by its own statement."
        )
        var outcome = MetricFamily(
            "memwarnd_host_last_warning_info",
            .gauge,
            "The outcome of the last warning to a host; always 1."
        )
        var released = MetricFamily(
            "memwarnd_host_last_released_bytes",
            .gauge,
            "Bytes that a host claims to have released at the last warning that it answered."
        )
        for record in records {
            let host: MetricFamily.Label = ("host", "\(record.id)")
            info.add(
                .count(1),
                host,
                ("name", record.name),
                ("pid", "\(record.pid)"),
                ("uid", "\(record.uid)"),
                ("scope", record.scope),
                ("door", "\(record.door)")
            )
            releasable.add(.count(record.releasable), host)
            outcome.add(.count(1), host, ("outcome", "\(record.outcome)"))
            if record.outcome == .answered { released.add(.count(record.released), host) }
        }
        return [info, releasable, outcome, released]
    }
}
