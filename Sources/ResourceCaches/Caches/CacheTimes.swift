internal import MemoryPressure

/// For how long entries are good, in nanoseconds; the most there are for ever.
///
/// An object, since most entries have none, and a reference costs nothing to pass along.
@usableFromInline
final class CacheTimes: Sendable {
    let toLive: UInt64
    let toIdle: UInt64
    let toRefresh: UInt64
    /// The instant that the first and the last count from; `nil` for when they are given to an entry.
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

    /// The times of an entry whose value changes, and which ends as before.
    init(_ ends: EntryEnds) {
        (toLive, toIdle, toRefresh, start) = (ends.expires, ends.idleLimit, ends.growsStale, 0)
    }
}

extension EntryTimes {
    /// The times of an entry that gets them now.
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
