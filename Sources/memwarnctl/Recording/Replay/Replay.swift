import MemoryPressure
import WarningPolicy

/// What a daemon with some configuration would have announced while a recording was made.
struct Replay {
    /// Something that would have been announced.
    struct Announcement {
        /// Milliseconds since the first sample.
        let at: UInt64
        /// The scope's place in the recording's list.
        let scope: Int
        let change: LevelMachine.Change
        let level: PressureLevel
        let reason: PressureReason
        /// The stages that the warning would have gone through; `nil` without hosts to be told.
        var stages: ReplayedRound?
    }

    let header: RecordingHeader
    let announcements: [Announcement]
    /// The storms that are marked in the recording.
    private(set) var storms: [Storm] = []
    /// When the last sample was taken, and how many there were.
    private(set) var end: UInt64 = 0
    private(set) var samples: UInt64 = 0
    /// How many events of stalls the kernel sent when it was recorded, and how many it would have sent in the replay.
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

    /// The time of a sample on a clock that does not begin at zero, as no clock does.
    static func instant(_ milliseconds: UInt64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: (milliseconds + 1000) * 1_000_000)
    }
}

/// A time in which memory was short, by the word of whoever recorded it; in milliseconds since the first sample.
struct Storm: Hashable, Encodable {
    let start: UInt64
    let end: UInt64
}
