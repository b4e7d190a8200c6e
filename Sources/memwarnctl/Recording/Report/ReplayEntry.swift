import MemoryPressure
import MemwarnProtocol

/// A replay in JSON and as text.
struct ReplayEntry: Encodable {
    let file: String
    let kernel: String
    let seconds: Double
    let samples: UInt64
    /// `whole`, `cut`, `damaged` or `long`: everything before the end is replayed.
    let ending: String
    /// Stall events: those that the kernel sent to the recorder, and those of the replay.
    let recordedEvents: UInt64
    let replayedEvents: UInt64
    let announcements: [AnnouncementEntry]
    let scopes: [ReplayCounts]
    /// `nil` without marked storms.
    let verdict: ReplayVerdict?

    init(_ replay: Replay, file: String, verdict: ReplayVerdict?) {
        self.file = file
        kernel = replay.header.kernel
        seconds = Double(replay.end) / 1e3
        samples = replay.samples
        ending =
            switch replay.ending {
            case .whole: "whole"
            case .cut: "cut"
            case .damaged: "damaged"
            case .long: "long"
            }
        recordedEvents = replay.recordedEvents
        replayedEvents = replay.replayedEvents
        announcements = replay.announcements.map { AnnouncementEntry($0, in: replay) }
        scopes = replay.header.scopes.indices.map { ReplayCounts(replay, scope: $0) }
        self.verdict = verdict
    }

    var text: String {
        let note =
            switch ending {
            case "whole": ""
            case "long": "; the file goes on, and is replayed for \(RecordingReader.days) days"
            default: "; the file is \(ending), and replayed up to there"
            }
        let head =
            "\(file): \(ClockTime(UInt64(seconds * 1e3))), \(samples) samples, kernel \(kernel.escapedForDisplay)\(note)"
        var parts = [head]
        if !announcements.isEmpty { parts.append(AnnouncementEntry.table(announcements)) }
        parts.append(ReplayCounts.table(scopes))
        if let verdict { parts.append(verdict.text) }
        return parts.joined(separator: "\n\n")
    }
}

/// An announcement, in JSON.
struct AnnouncementEntry: Encodable {
    let seconds: Double
    let scope: String
    let level: String
    /// `rises`, `lasts` or `falls`.
    let change: String
    let reason: JSONObject
    /// The hosts that would have been told, stage by stage; `nil` without hosts.
    let stages: [StageEntry]?
    let plannedStages: Int?
    /// The reason in words; not part of the JSON.
    let reasonText: String

    struct StageEntry: Encodable {
        /// `inside`, `beside` or `rest`.
        let ring: String
        let hosts: Int
    }

    enum CodingKeys: CodingKey {
        case seconds, scope, level, change, reason, stages, plannedStages
    }

    init(_ announcement: Replay.Announcement, in replay: Replay) {
        seconds = Double(announcement.at) / 1e3
        scope = replay.header.scopes[announcement.scope].path
        level = "\(announcement.level)"
        change =
            switch announcement.change {
            case .rose: "rises"
            case .persists, .returned: "lasts"
            case .fell: "falls"
            }
        reason = JSONObject(announcement.reason)
        reasonText = "\(announcement.reason)".escapedForDisplay
        stages = announcement.stages?.told.map { StageEntry(ring: "\($0.ring)", hosts: $0.hosts) }
        plannedStages = announcement.stages?.planned
    }

    static func table(_ entries: [Self]) -> String {
        let hasStages = entries.contains { $0.stages != nil }
        var table = Table(
            [.right("TIME"), .left("SCOPE"), .left("LEVEL"), .left(""), .left("REASON")]
                + (hasStages ? [.left("STAGES")] : [])
        )
        for entry in entries {
            let cells = [
                "\(ClockTime(UInt64(entry.seconds * 1e3)))", entry.scope.escapedForDisplay, entry.level, entry.change,
                entry.reasonText,
            ]
            table.add(cells + (hasStages ? [entry.stagesText] : []))
        }
        return table.text
    }

    private var stagesText: String {
        guard let stages, let plannedStages, plannedStages > 0 else { return "" }
        let told = stages.map { "\($0.hosts) \($0.ring)" }.joined(separator: ", then ")
        return stages.count < plannedStages ? "\(told); \(stages.count) of \(plannedStages) stages" : told
    }
}
