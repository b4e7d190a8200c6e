import ArgumentParser
import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Systemd

/// `memwarnd simulate`.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Warn hosts as if memory were short, and show what they gave back.",
        discussion: """
            Sends the same warnings that pressure would, marked as simulated, waits for the answers and prints them. \
            Root, the daemon's own user and members of the group memwarnd may warn every host, other users their own.

            A course is a sequence of levels with their minimum durations: warning:2s,critical:2s,normal. storm rises, \
            repeats warning once and critical several times, and ends, in 5 s; flap rises and falls ten times in 4 s. An interrupted \
            course ends with normal.

            --standalone needs neither a daemon nor root: the program after -- runs with a private daemon, is warned \
            the time of --settle after it has registered, and is then ended. The report goes to standard error in this case.

            With --apply nothing is simulated: memory is made short in a separate cgroup, into which the program after \
            -- is put, and every observer sees real pressure. That requires the right to create cgroups.

            Exit codes, of a course the worst: 0 every host that can answer did so, 1 no stalls with --apply, or the \
            daemon refused a step, 3 a host stayed silent, 4 there was no host to warn, or the program had ended, 5 \
            too little was released, 6 a host answered after the deadline, 64 the command line is wrong, 69 no daemon \
            answers, 73 or 74 the report or standard output cannot be written, 77 not permitted; 126 or 127 the \
            program cannot be started, its own if it fails, and 129, 130 or 143 interrupted by a signal.

            Examples:
              memwarnd simulate --level warning
              memwarnd simulate --course storm --host gallery --expect-freed 64M --json
              memwarnd simulate --standalone --level critical --expect-freed 64M -- \\
                ./service --port 0
              memwarnd simulate --apply --cgroup-memory 96M --for 10s -- ./service
            """
    )

    @OptionGroup var daemon: DaemonOptions
    @OptionGroup var simulation: SimulationOptions

    @Flag(inversion: .prefixedNo, help: "Wait for the answers, or return as soon as the daemon has sent the warnings.")
    var wait = true

    @OptionGroup(title: "Standalone") var standalone: StandaloneOptions
    @OptionGroup(title: "Real pressure") var apply: ApplyOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("With --standalone or --apply: the program to run, and its arguments.", valueName: "command")
    )
    var command: [String] = []

    func validate() throws {
        if apply.apply {
            let others = [
                (!wait, "--no-wait"), (daemon.socket != nil, "--socket"), (standalone.standalone, "--standalone"),
            ]
            let given = simulation.given + others.filter(\.0).map(\.1)
            guard given.isEmpty else {
                throw ValidationError("--apply goes without \(given.joined(separator: ", ")): nothing is simulated.")
            }
            return
        }
        guard standalone.standalone || standalone.settle == nil else {
            throw ValidationError("--settle goes with --standalone or --apply.")
        }
        guard let course = simulation.whole else { throw ValidationError("Give a --level or a --course.") }
        if standalone.standalone {
            guard !command.isEmpty else { throw ValidationError("Say after -- which program to run.") }
            guard wait, daemon.socket == nil, simulation.cgroup == nil else {
                throw ValidationError("--standalone goes without --no-wait, --socket and --cgroup.")
            }
        } else {
            guard command.isEmpty else { throw ValidationError("A program is run with --standalone or --apply only.") }
        }
        guard wait || course.steps.count == 1 && simulation.expected == ExpectedBytes() else {
            throw ValidationError("Without waiting there is one step, and nothing to expect.")
        }
    }

    func run() {
        Failure.reported { () throws(Failure) in
            try Failure.wrapping {
                // A closed pipe must not end this process before its children and what it made for them.
                if apply.apply || standalone.standalone { signal(SIGPIPE, SIG_IGN) }
                if apply.apply {
                    return try ApplyRun.run(apply, settle: standalone.settle, json: simulation.json, command)
                }
                guard let course = simulation.whole else { return .usage }
                if standalone.standalone {
                    return try StandaloneRun.run(course, simulation, standalone, command)
                }
                return wait ? try simulate(course) : try send(course.steps[0].level)
            }
        }
    }

    /// Runs a course with the running daemon.
    private func simulate(_ course: Course) throws -> ExitStatus {
        let output = try ReportOutput(json: simulation.json, words: STDOUT_FILENO)
        let loop = try EventLoop()
        let client = try ControlClient(daemon)
        let run = try CourseRun(course, over: client, on: loop, request: simulation.request)
        let interruption = try Interruption(on: loop)
        interruption.first = { run.interrupt() }
        interruption.again = { loop.exit(code: 0) }
        var code = ExitStatus.done
        run.ended = { steps, failure in
            let failure = interruption.failure ?? failure
            let report = SimulationReport(steps: steps, expected: simulation.expected, failure: failure)
            code = output.write(report, failure, hasNews: !steps.isEmpty) ?? report.code
            loop.exit(code: 0)
        }
        try client.listen(on: loop)
        run.begin()
        _ = try withExtendedLifetime((client, run, interruption)) { try loop.run() }
        return interruption.code ?? code
    }

    /// Warns hosts without waiting for their answers.
    private func send(_ level: PressureLevel) throws -> ExitStatus {
        let output = try ReportOutput(json: simulation.json, words: STDOUT_FILENO)
        let client = try ControlClient(daemon)
        let sequence = try client.request(.simulate(simulation.request(level)))
        while true {
            let frame = try client.receive()
            switch frame.message {
            case .round(let round) where frame.sequence == sequence:
                return output.write(SentReport(round), nil, hasNews: true) ?? .done
            case .error(let refusal): throw Failure(refusal)
            default: continue
            }
        }
    }
}

/// The report of warnings without waiting for answers.
struct SentReport: Encodable, CustomStringConvertible {
    private let round: JSONObject
    let description: String

    init(_ round: RoundRecord) {
        self.round = round.json
        description = "round \(round.id), \(round.level): \(counted(round.hosts, "host")) warned"
    }

    enum CodingKeys: CodingKey {
        case round
    }
}
