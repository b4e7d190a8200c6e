internal import MemoryPressure

/// How long entries are valid, in nanoseconds; the maximum stands for ever.
///
/// It is an object because most entries have none, and a reference is cheap to pass.
@usableFromInline
final class CacheTimes: Sendable {
    let toLive: UInt64
    let toIdle: UInt64
    let toRefresh: UInt64
    /// The instant from which the first and the last count; `nil` for the time at which an entry gets them.
    let start: UInt64?

    init(toLive: Duration?, toIdle: Duration?, toRefresh: Duration?) {
        func nanoseconds(_ duration: Duration?) -> UInt64 {
            duration.map { UInt64(max(0, $0.nanoseconds)) } ?? .max
        }
        self.toLive = nanoseconds(toLive)
        self.toIdle = nanoseconds(toIdle)
        self.toRefresh = nanoseconds(toRefresh)
        start = nil
    }

    /// Creates times for an entry whose value changes and whose end stays the same.
    init(_ ends: EntryEnds) {
        (toLive, toIdle, toRefresh, start) = (ends.expires, ends.idleLimit, ends.growsStale, 0)
    }
}

extension EntryTimes {
    /// Creates the times of an entry from now on.
    init(_ times: CacheTimes, now: UInt64) {
        let start = times.start ?? now
        func end(after time: UInt64) -> UInt64 {
            let end = start.addingReportingOverflow(time)
            return end.overflow ? .max : end.partialValue
        }
        self.init(
            expires: end(after: times.toLive),
            growsStale: end(after: times.toRefresh),
            idleLimit: times.toIdle,
            now: now
        )
    }
}
