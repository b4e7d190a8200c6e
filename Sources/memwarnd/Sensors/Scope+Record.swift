import MemoryPressure
import MemwarnProtocol

extension Scope {
    /// What `status` and `watch` show of it.
    func record(_ state: RecordState, hosts: Int) -> ScopeRecord {
        let now = sensor?.look()
        let pause = sensor?.isSampling == false ? sensor?.pause : nil
        return ScopeRecord(
            id: id,
            state: state,
            level: level,
            reason: machine.reason,
            since: machine.since.duration(to: .now).milliseconds,
            rung: sensor.flatMap { ScopeRecord.Rung(rawValue: $0.rung.rawValue) } ?? .none,
            window: UInt32(clamping: sensor?.window.microseconds ?? 0),
            hosts: UInt32(hosts),
            someTotal: now?.stalls?.total(.some) ?? 0,
            fullTotal: now?.stalls?.total(.full) ?? 0,
            suppressed: sensor?.suppressed ?? 0,
            path: path.prefix(utf8: TextLimit.path.upperBound),
            rungReason: (sensor?.rungReason ?? failure.map { "\($0)" } ?? "")
                .prefix(utf8: TextLimit.message.upperBound),
            someAverage: now?.stalls?.average10(.some) ?? .zero,
            fullAverage: now?.stalls?.average10(.full) ?? .zero,
            highEvents: sensor?.limitEvents.high ?? 0,
            maxEvents: sensor?.limitEvents.max ?? 0,
            sampling: pause?.microseconds ?? 0,
            used: now?.headroom?.used ?? 0,
            limit: now?.headroom?.limit
        )
    }
}
