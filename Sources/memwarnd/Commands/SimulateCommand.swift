import ArgumentParser
import MemoryPressure
import MemwarnProtocol

/// `memwarnd simulate`.
struct SimulateCommand: ParsableCommand {
    /// The exit code if a host did not answer.
    static let silent: CInt = 3
    /// The exit code if no host was meant.
    static let nobody: CInt = 4

    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Warn hosts as if memory were short, and show what they gave back.",
        discussion: """
            Sends the same warning that pressure would, marked as simulated, waits for the answers and prints them. \
            Root and the daemon's own user may warn every host, other users their own.

            Exit codes: 0 every host answered, 3 a host stayed silent, 4 no such host, 69 no daemon answers, \
            77 not permitted.

            Examples:
              memwarnd simulate --level warning
              memwarnd simulate --level critical --host gallery --json
            """
    )

    @OptionGroup var daemon: DaemonOptions

    @Option(
        help: ArgumentHelp("What to say: normal, warning or critical.", valueName: "level"),
        transform: { text in
            guard let level = PressureLevel(text) else {
                throw ValidationError("“\(text)” is no level; say normal, warning or critical.")
            }
            return level
        }
    )
    var level: PressureLevel

    @Option(help: ArgumentHelp("Only hosts with this name.", valueName: "name"))
    var host: String?

    @Option(help: ArgumentHelp("Only the host with this process id.", valueName: "pid"))
    var pid: UInt32?

    @Option(help: ArgumentHelp("Ask each host for so many bytes.", valueName: "bytes"))
    var want: UInt64 = 0

    @Option(
        help: ArgumentHelp(
            "Count hosts silent after so many milliseconds, instead of the daemon's own deadline.",
            valueName: "ms"
        )
    )
    var deadline: UInt32 = 0

    @Flag(help: "Print JSON: bytes and seconds as numbers.")
    var json = false

    func validate() throws {
        guard host == nil || pid == nil else { throw ValidationError("Name a host or a process id, not both.") }
        if let host, !TextLimit.name.contains(host.utf8.count) {
            throw ValidationError("A host's name has 1 to \(TextLimit.name.upperBound) bytes.")
        }
    }

    func run() {
        Failure.reported { () throws(Failure) in
            var client = try ControlClient(daemon)
            let target: Simulate.Target = host.map { .name($0) } ?? pid.map { .pid($0) } ?? .all
            let request = Simulate(level: level, target: target, bytesWanted: want, deadline: deadline)
            let sequence = try client.request(.simulate(request))
            let round = try waitForRound(sequence, client)
            let hosts: [HostEntry] = try client.list(.hosts).compactMap {
                guard case .host(let record) = $0, record.lastRound == round.id else { return nil }
                return HostEntry(record)
            }
            let outcome = Outcome(round: RoundEntry(round), hosts: hosts)
            print(json ? JSONOutput.text(outcome, onOneLine: false) : outcome.text)
            return round.answered == round.hosts ? 0 : Self.silent
        }
    }

    private func waitForRound(_ sequence: UInt64, _ client: borrowing ControlClient) throws(Failure) -> RoundRecord {
        while true {
            // A round takes a minute and a warning that is in flight at most.
            let frame = try client.receive(within: .seconds(125))
            guard frame.sequence == sequence else { continue }
            switch frame.message {
            case .round(let record) where record.state == .finished: return record
            case .error(let refusal): throw Failure(refusal)
            default: continue
            }
        }
    }
}

private struct Outcome: Encodable {
    let round: RoundEntry
    let hosts: [HostEntry]

    var text: String {
        var table = HostTable.make()
        for host in hosts { table.add(HostTable.cells(host)) }
        return """
            \(table)

            \(round.answered) of \(round.hosts) hosts answered in \
            \(Milliseconds(seconds: round.durationSeconds)), \
            \(ByteCount(round.releasedBytes)) released, resident memory down by \(ByteCount(round.residentFreedBytes))
            """
    }
}
