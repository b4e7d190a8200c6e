import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// `memwarnd simulate --standalone`: a daemon and a program, a course, and the end of both; all on the daemon's loop.
final class StandaloneRun {
    /// How long a program may take that does not say how far it is: to end by itself after it has left the daemon, or to
    /// do something about a warning to which it cannot answer.
    private static let linger = Duration.seconds(1)

    /// What is waited for.
    private enum Phase {
        /// Enough hosts.
        case registering
        /// The hosts, to load what they hold.
        case settling
        /// The course's end.
        case running
        /// The program's end by itself, after its hosts have left in the middle of the course, or what it does about the
        /// last warning.
        case lingering([StepResult], Failure?)
        /// The program's end.
        case ending
    }

    private let server: PrivateDaemon
    private let options: StandaloneOptions
    private let expected: UInt64?
    private let output: ReportOutput
    private let client: ControlClient
    private let run: CourseRun
    private let command: SpawnedCommand
    private var timer: TimerSource?
    private let interruption: Interruption
    private var phase = Phase.registering
    private var code = ExitStatus.done

    /// Runs a program and the course, and returns the exit code.
    static func run(
        _ course: Course,
        _ simulation: SimulationOptions,
        _ options: StandaloneOptions,
        _ arguments: [String]
    ) throws -> ExitStatus {
        let run = try StandaloneRun(course, simulation, options, arguments)
        return try run.serve()
    }

    private init(
        _ course: Course,
        _ simulation: SimulationOptions,
        _ options: StandaloneOptions,
        _ arguments: [String]
    ) throws {
        // Standard output is the program's.
        output = try ReportOutput(json: simulation.json, words: STDERR_FILENO)
        self.options = options
        expected = simulation.expected
        server = try PrivateDaemon()
        let loop = server.daemon.loop
        interruption = try Interruption(on: loop)
        client = try ControlClient(FrameSocket(connectingTo: server.path))
        run = try CourseRun(course, over: client, on: loop, request: simulation.request)
        command = try SpawnedCommand(arguments, environment: server.environment, on: loop)
        timer = try loop.timer(accuracy: .milliseconds(1)) { [unowned self] in elapsed() }
        interruption.first = { [unowned self] in interrupt() }
        interruption.again = { [unowned self] in command.signal(SIGKILL) }
        command.ended = { [unowned self] in commandEnded($0) }
        run.ended = { [unowned self] in courseEnded($0, $1) }
    }

    private func serve() throws -> ExitStatus {
        // Before the program can have registered: a host that comes is told of to those who asked.
        try client.request(.subscribe)
        client.received = { [unowned self] in
            if case .success(let frame) = $0, case .host = frame.message { countHosts() }
        }
        try client.listen(on: server.daemon.loop)
        timer?.arm(after: options.timeout ?? .seconds(30))
        _ = try server.daemon.loop.run()
        server.daemon.log.flush()
        return interruption.code ?? code
    }

    // MARK: What happens

    private var hostCount: Int { server.daemon.policy.hosts.count }

    private func countHosts() {
        guard case .registering = phase, hostCount >= options.hosts ?? 1 else { return }
        phase = .settling
        timer?.arm(after: options.settle ?? .seconds(1))
    }

    private func elapsed() {
        switch phase {
        case .registering:
            let wanted = options.hosts ?? 1
            let time = Milliseconds(microseconds: (options.timeout ?? .seconds(30)).microseconds)
            let sentence = "\(hostCount) of \(wanted) hosts registered within \(time)"
            fail(Failure(message: sentence, code: .noHost))
        case .settling:
            phase = .running
            run.begin()
        case .lingering(let steps, let failure): conclude(steps, failure)
        case .running, .ending: break
        }
    }

    private func commandEnded(_ end: ProcessEnd) {
        switch phase {
        case .registering, .settling:
            let sentence = "the program \(end.sentence) before it was warned: \(hostCount) of its hosts registered"
            fail(Failure(message: sentence, code: command.failureCode ?? .noHost))
        case .running:
            // What it was told is answered, or will be found out not to be.
            run.stop()
        case .lingering(let steps, _): conclude(steps, nil)
        case .ending: server.daemon.loop.exit(code: 0)
        }
    }

    private func courseEnded(_ steps: [StepResult], _ failure: Failure?) {
        // Hosts that have left may be those of a program that is about to end, which is its right.
        let haveLeft = failure?.code == .noHost && !steps.isEmpty
        let cannotAnswer =
            failure == nil && interruption.code == nil && steps.contains { $0.round.unacknowledged > 0 }
        guard haveLeft || cannotAnswer else { return conclude(steps, failure) }
        guard command.end == nil else { return conclude(steps, nil) }
        phase = .lingering(steps, failure)
        timer?.arm(after: Self.linger)
    }

    private func interrupt() {
        switch phase {
        case .running: run.interrupt()
        default: end()
        }
    }

    // MARK: The end

    private func conclude(_ steps: [StepResult], _ failure: Failure?) {
        var failure = failure
        if let own = command.failureCode, let end = command.end {
            failure = Failure(message: "the program \(end.sentence)", code: own)
        }
        report(SimulationReport(steps: steps, expected: expected, failure: failure))
    }

    private func fail(_ failure: Failure) {
        report(SimulationReport(steps: [], expected: expected, failure: failure))
    }

    private func report(_ report: SimulationReport) {
        code = output.write(report, report.failure, hasNews: !report.steps.isEmpty) ?? report.code
        end()
    }

    private func end() {
        phase = .ending
        timer?.disarm()
        guard command.end == nil else { return server.daemon.loop.exit(code: 0) }
        command.stop()
    }
}
