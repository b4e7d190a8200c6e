import MemoryPressure
import MemwarnProtocol

extension Metrics {
    static func scopes(_ records: [ScopeRecord]) -> [MetricFamily] {
        states(records) + stalls(records) + limits(records)
    }

    private static func states(_ records: [ScopeRecord]) -> [MetricFamily] {
        var level = MetricFamily("memwarnd_scope_level", .gauge, "A scope's level: 1 for the present level.")
        var rung = MetricFamily("memwarnd_scope_rung_info", .gauge, "How a scope is watched; always 1.")
        for record in records {
            for each in PressureLevel.allCases {
                level.add(.flag(each == record.level), ("scope", record.path), ("level", "\(each)"))
            }
            rung.add(.count(1), ("scope", record.path), ("rung", "\(record.rung)"))
        }
        return [level, rung]
    }

    private static func stalls(_ records: [ScopeRecord]) -> [MetricFamily] {
        var totals = MetricFamily(
            "memwarnd_scope_stall_seconds_total",
            .counter,
            "Time in which tasks waited for memory: some is at least one of them, full is all."
        )
        var averages = MetricFamily(
            "memwarnd_scope_stall_ratio",
            .gauge,
            "Share of the last ten seconds in which tasks waited for memory."
        )
        var suppressed = MetricFamily(
            "memwarnd_scope_suppressed_events_total",
            .counter,
            "Events of the kernel that were not believed, because the totals had not grown enough."
        )
        for record in records {
            let scope: MetricFamily.Label = ("scope", record.path)
            totals.add(.seconds(microseconds: record.someTotal), scope, ("kind", "some"))
            totals.add(.seconds(microseconds: record.fullTotal), scope, ("kind", "full"))
            averages.add(.ratio(basisPoints: record.someAverage.basisPoints), scope, ("kind", "some"))
            averages.add(.ratio(basisPoints: record.fullAverage.basisPoints), scope, ("kind", "full"))
            suppressed.add(.count(record.suppressed), scope)
        }
        return [totals, averages, suppressed]
    }

    private static func limits(_ records: [ScopeRecord]) -> [MetricFamily] {
        var used = MetricFamily("memwarnd_scope_used_bytes", .gauge, "Memory used of the limit that binds a scope.")
        var limit = MetricFamily(
            "memwarnd_scope_limit_bytes",
            .gauge,
            "The limit that binds a scope: its kind, and the cgroup that sets it."
        )
        var events = MetricFamily(
            "memwarnd_scope_limit_events_total",
            .counter,
            "How often a scope was throttled at memory.high, or reached memory.max."
        )
        for record in records {
            let scope: MetricFamily.Label = ("scope", record.path)
            if let binding = record.limit {
                used.add(.count(record.used), scope)
                limit.add(.count(binding.bytes), scope, ("limit", "\(binding.kind)"), ("cgroup", binding.path))
            }
            events.add(.count(record.highEvents), scope, ("limit", "memory.high"))
            events.add(.count(record.maxEvents), scope, ("limit", "memory.max"))
        }
        return [used, limit, events]
    }
}
