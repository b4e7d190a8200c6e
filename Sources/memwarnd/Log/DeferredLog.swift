import Systemd

/// The daemon's log, written when nothing else is pending: no write stands between a reading and the last warning.
///
/// Entries that the log does not accept at once wait here, so its reader may be arbitrarily slow.
final class DeferredLog {
    /// A log that cannot keep up loses entries instead of growing during a shortage.
    static let capacity = 1_000

    /// How many entries were lost since the start.
    private(set) var dropped: UInt64 = 0
    /// The number of lost entries that were not logged yet.
    private var untold: UInt64 = 0
    private let journal: Journal
    private var pending: [(Journal) -> Bool] = []
    private var source: DeferredSource?
    private var retry: TimerSource?
    /// The delay before the next attempt: short after an entry was accepted, since the reader is active, then doubled
    /// each time.
    private var pause = shortestPause

    private static let shortestPause = Duration.milliseconds(10)
    private static let longestPause = Duration.seconds(1)

    init(_ journal: Journal, loop: EventLoop) throws(SystemdError) {
        self.journal = journal
        source = try loop.deferred { self.flush() }
        // No event reports that the journal's queue has room again.
        retry = try loop.timer(accuracy: Self.shortestPause) { self.flush() }
    }

    /// Keeps an entry until no other source is pending.
    func entry(_ kind: LogEntryKind, _ message: String, _ fields: [Journal.Field] = []) {
        guard pending.count < Self.capacity else {
            dropped += 1
            untold += 1
            return
        }
        pending.append { $0.log(kind.priority, message, messageID: kind.messageID, fields: fields) }
        source?.schedule()
    }

    /// Writes the waiting entries, as far as the log accepts them now, and tries again later with the rest.
    func flush() {
        var written = 0
        while written < pending.count, pending[written](journal) { written += 1 }
        pending.removeSubrange(..<written)
        if pending.isEmpty, untold > 0, tellDropped() { untold = 0 }
        guard !pending.isEmpty || untold > 0 else { return }
        // A reader that accepted an entry may accept more at once; each turn writes at least one entry, so the loop
        // ends.
        if written > 0 {
            pause = Self.shortestPause
            source?.schedule()
        } else {
            retry?.arm(after: pause)
            pause = min(pause * 2, Self.longestPause)
        }
    }

    private func tellDropped() -> Bool {
        let kind = LogEntryKind.entriesDropped
        return journal.log(
            kind.priority,
            "the log could not keep up: \(untold) entries are missing",
            messageID: kind.messageID,
            fields: [("MEMWARND_DROPPED", "\(untold)")]
        )
    }
}
