import MemoryPressure
import WarningPolicy

/// The announcements that a daemon with some configuration would have made during a recording.
struct Replay {
    /// An announcement.
    struct Announcement {
        /// Milliseconds since the first sample.
        let at: UInt64
        /// The scope's position in the recording's list.
        let scope: Int
        let change: LevelMachine.Change
        let level: PressureLevel
        let reason: PressureReason
        /// The stages of the warning; `nil` without hosts.
        var stages: ReplayedRound?
    }

    let header: RecordingHeader
    let announcements: [Announcement]
    /// The storms that are marked in the recording.
    private(set) var storms: [Storm] = []
    /// The time of the last sample, and the number of samples.
    private(set) var end: UInt64 = 0
    private(set) var samples: UInt64 = 0
    /// The number of stall events that the kernel sent during the recording, and that it would have sent in the replay.
    private(set) var recordedEvents: UInt64 = 0
    private(set) var replayedEvents: UInt64 = 0
    let ending: RecordingReader.Ending

    /// Replays a recording; `hosts` live in each scope, and `look` sees every sample.
    init(
        _ recording: RecordingReader,
        configuration: Settings,
        hosts: Int = 0,
        look: (UInt64, [RecordedFigures], [PressureLevel]) -> Void = { _, _, _ in }
    ) {
        var reader = recording
        let header = reader.header
        var policy = ReplayedPolicy(
            header.scopes,
            hosts: hosts,
            settings: configuration,
            interval: .milliseconds(Int64(header.interval))
        )
        var began: UInt64?
        while let item = reader.next() {
            switch item {
            case .sample(let at):
                samples += 1
                end = at
                policy.take(reader.figures, at: at)
                look(at, reader.figures, policy.levels)
            case .event(let scope, .stalls, _):
                recordedEvents += 1
                policy.noteEvent(scope)
            case .event(_, .limits, _): break
            case .mark(let isStart, let at):
                if let start = began { storms.append(Storm(start: start, end: max(start, at))) }
                began = isStart ? at : nil
            }
        }
        announcements = policy.announcements
        if let began { storms.append(Storm(start: began, end: max(began, end))) }
        replayedEvents = policy.events
        self.header = header
        ending = reader.ending ?? .whole
    }

    /// The time of a sample on a clock that does not begin at zero, like a real clock.
    static func instant(_ milliseconds: UInt64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: (milliseconds + 1000) * 1_000_000)
    }
}

/// A time in which memory was short, as marked by the user; in milliseconds since the first sample.
struct Storm: Hashable, Encodable {
    let start: UInt64
    let end: UInt64
}
