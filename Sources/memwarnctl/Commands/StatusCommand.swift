import ArgumentParser
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

/// `memwarnd status`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show levels, registered hosts and the last rounds.",
        discussion: """
            Scopes are the machine (/) and the cgroups of registered hosts. The rung tells how a scope is watched: a \
            privileged trigger reports 50 ms of stalls, a trigger reports 200 ms in 2 s, polling reads every 2 s.

            Exit codes: 0 shown, 69 no daemon answers, 77 not permitted.
            """
    )

    @OptionGroup var daemon: DaemonOptions

    @Flag(help: "Print JSON: bytes, seconds and percent as numbers.")
    var json = false

    @Option(help: ArgumentHelp("Show at most this number of hosts, and of rounds.", valueName: "count"))
    var limit = 20

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit takes a number from 0 on.") }
    }

    func run() {
        Failure.reported { () throws(Failure) in
            let client = try ControlClient(daemon)
            let snapshot = try DaemonSnapshot(from: client)
            try StandardOutput.print(
                json ? JSONOutput.text(snapshot.json, onOneLine: false) : snapshot.text(limit: limit)
            )
            return .done
        }
    }
}

// A snapshot as `status` shows it.
extension DaemonSnapshot {
    var json: JSONObject {
        var json = JSONObject(daemon)
        json.rename("rounds", to: "roundsSinceStart")
        // This replaces the number of scopes.
        json["scopes"] = .list(scopes.map(\.json))
        json["hosts"] = .list(hosts.map(\.json))
        json["rounds"] = .list(rounds.map(\.json))
        return json
    }

    fileprivate func text(limit: Int) -> String {
        let uptime = Milliseconds(milliseconds: daemon.uptime)
        return [
            """
            memwarnd \(daemon.version.escapedForDisplay), pid \(daemon.pid), up \(uptime), level \(daemon.level)
            \(daemon.doors.escapedForDisplay)
            """ + (daemon.refusal.isEmpty ? "" : "\n\(daemon.refusal.escapedForDisplay)"),
            scopeTable,
            hostTable(limit: limit),
            roundTable(limit: limit),
        ].joined(separator: "\n\n")
    }

    private var scopeTable: String {
        var table = Table([
            .left("SCOPE"), .left("LEVEL"), .right("SINCE"), .right("HOSTS"), .right("STALLED"),
            .left("WATCHED BY"), .left("WHY"),
        ])
        for scope in scopes {
            table.add([
                scope.path.escapedForDisplay,
                "\(scope.level)",
                "\(Milliseconds(milliseconds: scope.since))",
                "\(scope.hosts)",
                "\(Milliseconds(microseconds: scope.someTotal))",
                scope.watch,
                scope.rungReason.escapedForDisplay,
            ])
        }
        return table.text
    }

    private func hostTable(limit: Int) -> String {
        guard !hosts.isEmpty else { return "no registered hosts" }
        return Table(hosts: hosts.prefix(limit)).text + more(hosts.count, limit)
    }

    private func roundTable(limit: Int) -> String {
        guard !rounds.isEmpty else { return "no rounds yet" }
        var table = Table([
            .right("ROUND"), .right("AGO"), .left("LEVEL"), .left("SCOPE"), .left("WHY"), .right("HOSTS"),
            .right("ANSWERED"), .right("SILENT"), .right("RELEASED"), .right("TOOK"),
        ])
        for round in rounds.suffix(limit) {
            let answerWanted = round.options.contains(.answerWanted)
            table.add([
                "\(round.id)",
                "\(Milliseconds(milliseconds: round.age))",
                "\(round.level)",
                round.scope.escapedForDisplay,
                round.why,
                "\(round.hosts)",
                answerWanted ? "\(round.answered)" : "",
                answerWanted ? "\(round.unanswered)" : "",
                answerWanted ? "\(ByteCount(round.released))" : "",
                round.state == .running ? "running" : "\(Milliseconds(microseconds: round.duration))",
            ])
        }
        return table.text + more(rounds.count, limit)
    }

    private func more(_ count: Int, _ limit: Int) -> String {
        count > limit ? "\n… and \(count - limit) more, see --limit or --json" : ""
    }
}

extension Table {
    /// The table of hosts that `status` and `simulate` share.
    init(hosts: some Sequence<HostRecord>) {
        self.init([
            .left("HOST"), .right("PID"), .right("UID"), .left("SCOPE"), .left("LEVEL"),
            .left("LAST ANSWER"),
            .right("RELEASED"), .left("RESIDENT"), .right("TOOK"), .left("ALLOCATOR"),
        ])
        for host in hosts {
            let answered = host.outcome == .answered || host.isLate
            add([
                host.name.escapedForDisplay,
                "\(host.pid)",
                "\(host.uid)",
                host.scope.escapedForDisplay,
                "\(host.level)",
                host.outcomeName,
                answered ? "\(ByteCount(host.released))" : "",
                answered ? host.residentChange : "",
                answered ? "\(Milliseconds(microseconds: host.duration))" : "",
                host.allocator.name ?? "",
            ])
        }
    }
}
