import MemoryPressure
import MemwarnProtocol
import WarningPolicy

extension ScopeEntry {
    /// The record for `status` and `watch`; `now` is the present state.
    func record(_ now: ScopeLook?) -> ScopeRecord {
        ScopeRecord(
            id: id,
            state: .present,
            level: level,
            reason: reason,
            since: watch.machine.since.duration(to: .now).milliseconds,
            rung: watch.rung.flatMap { ScopeRecord.Rung(rawValue: $0.rawValue) } ?? .none,
            window: UInt32(clamping: watch.window.microseconds),
            hosts: UInt32(hosts),
            someTotal: now?.stalls?.total(.some) ?? 0,
            fullTotal: now?.stalls?.total(.full) ?? 0,
            suppressed: watch.suppressed,
            path: path.prefix(utf8: TextLimit.path.upperBound),
            rungReason: (watch.rung == nil ? watch.failure.map { "\($0)" } ?? "" : watch.rungReason)
                .prefix(utf8: TextLimit.message.upperBound),
            someAverage: now?.stalls?.average10(.some) ?? .zero,
            fullAverage: now?.stalls?.average10(.full) ?? .zero,
            highEvents: watch.limitEvents.high,
            maxEvents: watch.limitEvents.max,
            sampling: watch.samplingPause?.microseconds ?? 0,
            used: now?.headroom?.used ?? 0,
            limit: now?.headroom?.limit
        )
    }
}

extension ScopeRecord {
    /// The record of a scope that is no longer watched.
    static func vanished(_ id: ScopeID, path: String) -> Self {
        var record = Self()
        record.id = id
        record.path = path.prefix(utf8: TextLimit.path.upperBound)
        return record
    }
}
