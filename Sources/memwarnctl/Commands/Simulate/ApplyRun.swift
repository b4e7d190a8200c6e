import CLinux
import MemoryPressure
import MemwarnProgram
import Systemd

/// `memwarnd simulate --apply`: a cgroup in which memory is short, with a program in it or without.
final class ApplyRun {
    /// How long a cgroup may take to be empty after its last process has ended.
    private static let emptying = Duration.seconds(2)
    /// The time to write the file that is read, on a slow disk, in addition to the time of reading.
    private static let filling = Duration.seconds(60)

    /// The event that the run waits for.
    private enum Phase {
        /// The program loads its data.
        case settling
        /// The end of the pressure.
        case pressing
        /// The ends of all children.
        case ending
        /// The cgroup becomes empty, at the latest at this time.
        case removing(until: MonotonicInstant)
    }

    private let loop: EventLoop
    private let cgroup: PressureCgroup
    private let memory: UInt64
    private let time: Duration
    private let before: PressureStall?
    private var command: SpawnedCommand?
    private var thrash: SpawnedCommand?
    private var timer: TimerSource?
    private let interruption: Interruption
    private var phase = Phase.settling
    private var code = ExitStatus.done
    private var report: ApplyReport?
    private var failure: Failure?

    /// Makes memory short, and returns the exit code.
    static func run(
        _ options: ApplyOptions,
        settle: Duration?,
        json: String?,
        _ arguments: [String]
    ) throws -> ExitStatus {
        let output = try ReportOutput(json: json, words: arguments.isEmpty ? STDOUT_FILENO : STDERR_FILENO)
        let run = try ApplyRun(options, arguments)
        run.timer?.arm(after: arguments.isEmpty ? .zero : settle ?? .seconds(1))
        _ = try run.loop.run()
        // Written once the program and the cgroup are gone, like that of ``StandaloneRun``.
        let unwritten = run.report.flatMap { output.write($0, run.failure, hasNews: true) }
        return run.interruption.code ?? unwritten ?? run.code
    }

    private init(_ options: ApplyOptions, _ arguments: [String]) throws {
        memory = options.memory ?? 48 << 20
        time = options.time ?? .seconds(10)
        loop = try EventLoop()
        interruption = try Interruption(on: loop)
        cgroup = try PressureCgroup(limit: memory)
        before = cgroup.stalls
        timer = try loop.timer(accuracy: .milliseconds(1)) { [unowned self] in elapsed() }
        interruption.first = { [unowned self] in end() }
        interruption.again = { [unowned self] in
            command?.signal(SIGKILL)
            thrash?.signal(SIGKILL)
        }
        guard !arguments.isEmpty else { return }
        command = try spawn(["--"] + arguments)
        command?.ended = { [unowned self] _ in commandEnded() }
    }

    /// Starts a child that joins the cgroup before anything else.
    private func spawn(_ arguments: [String]) throws -> SpawnedCommand {
        let cgroups = cgroup.directories.flatMap { ["--cgroup", $0] }
        return try SpawnedCommand(["/proc/self/exe", "confined"] + cgroups + arguments, on: loop)
    }

    // MARK: Events

    private func elapsed() {
        switch phase {
        case .settling: press()
        case .pressing: fail("memory could not be made short in time: the disk is too slow")
        case .ending: break
        case .removing(let until): remove(until: until)
        }
    }

    private func press() {
        phase = .pressing
        do {
            // Twice the size that fits: every other page that is read has been evicted.
            thrash = try spawn(["--thrash", "\(memory * 2)", "--milliseconds", "\(time.milliseconds)"])
            thrash?.ended = { [unowned self] in thrashEnded($0) }
            timer?.arm(after: time + Self.filling)
        } catch {
            fail("\(error)")
        }
    }

    private func thrashEnded(_ end: ProcessEnd) {
        guard case .pressing = phase else { return self.end() }
        guard end == .exited(code: 0) else {
            return fail("memory could not be made short: what was to do it \(end.sentence)")
        }
        let report = ApplyReport(cgroup.directories.last ?? "", memory, time, from: before, to: cgroup.stalls)
        if report.someStallSeconds == 0 {
            failure = .software("the kernel counted no stalls: the disk is too fast, or /var/tmp is in memory itself")
        }
        self.report = report
        code = failure?.code ?? .done
        self.end()
    }

    private func commandEnded() {
        guard let command, let end = command.end else { return }
        if let own = command.failureCode {
            code = own
            Failure.say("the program \(end.sentence)")
            return self.end()
        }
        switch phase {
        case .settling: fail("the program \(end.sentence) before memory was made short")
        // It may end by itself; the report gives the pressure nevertheless.
        case .pressing: break
        case .ending, .removing: self.end()
        }
    }

    private func fail(_ sentence: String) {
        code = .failed
        Failure.say(sentence)
        end()
    }

    // MARK: The end

    /// Ends the children, and continues when they have ended.
    private func end() {
        if case .removing = phase { return }
        phase = .ending
        timer?.disarm()
        let running = [command, thrash].compactMap(\.self).filter { $0.end == nil }
        for child in running where !child.isEnding { child.stop() }
        guard running.isEmpty else { return }
        remove(until: .now.advanced(by: Self.emptying))
    }

    private func remove(until: MonotonicInstant) {
        phase = .removing(until: until)
        guard !cgroup.remove() else { return loop.exit(code: 0) }
        guard MonotonicInstant.now < until else {
            code = code == .done ? .failed : code
            Failure.say("cannot remove \(cgroup.directories.joined(separator: " and ")): something still lives there")
            return loop.exit(code: 0)
        }
        timer?.arm(after: .milliseconds(10))
    }
}
