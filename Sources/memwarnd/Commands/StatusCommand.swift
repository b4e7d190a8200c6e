import ArgumentParser
import MemoryPressure
import MemwarnProtocol

/// `memwarnd status`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show levels, registered hosts and the last rounds.",
        discussion: """
            Scopes are the host (/) and the cgroups of registered hosts. The rung says how a scope is watched: a \
            privileged trigger hears of 50 ms of stalls, a trigger of 200 ms in 2 s, polling looks every 2 s.

            Exit codes: 0 shown, 69 no daemon answers, 77 not permitted.
            """
    )

    @OptionGroup var daemon: DaemonOptions

    @Flag(help: "Print JSON: bytes, seconds and percent as numbers.")
    var json = false

    @Option(help: ArgumentHelp("Show at most so many hosts, and so many rounds.", valueName: "count"))
    var limit = 20

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit takes a number from 0 on.") }
    }

    func run() {
        Failure.reported { () throws(Failure) in
            var client = try ControlClient(daemon)
            let snapshot = Status(try DaemonSnapshot(from: &client))
            print(json ? JSONOutput.text(snapshot, onOneLine: false) : snapshot.text(limit: limit))
            return 0
        }
    }
}

/// A snapshot as `status` shows it.
private struct Status: Encodable {
    let version: String
    let pid: UInt32
    let uptimeSeconds: Double
    let level: String
    let roundsSinceStart: UInt64
    let doors: String
    let scopes: [ScopeEntry]
    let hosts: [HostEntry]
    let rounds: [RoundEntry]

    init(_ snapshot: DaemonSnapshot) {
        version = snapshot.daemon.version
        pid = snapshot.daemon.pid
        uptimeSeconds = Double(snapshot.daemon.uptime) / 1e3
        level = "\(snapshot.daemon.level)"
        roundsSinceStart = snapshot.daemon.rounds
        doors = snapshot.daemon.doors
        scopes = snapshot.scopes.map(ScopeEntry.init)
        hosts = snapshot.hosts.map(HostEntry.init)
        rounds = snapshot.rounds.map(RoundEntry.init)
    }

    func text(limit: Int) -> String {
        let uptime = Milliseconds(seconds: uptimeSeconds)
        return [
            """
            memwarnd \(version.escapedForDisplay), pid \(pid), up \(uptime), level \(level)
            \(doors.escapedForDisplay)
            """,
            scopeTable,
            hostTable(limit: limit),
            roundTable(limit: limit),
        ].joined(separator: "\n\n")
    }

    private var scopeTable: String {
        var table = Table([
            ("SCOPE", .left), ("LEVEL", .left), ("SINCE", .right), ("HOSTS", .right), ("STALLED", .right),
            ("WATCHED BY", .left), ("WHY", .left),
        ])
        for scope in scopes {
            table.add([
                scope.path.escapedForDisplay,
                scope.level,
                "\(Milliseconds(seconds: scope.secondsAtLevel))",
                "\(scope.hosts)",
                "\(Milliseconds(seconds: scope.someStallSeconds))",
                scope.rung
                    + (scope.windowSeconds > 0
                        ? " \(Milliseconds(seconds: scope.windowSeconds))" : ""),
                scope.rungReason.escapedForDisplay,
            ])
        }
        return "\(table)"
    }

    private func hostTable(limit: Int) -> String {
        guard !hosts.isEmpty else { return "no registered hosts" }
        var table = HostTable.make()
        for host in hosts.prefix(limit) { table.add(HostTable.cells(host)) }
        return "\(table)" + more(hosts.count, limit)
    }

    private func roundTable(limit: Int) -> String {
        guard !rounds.isEmpty else { return "no rounds yet" }
        var table = Table([
            ("ROUND", .right), ("AGO", .right), ("LEVEL", .left), ("SCOPE", .left), ("WHY", .left), ("HOSTS", .right),
            ("ANSWERED", .right), ("SILENT", .right), ("RELEASED", .right), ("TOOK", .right),
        ])
        for round in rounds.suffix(limit) {
            table.add([
                "\(round.id)",
                "\(Milliseconds(seconds: round.ageSeconds))",
                round.level,
                round.scope.escapedForDisplay,
                round.why,
                "\(round.hosts)",
                round.answerWanted ? "\(round.answered)" : "",
                round.answerWanted ? "\(round.silent + round.undeliverable)" : "",
                round.answerWanted ? "\(ByteCount(round.releasedBytes))" : "",
                round.state == "running"
                    ? "running" : "\(Milliseconds(seconds: round.durationSeconds))",
            ])
        }
        return "\(table)" + more(rounds.count, limit)
    }

    private func more(_ count: Int, _ limit: Int) -> String {
        count > limit ? "\n… and \(count - limit) more, see --limit or --json" : ""
    }
}

extension RoundEntry {
    /// The reason of a warning, or that the pressure is over or fell.
    var why: String {
        (answerWanted ? reason.text : level == "normal" ? "over" : "fell") + (repeated ? ", again" : "")
    }
}

extension ReasonEntry {
    /// `some 43.2%` or just `simulation`.
    var text: String {
        percent > 0 ? "\(source) \(Share.percent(percent))" : source
    }
}

/// The table of hosts that `status` and `simulate` share.
enum HostTable {
    static func make() -> Table {
        Table([
            ("HOST", .left), ("PID", .right), ("UID", .right), ("SCOPE", .left), ("LEVEL", .left),
            ("LAST ANSWER", .left),
            ("RELEASED", .right), ("RESIDENT", .left), ("TOOK", .right), ("ALLOCATOR", .left),
        ])
    }

    static func cells(_ host: HostEntry) -> [String] {
        let answered = [HostRecord.Outcome.answered.name, HostRecord.lateName].contains(host.outcome)
        return [
            host.name.escapedForDisplay,
            "\(host.pid)",
            "\(host.uid)",
            host.scope.escapedForDisplay,
            host.level,
            host.outcome,
            answered ? "\(ByteCount(host.releasedBytes))" : "",
            answered ? "\(ByteCount(host.residentBeforeBytes)) → \(ByteCount(host.residentAfterBytes))" : "",
            answered ? "\(Milliseconds(seconds: host.answerSeconds))" : "",
            host.allocator ?? "",
        ]
    }
}
