import ArgumentParser
import CLinux
import FoundationEssentials
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

/// `memwarnd watch`.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow changes of levels, hosts that come and go, and rounds that end.",
        discussion: """
            Prints one line for each event, from now until it is interrupted. With --json every line is one object \
            whose “event” is scope, host, round or missed.

            Exit codes: 69 no daemon answers, or it ended; 77 not permitted.
            """
    )

    @OptionGroup var daemon: DaemonOptions

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    func run() {
        Failure.reported { () throws(Failure) in
            let client = try ControlClient(daemon)
            try client.request(.subscribe)
            var levels = AnnouncedLevels()
            while true {
                let frame = try client.receive(within: nil)
                guard let event = WatchEvent(frame.message) else { continue }
                let isRepeat = levels.note(event)
                if json {
                    try StandardOutput.print(event.json)
                } else if !(isRepeat && event.isCalm) {
                    try StandardOutput.print(event.text(isRepeat: isRepeat))
                }
            }
        }
    }
}

/// The levels of the scopes in the daemon's stream: an event of a scope does not say whether its level is new.
struct AnnouncedLevels {
    private var levels: [String: PressureLevel] = [:]

    /// Notes the level of a scope; returns whether an event before this one reported the same level.
    mutating func note(_ event: WatchEvent) -> Bool {
        guard case .scope(let scope) = event else { return false }
        guard scope.state != .gone else {
            levels[scope.path] = nil
            return false
        }
        let former = levels.updateValue(scope.level, forKey: scope.path)
        return former == scope.level
    }
}

/// One event of the daemon's stream.
enum WatchEvent {
    case scope(ScopeRecord)
    case host(HostRecord)
    case round(RoundRecord)
    case missed(UInt64)

    init?(_ message: Message) {
        switch message {
        case .scope(let record): self = .scope(record)
        case .host(let record): self = .host(record)
        case .round(let record): self = .round(record)
        case .missed(let missed): self = .missed(missed.count)
        default: return nil
        }
    }

    /// Whether it reports a scope at normal; again, that is no news: only how the scope is watched has changed.
    var isCalm: Bool {
        if case .scope(let scope) = self { scope.state != .gone && scope.level == .normal } else { false }
    }

    /// The event on one line; `isRepeat` if it reports a level again.
    func text(isRepeat: Bool = false) -> String {
        let time = Self.clock()
        switch self {
        case .scope(let scope) where scope.state == .gone:
            return "\(time) scope \(scope.path.escapedForDisplay) is gone"
        case .scope(let scope):
            let reason = scope.reason.hasFigure ? ": \(scope.reason.brief)" : ""
            return "\(time) scope \(scope.path.escapedForDisplay) is \(isRepeat ? "still " : "")\(scope.level)\(reason)"
        case .host(let host):
            let change = host.state == .present ? "registered in" : "left"
            return
                "\(time) host \(host.name.escapedForDisplay) (pid \(host.pid)) \(change) \(host.scope.escapedForDisplay)"
        case .round(let round):
            guard round.options.contains(.answerWanted) else {
                return
                    "\(time) round \(round.id) \(round.level) in \(round.scope.escapedForDisplay): \(round.hosts) told"
            }
            let kind =
                round.options.contains(.simulated)
                ? " (simulated)" : round.options.contains(.repeated) ? " (again)" : ""
            return """
                \(time) round \(round.id) \(round.level)\(kind) in \(round.scope.escapedForDisplay): \
                \(round.answered) of \(round.hosts) answered, \(ByteCount(round.released)) released, \
                took \(Milliseconds(microseconds: round.duration))
                """
        case .missed(let count):
            return "\(time) \(count) events were lost: this program was too slow to read them"
        }
    }

    var json: String {
        switch self {
        case .scope(let record): JSONOutput.text(Line(event: "scope", value: record.json), onOneLine: true)
        case .host(let record): JSONOutput.text(Line(event: "host", value: record.json), onOneLine: true)
        case .round(let record): JSONOutput.text(Line(event: "round", value: record.json), onOneLine: true)
        case .missed(let count): JSONOutput.text(Line(event: "missed", value: count), onOneLine: true)
        }
    }

    private struct Line<Value: Encodable>: Encodable {
        let event: String
        let value: Value
    }

    /// The time of day with milliseconds.
    private static func clock() -> String {
        let now = Date().timeIntervalSince1970
        var seconds = time_t(now)
        var local = tm()
        localtime_r(&seconds, &local)
        let fields = [local.tm_hour, local.tm_min, local.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
        let milliseconds = "00\(Int(now * 1_000) % 1_000)".suffix(3)
        return "\(fields.joined(separator: ":")).\(milliseconds)"
    }
}
