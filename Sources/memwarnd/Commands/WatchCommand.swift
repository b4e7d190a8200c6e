import ArgumentParser
import CLinux
import FoundationEssentials
import MemoryPressure
import MemwarnProtocol

/// `memwarnd watch`.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow levels, hosts and rounds as they change.",
        discussion: """
            Prints one line an event, from now until it is interrupted. With --json every line is one object whose \
            “event” is scope, host, round or missed.

            Exit codes: 69 no daemon answers, or it ended; 77 not permitted.
            """
    )

    @OptionGroup var daemon: DaemonOptions

    @Flag(help: "Print JSON, one object a line.")
    var json = false

    func run() {
        Failure.reported { () throws(Failure) in
            var client = try ControlClient(daemon)
            try client.request(.subscribe)
            while true {
                let frame = try client.receive(within: nil)
                guard let event = Event(frame.message) else { continue }
                print(json ? event.json : event.text)
                // Whoever reads along through a pipe wants the line now.
                fflush(nil)
            }
        }
    }
}

/// One event of the daemon's stream.
private enum Event {
    case scope(ScopeEntry)
    case host(HostEntry)
    case round(RoundEntry)
    case missed(UInt64)

    init?(_ message: Message) {
        switch message {
        case .scope(let record): self = .scope(ScopeEntry(record))
        case .host(let record): self = .host(HostEntry(record))
        case .round(let record): self = .round(RoundEntry(record))
        case .missed(let missed): self = .missed(missed.count)
        default: return nil
        }
    }

    var text: String {
        let time = Self.clock()
        switch self {
        case .scope(let scope) where scope.state == "gone":
            return "\(time) scope \(scope.path.escapedForDisplay) is gone"
        case .scope(let scope):
            let reason = scope.reason.percent > 0 ? ": \(scope.reason.text)" : ""
            return "\(time) scope \(scope.path.escapedForDisplay) is \(scope.level)\(reason)"
        case .host(let host):
            return
                "\(time) host \(host.name.escapedForDisplay) (pid \(host.pid)) \(host.state) in \(host.scope.escapedForDisplay)"
        case .round(let round):
            guard round.answerWanted else {
                return
                    "\(time) round \(round.id) \(round.level) in \(round.scope.escapedForDisplay): \(round.hosts) told"
            }
            let kind = round.simulated ? " (simulated)" : round.repeated ? " (again)" : ""
            return """
                \(time) round \(round.id) \(round.level)\(kind) in \(round.scope.escapedForDisplay): \
                \(round.answered) of \(round.hosts) answered, \(ByteCount(round.releasedBytes)) released, \
                took \(Milliseconds(seconds: round.durationSeconds))
                """
        case .missed(let count):
            return "\(time) \(count) events were lost: this program was too slow to read them"
        }
    }

    var json: String {
        switch self {
        case .scope(let entry): JSONOutput.text(Line(event: "scope", value: entry), onOneLine: true)
        case .host(let entry): JSONOutput.text(Line(event: "host", value: entry), onOneLine: true)
        case .round(let entry): JSONOutput.text(Line(event: "round", value: entry), onOneLine: true)
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
