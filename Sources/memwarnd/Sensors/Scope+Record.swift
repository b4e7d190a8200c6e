import MemoryPressure
import MemwarnProtocol

extension Scope {
    /// What `status` and `watch` show of it.
    func record(_ state: RecordState) -> ScopeRecord {
        let now = reading()
        return ScopeRecord(
            id: id,
            state: state,
            level: level,
            reason: machine.reason,
            since: machine.since.duration(to: .now).milliseconds,
            rung: rung.flatMap { ScopeRecord.Rung(rawValue: $0.rawValue) } ?? .none,
            window: UInt32(clamping: window?.microseconds ?? 0),
            hosts: UInt32(hosts.count),
            someTotal: now?.total(.some) ?? 0,
            fullTotal: now?.total(.full) ?? 0,
            suppressed: suppressed,
            path: path.prefix(utf8: TextLimit.path.upperBound),
            rungReason: rungReason.prefix(utf8: TextLimit.message.upperBound)
        )
    }
}
