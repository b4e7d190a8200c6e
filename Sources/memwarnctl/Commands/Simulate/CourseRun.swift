import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Systemd

/// Runs a course: one request for each step, each when the previous step is over.
///
/// A step is over when its time is over, its answers are in, and the records of its hosts are known. If a host misses
/// the deadline the run waits for it once more, to distinguish late hosts from silent ones.
final class CourseRun {
    /// How long the run waits for an answer of the daemon: a round takes a minute, and a warning in flight another.
    private static let patience = Duration.seconds(125)
    /// How long an interrupted run waits for the daemon: a round of normal has no answers, so it ends at once.
    private static let patienceAtEnd = Duration.seconds(2)
    /// How long the run waits for late hosts: as long as their deadline, within these bounds.
    ///
    /// With less, a host that needs some hundred milliseconds would be late in one run and silent in the next.
    private static let grace = Duration.seconds(1)...Duration.seconds(2)

    /// Called once at the end, with the steps so far and the reason if the course is incomplete.
    var ended: ([StepResult], Failure?) -> Void = { _, _ in }

    private let course: Course
    private let request: (PressureLevel) -> Simulate
    private let client: ControlClient
    private var timer: TimerSource?
    private var phase = Phase.before
    private var results: [StepResult] = []
    /// The hosts of the current step that are listed so far.
    private var hosts: [HostRecord] = []
    /// When the course began.
    private var start = MonotonicInstant.now
    /// When the current step began.
    private var began = MonotonicInstant.now
    private var isStopping = false

    /// The event that the run waits for.
    private enum Phase {
        /// The beginning.
        case before
        /// The end of the round that was requested with this number.
        case answers(UInt64)
        /// Hosts that did not answer in time.
        case lateAnswers(RoundRecord)
        /// The list of hosts that was requested with this number.
        case hosts(UInt64, RoundRecord)
        /// The end of the step's time.
        case hold
        /// The end of the round that announces normal after an interruption.
        case relief(UInt64)
        /// Nothing more.
        case over
    }

    /// Creates a run; `request` creates the request for a level.
    init(
        _ course: Course,
        over client: ControlClient,
        on loop: EventLoop,
        request: @escaping (PressureLevel) -> Simulate
    ) throws(SystemdError) {
        self.course = course
        self.client = client
        self.request = request
        timer = try loop.timer(accuracy: .milliseconds(1)) { [unowned self] in elapsed() }
    }

    /// Begins with the first step.
    func begin() {
        client.received = { [unowned self] in
            switch $0 {
            case .success(let frame): take(frame)
            case .failure(let failure): end(failure)
            }
        }
        start = .now
        beginStep()
    }

    /// Ends after the current step, as soon as the records of its hosts are known.
    func stop() {
        isStopping = true
        if case .hold = phase { end() }
    }

    /// Ends now; hosts that were told a raised level are told normal.
    func interrupt() {
        guard let last = lastLevel, last > .normal else { return end() }
        ask(.simulate(request(.normal))) { .relief($0) }
        if case .relief = phase { timer?.arm(after: Self.patienceAtEnd) }
    }

    /// Sends a request to the daemon, and waits for the reply.
    private func ask(_ message: Message, _ waiting: (UInt64) -> Phase) {
        timer?.arm(after: Self.patience)
        do throws(Failure) {
            phase = waiting(try client.request(message))
        } catch {
            end(error)
        }
    }

    private var lastLevel: PressureLevel? {
        switch phase {
        case .before, .over: nil
        case .answers, .lateAnswers, .hosts: course.steps[results.count].level
        case .hold, .relief: results.last?.step.level
        }
    }

    private func beginStep() {
        guard results.count < course.steps.count, !isStopping else { return end() }
        began = .now
        ask(.simulate(request(course.steps[results.count].level))) { .answers($0) }
    }

    private func take(_ frame: Frame) {
        switch (phase, frame.message) {
        case (.answers(frame.sequence), .round(let round)) where round.state == .finished: judge(round)
        case (.relief(frame.sequence), .round(let round)) where round.state == .finished: end()
        case (.relief(frame.sequence), .error): end()
        case (.answers(frame.sequence), .error(let refusal)), (.hosts(frame.sequence, _), .error(let refusal)):
            end(Failure(refusal))
        case (.hosts(frame.sequence, let round), .host(let host)):
            if host.lastRound == round.id { hosts.append(host) }
        case (.hosts(frame.sequence, let round), .end(let page)):
            page.next > 0 ? list(round, after: page.next) : note(round)
        default: break
        }
    }

    private func judge(_ round: RoundRecord) {
        guard round.silent > 0 else { return list(round) }
        phase = .lateAnswers(round)
        let taken = Duration.microseconds(Int64(clamping: round.duration))
        timer?.arm(after: min(max(taken, Self.grace.lowerBound), Self.grace.upperBound))
    }

    private func list(_ round: RoundRecord, after: UInt64 = 0) {
        ask(.query(Query(section: .hosts, after: after))) { .hosts($0, round) }
    }

    private func note(_ round: RoundRecord) {
        let step = course.steps[results.count]
        results.append(StepResult(step: step, began: start.duration(to: began), round: round, hosts: hosts))
        hosts = []
        guard !isStopping else { return end() }
        phase = .hold
        timer?.arm(after: step.hold - began.duration(to: .now))
    }

    private func elapsed() {
        switch phase {
        case .lateAnswers(let round): list(round)
        case .hold: beginStep()
        default: end(.unavailable("the daemon does not answer"))
        }
    }

    private func end(_ failure: Failure? = nil) {
        if case .over = phase { return }
        phase = .over
        timer?.disarm()
        ended(results, failure)
    }
}
