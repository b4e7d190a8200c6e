import ArgumentParser
import CLinux
import MemwarnProgram
import MemwarnProtocol

/// `memwarnd send`.
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a command to hosts by name, and show their answers.",
        discussion: """
            Passes the command to every registered host with that name, waits for the answers and prints each as it \
            comes. The program of a host decides which commands it has. Root, the daemon's own user and members of the \
            group memwarnd may command every host, other users their own.

            Exit codes: 0 every host performed it, 3 a host did not answer, 4 no such host, 5 every host answered, and \
            one failed, does not know the command or accepts none, 69 no daemon answers, 77 not permitted.

            Examples:
              memwarnd send gallery status
              memwarnd send --timeout 500 --json 7 reload thumbnails
            """
    )

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "The name of the hosts, or the id of one: a number is an id, see “status --json”.")
    var host: String

    @Argument(help: "The command.")
    var command: String

    @Argument(help: "The argument of the command.")
    var argument = ""

    @Option(
        help: ArgumentHelp(
            "Give up on hosts after this number of milliseconds; by default 5000, at most \(LongestDeadline.milliseconds).",
            valueName: "ms"
        )
    )
    var timeout: UInt32?

    @Flag(help: "Print JSON, when all have answered.")
    var json = false

    func validate() throws {
        guard TextLimit.name.contains(host.utf8.count) else {
            throw ValidationError("A host's name has 1 to \(TextLimit.name.upperBound) bytes.")
        }
        guard TextLimit.command.contains(command.utf8.count) else {
            throw ValidationError("A command's name has 1 to \(TextLimit.command.upperBound) bytes.")
        }
        guard TextLimit.text.contains(argument.utf8.count) else {
            throw ValidationError("An argument has at most \(TextLimit.text.upperBound) bytes.")
        }
        guard timeout ?? 0 <= LongestDeadline.milliseconds else {
            throw ValidationError("--timeout is at most \(LongestDeadline.milliseconds): the daemon waits no longer.")
        }
    }

    func run() {
        Failure.reported { () throws(Failure) in
            let client = try ControlClient(daemon)
            // “01” is no id, so a host may be called that.
            let id = UInt64(host).flatMap { "\($0)" == host ? $0 : nil }
            let target: Send.Target = id.map { .id($0) } ?? .name(host)
            let request = Send(to: target, CommandRequest(name: command, argument: argument), deadline: timeout ?? 0)
            let sequence = try client.request(.send(request))
            let answers = try answers(sequence, client)
            if json {
                try StandardOutput.print(JSONOutput.text(answers, onOneLine: false))
            } else {
                try StandardOutput.print(answers.summary)
            }
            return answers.code
        }
    }

    private func answers(_ sequence: UInt64, _ client: ControlClient) throws(Failure) -> CommandAnswers {
        var answers = CommandAnswers()
        while true {
            // The daemon waits at most a minute for its hosts.
            let frame = try client.receive(within: .seconds(65))
            guard frame.sequence == sequence else { continue }
            switch frame.message {
            case .commandRecord(let record):
                answers.records.append(record)
                guard !json else { continue }
                try StandardOutput.print(CommandAnswers.text(record))
            case .missed(let missed): answers.lost = missed.count
            case .end: return answers
            case .error(let refusal): throw Failure(refusal)
            default: continue
            }
        }
    }
}

/// The outcomes of a command, in JSON and in words.
struct CommandAnswers: Encodable {
    var records: [CommandRecord] = []
    /// The number of answers that the daemon could not send to this program.
    var lost: UInt64 = 0

    /// A line about the host and, indented, its answer: no host can forge the line of another.
    static func text(_ record: CommandRecord) -> String {
        let head = "\(record.name.escapedForDisplay) (pid \(record.pid)): \(record.outcome)"
        guard !record.text.isEmpty else { return head }
        let lines = record.text.split(separator: "\n", omittingEmptySubsequences: false)
        return ([head] + lines.map { "    \(String($0).escapedForDisplay)" }).joined(separator: "\n")
    }

    private func count(_ outcomes: CommandRecord.Outcome...) -> Int {
        records.count { outcomes.contains($0.outcome) }
    }

    var code: ExitStatus {
        if lost > 0 || count(.silent, .gone, .undeliverable) > 0 { return .silent }
        return count(.done) == records.count ? .done : .notEnough
    }

    var summary: String {
        "\(count(.done)) of \(counted(records.count + Int(clamping: lost), "host")) did it"
            + (lost > 0 ? "; \(counted(lost, "answer")) lost: this program was too slow to read them" : "")
    }

    enum CodingKeys: CodingKey {
        case hosts, lost
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(records.map(\.json), forKey: .hosts)
        try container.encode(lost, forKey: .lost)
    }
}
