import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Systemd
import WarningPolicy

/// `memwarnd simulate --standalone`: a daemon and a program, a course, and the end of both.
final class StandaloneRun {
    /// The time for a program that does not report its progress: to end by itself after it has left the daemon, or to
    /// react to a warning that it cannot answer.
    private static let linger = Duration.seconds(1)

    /// The event that the run waits for.
    private enum Phase {
        /// Enough hosts.
        case registering
        /// The hosts load their data.
        case settling
        /// The course's end.
        case running
        /// The program ends by itself, after its hosts have left during the course, or reacts to the last warning.
        case lingering([StepResult], Failure?)
        /// The end of the program, and then of the daemon.
        case ending
    }

    private let loop: EventLoop
    private let server: PrivateDaemon
    private let options: StandaloneOptions
    /// The number of steps of the course.
    private let planned: Int
    private let client: ControlClient
    private let run: CourseRun
    private let command: SpawnedCommand
    private var timer: TimerSource?
    private let interruption: Interruption
    private var phase = Phase.registering
    /// The number of the daemon's hosts at the last query.
    private var hostCount = 0
    /// Whether a query is under way, and whether another has to follow it.
    private var isCounting = false
    private var isRecountDue = false
    private var report: SimulationReport

    /// Runs a program and the course, and returns the exit code.
    static func run(
        _ course: Course,
        _ simulation: SimulationOptions,
        _ options: StandaloneOptions,
        _ arguments: [String]
    ) throws -> ExitStatus {
        // Standard output is the program's.
        let output = try ReportOutput(json: simulation.json, words: STDERR_FILENO)
        // Written once the program, the daemon and its folder are gone: if no process reads standard output any more, this
        // process ends there.
        let (report, code) = try StandaloneRun(course, simulation, options, arguments).serve()
        let unwritten = output.write(report, report.failure, hasNews: !report.steps.isEmpty)
        return code ?? unwritten ?? report.code
    }

    private init(
        _ course: Course,
        _ simulation: SimulationOptions,
        _ options: StandaloneOptions,
        _ arguments: [String]
    ) throws {
        self.options = options
        report = SimulationReport(steps: [], expected: simulation.expected)
        planned = course.steps.count
        loop = try EventLoop()
        interruption = try Interruption(on: loop)
        server = try PrivateDaemon(on: loop)
        client = try server.connect()
        // This precedes any registration of the program: the daemon reports new hosts to subscribers, and confirms the
        // subscription.
        try client.request(.subscribe)
        _ = try client.receive()
        run = try CourseRun(course, over: client, on: loop, request: simulation.request)
        command = try SpawnedCommand(arguments, environment: server.environment, on: loop)
        timer = try loop.timer(accuracy: .milliseconds(1)) { [unowned self] in elapsed() }
        interruption.first = { [unowned self] in interrupt() }
        interruption.again = { [unowned self] in
            command.signal(SIGKILL)
            server.process.signal(SIGKILL)
        }
        command.ended = { [unowned self] in commandEnded($0) }
        server.process.ended = { [unowned self] in daemonEnded($0) }
        run.ended = { [unowned self] in courseEnded($0, $1) }
    }

    /// Runs the course; returns the report, and the exit code of an interruption.
    private func serve() throws -> (SimulationReport, ExitStatus?) {
        client.received = { [unowned self] in
            if case .success(let frame) = $0 { take(frame.message) }
        }
        try client.listen(on: loop)
        timer?.arm(after: options.timeout ?? .seconds(30))
        _ = try loop.run()
        return (report, interruption.code)
    }

    // MARK: Events

    /// Handles the daemon's messages before the course begins.
    private func take(_ message: Message) {
        switch message {
        // Some records may have been dropped: the daemon itself knows the number of hosts.
        case .host, .missed: count()
        case .daemon(let record):
            hostCount = Int(record.hosts)
            isCounting = false
            if isRecountDue { count() }
            settle()
        default: break
        }
    }

    private func count() {
        isRecountDue = isCounting
        guard !isCounting else { return }
        isCounting = true
        // A daemon that accepts no requests is about to end, which is detected separately.
        _ = try? client.request(.query(Query(section: .daemon)))
    }

    private func settle() {
        guard case .registering = phase, hostCount >= options.hosts ?? 1 else { return }
        phase = .settling
        timer?.arm(after: options.settle ?? .seconds(1))
    }

    private func elapsed() {
        switch phase {
        case .registering:
            let wanted = options.hosts ?? 1
            let time = Milliseconds(microseconds: (options.timeout ?? .seconds(30)).microseconds)
            let sentence = """
                \(hostCount) of \(counted(wanted, "host")) registered within \(time); \
                does the program run a ControllerHost, and pass MEMWARND_SOCKET on to its children?
                """
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
            let hosts = hostCount > 0 ? "\(counted(hostCount, "host")) registered" : "no host is registered"
            let sentence = "the program \(end.sentence) before it was warned: \(hosts)"
            fail(Failure(message: sentence, code: command.failureCode ?? .noHost))
        case .running:
            // Its warning is answered, or the run will find out that it is not.
            run.stop()
        case .lingering(let steps, _): conclude(steps, nil)
        case .ending: self.end()
        }
    }

    private func daemonEnded(_ end: ProcessEnd) {
        switch phase {
        case .registering, .settling: fail(.software("the daemon of this simulation \(end.sentence)"))
        // The daemon no longer answers, which the course detects.
        case .running, .lingering: break
        case .ending: self.end()
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
        case .registering, .settling: finish([], nil)
        case .running: run.interrupt()
        case .lingering(let steps, _): finish(steps, nil)
        case .ending: end()
        }
    }

    // MARK: The end

    private func conclude(_ steps: [StepResult], _ failure: Failure?) {
        var failure = failure
        if let end = command.end {
            if let own = command.failureCode {
                failure = Failure(message: "the program \(end.sentence)", code: own)
            } else if steps.count < planned, failure?.code ?? .noHost == .noHost {
                let sentence = "the program \(end.sentence) after \(steps.count) of \(planned) steps of the course"
                failure = Failure(message: sentence, code: .noHost)
            }
        }
        finish(steps, failure)
    }

    private func fail(_ failure: Failure) { finish([], failure) }

    private func finish(_ steps: [StepResult], _ failure: Failure?) {
        let failure = interruption.failure ?? failure
        report = SimulationReport(steps: steps, expected: report.expected, failure: failure)
        end()
    }

    /// Ends the program, then the daemon, and then the loop.
    private func end() {
        phase = .ending
        timer?.disarm()
        for process in [command, server.process] where process.end == nil {
            if !process.isEnding { process.stop() }
            return
        }
        loop.exit(code: 0)
    }
}
