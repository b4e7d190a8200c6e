import MemoryPressure
import MemwarnProtocol
import Systemd

/// The rounds that are under way: sends warnings stage by stage, takes answers in, gives up on the silent.
///
/// One warning is in flight per host. A host that has not answered yet is told of the newest round when it does, or
/// when its deadline has passed; rounds in between are withdrawn from it. So nobody queues behind a slow host, and no
/// host reads about pressure that is long gone.
final class Rounds {
    private var running: [RunningRound] = []
    /// The number of the latest round; set before the first where the daemon takes over from another.
    var lastID: UInt64 = 0
    /// How long hosts have to answer, and how long a stage's effect takes to show.
    var configuration: Configuration
    private var timer: TimerSource?
    private var generator = SystemRandomNumberGenerator()

    /// All registered hosts.
    var hosts: () -> [Host] = { [] }
    /// Called when a round is over, from the loop or from within ``begin(_:_:)``.
    var finished: (Round) -> Void = { _ in }
    /// How the scope with this path stands now; `nil` if it cannot be looked at.
    var look: (String) -> ScopeLook? = { _ in nil }
    /// Called with the time that an answer took which came in time.
    var answered: (Duration) -> Void = { _ in }

    init(configuration: Configuration, loop: EventLoop) throws(SystemdError) {
        self.configuration = configuration
        // A millisecond late is no later to a host, and lets the kernel join wake-ups.
        timer = try loop.timer(accuracy: .milliseconds(1)) { [unowned self] in elapse(at: .now) }
    }

    /// How many rounds there were.
    var count: UInt64 { lastID }
    /// The rounds that are under way.
    var underWay: [Round] { running.map(\.round) }

    /// What a round is about.
    struct Cause {
        var level: PressureLevel
        var options: WarningOptions
        var reason: PressureReason
        var scope: String
        var bytesWanted: UInt64 = 0
        /// The configured one, unless somebody asked for another.
        var deadline: Duration?
        /// The share of time in which tasks stalled, and what was used of the limit, before anybody was warned.
        var stallsBefore = Share.zero
        var usedBefore: UInt64 = 0
    }

    /// Warns hosts; returns once the first of them are sent their packets, which at critical is all of them.
    ///
    /// - Returns: the round as it stands then; it is over already where there is nobody to wait for.
    @discardableResult
    func begin(_ cause: Cause, _ targets: [Target]) -> Round {
        lastID += 1
        let isReal = !cause.options.contains(.simulated)
        let plan = StagePlan(
            targets.map { $0.candidate },
            // Whoever tries something out wants everybody's answer, and nobody waits for the news that it is over.
            level: isReal ? cause.level : .critical,
            wanted: isReal ? cause.bytesWanted : 0
        )
        var round = Round(
            id: lastID,
            level: cause.level,
            options: cause.options,
            reason: cause.reason,
            scope: cause.scope,
            bytesWanted: cause.bytesWanted,
            deadline: cause.deadline ?? configuration.deadline(of: cause.level),
            at: .now
        )
        round.stages = max(1, plan.stages.count)
        round.stallsBefore = cause.stallsBefore
        round.usedBefore = cause.usedBefore
        if isReal { curtail(round.scope) }
        let stages = plan.stages.map { stage in
            stage.map { index in
                // Simulated, everybody is asked for what was asked for.
                let wanted = isReal ? plan.bytesWanted[index] : cause.bytesWanted
                return RunningRound.Recipient(host: targets[index].host, bytesWanted: wanted)
            }
        }
        var entry = RunningRound(round: round, stages: stages)
        if !stages.isEmpty { entry.beginStage() }
        running.append(entry)
        sendSlice(of: round.id)
        let over = advance().first { $0.id == round.id }
        return over ?? running.first { $0.round.id == round.id }?.round ?? round
    }

    /// A host to warn, and where it stands to the pressure.
    struct Target {
        let host: Host
        var ring = StagePlan.Ring.inside

        var candidate: StagePlan.Candidate {
            StagePlan.Candidate(ring: ring, priority: host.priority, releasable: host.releasable)
        }
    }

    /// Takes in an answer; one that comes too late is noted, but its round stays as it was counted.
    func answer(_ host: Host, round id: UInt64, _ answer: Acknowledgement) {
        guard let delivery = host.delivery, delivery.round == id, delivery.answer == nil else { return }
        host.releasable = answer.releasable
        host.delivery?.answer = answer
        guard host.isAwaited else { return }
        host.delivery?.outcome = .answered
        let time = delivery.sent.duration(to: .now)
        update(id) { $0.answer(answer, after: time) }
        answered(time)
        pay(host)
        advance()
    }

    /// A host is gone: whatever it still owed an answer to does not wait for it.
    func leave(_ host: Host) {
        if let owed = host.owed {
            host.owed = nil
            update(owed.round.id) { $0.withdraw() }
        }
        if host.isAwaited, let id = host.delivery?.round {
            host.delivery?.outcome = .silent
            update(id) { $0.silence() }
        }
        for index in running.indices { running[index].forget(host) }
        advance()
    }

    // MARK: Telling

    private func sendSlice(of id: UInt64) {
        guard let index = running.firstIndex(where: { $0.round.id == id }) else { return }
        let slice = running[index].takeSlice()
        var round = running[index].round
        WarningPacket.with(round) { packet in
            let now = MonotonicInstant.now
            for recipient in slice { tell(recipient, &round, packet, at: now) }
            round.extend(from: now)
        }
        running[index].round = round
        running[index].next =
            running[index].slices.isEmpty ? nil : .now.advanced(by: StagePlan.pause(using: &generator))
    }

    private func tell(
        _ recipient: RunningRound.Recipient,
        _ round: inout Round,
        _ packet: WarningPacket,
        at now: MonotonicInstant
    ) {
        let host = recipient.host
        round.address()
        if !round.options.contains(.simulated) { giveUpSimulation(host) }
        guard !host.isAwaited else { return owe(recipient, &round) }
        packet.ask(for: recipient.bytesWanted)
        send(packet, of: &round, to: host, at: now)
    }

    /// What really happens does not wait for the answer to somebody who tries something out.
    private func giveUpSimulation(_ host: Host) {
        guard host.isAwaited, let flying = running.first(where: { $0.round.id == host.delivery?.round })?.round,
            flying.options.contains(.simulated)
        else { return }
        host.delivery?.outcome = .silent
        update(flying.id) { $0.silence() }
    }

    /// Puts a round off until the warning in flight is answered, or given up at the latest.
    ///
    /// That holds for rounds that want no answer as well: otherwise a relief would overtake the warning before it, and
    /// the host would hear of the pressure after it was told of its end.
    private func owe(_ recipient: RunningRound.Recipient, _ round: inout Round) {
        let host = recipient.host
        if let owed = host.owed?.round {
            // What really happens is not lost to somebody who tries something out.
            guard owed.options.contains(.simulated) || !round.options.contains(.simulated) else { return round.fail() }
            update(owed.id) { $0.withdraw() }
        }
        if let flying = running.first(where: { $0.round.id == host.delivery?.round })?.round {
            round.extend(from: flying.expires)
        }
        host.owed = Host.Debt(round: round, bytesWanted: recipient.bytesWanted)
    }

    /// Sends what a host is owed, now that nothing is in flight to it.
    private func pay(_ host: Host) {
        guard let owed = host.owed else { return }
        host.owed = nil
        WarningPacket.with(owed.round) { packet in
            packet.ask(for: owed.bytesWanted)
            // A round that wants no answer was over when it had begun; then there is nothing to update.
            var round = running.first { $0.round.id == owed.round.id }?.round ?? owed.round
            let now = MonotonicInstant.now
            round.extend(from: now)
            send(packet, of: &round, to: host, at: now)
            update(round.id) { $0 = round }
        }
    }

    /// Sends a warning, and notes on the host and in the round what became of it.
    private func send(_ packet: WarningPacket, of round: inout Round, to host: Host, at now: MonotonicInstant) {
        let isSent = host.link.warn(packet) == .sent
        if isSent, !round.options.contains(.simulated) { host.told = round.level }
        let outcome: HostRecord.Outcome =
            !isSent ? .undeliverable : host.link.door.takesAnswers ? .awaiting : .unacknowledged
        switch outcome {
        case .undeliverable: round.fail()
        case .unacknowledged: round.tellUnacknowledged()
        default: break
        }
        if round.options.contains(.answerWanted) {
            host.delivery = Host.Delivery(round: round.id, outcome: outcome, sent: now)
        }
    }

    // MARK: Time

    private func elapse(at now: MonotonicInstant) {
        let due = running.filter { ($0.due ?? now.advanced(by: .seconds(1))) <= now }.map(\.round.id)
        for id in due {
            guard let entry = running.first(where: { $0.round.id == id }) else { continue }
            if let next = entry.next, next <= now {
                entry.slices.isEmpty ? judge(id) : sendSlice(of: id)
            }
            if entry.round.outstanding > 0, entry.round.expires <= now { expire(id, at: now) }
        }
        advance()
    }

    private func expire(_ id: UInt64, at now: MonotonicInstant) {
        for host in hosts() where host.isAwaited && host.delivery?.round == id {
            host.delivery?.outcome = .silent
            update(id) { $0.silence() }
            pay(host)
        }
        // Who is still owed this round waits for an older one to expire, and has the whole deadline after that.
        update(id) { $0.extend(from: now) }
    }

    /// Looks at what a stage has brought: the round is over, or goes on outwards.
    private func judge(_ id: UInt64) {
        guard let index = running.firstIndex(where: { $0.round.id == id }),
            case .settling(let before) = running[index].phase
        else { return }
        running[index].next = nil
        let round = running[index].round
        guard let after = look(round.scope) else { return running[index].end() }
        let reading = after.reading(since: before)
        running[index].round.usedAfter = after.headroom?.used ?? 0
        running[index].round.stallsAfter = reading.stalls?.some ?? .zero
        let isRelieved = configuration.levels.hold(by: reading).level < round.level
        guard !isRelieved, !running[index].stages.isEmpty else { return running[index].end() }
        running[index].beginStage()
        sendSlice(of: id)
    }

    /// Lets rounds for a scope go no further out: what is true now is in a newer one, or the pressure is gone.
    func curtail(_ scope: String) {
        for index in running.indices where running[index].round.isMeasured && running[index].round.scope == scope {
            running[index].curtail()
        }
    }

    /// Ends what is over, begins to settle what has had its answers, and sets the timer.
    ///
    /// - Returns: the rounds that are over now.
    @discardableResult
    private func advance() -> [Round] {
        let now = MonotonicInstant.now
        for index in running.indices where running[index].isStageOver {
            running[index].round.endStage(at: now)
            if running[index].isMeasured, let look = look(running[index].round.scope) {
                running[index].phase = .settling(since: look)
                running[index].next = now.advanced(by: configuration.settle)
            } else {
                running[index].end()
            }
        }
        var over: [Round] = []
        // One by one: whoever hears of it may begin others.
        while let index = running.firstIndex(where: \.isOver) {
            var round = running.remove(at: index).round
            round.finish()
            over.append(round)
            finished(round)
        }
        arm()
        return over
    }

    private func arm() {
        guard let next = running.compactMap(\.due).min() else {
            timer?.disarm()
            return
        }
        timer?.arm(after: max(.zero, MonotonicInstant.now.duration(to: next)))
    }

    private func update(_ id: UInt64, _ change: (inout Round) -> Void) {
        if let index = running.firstIndex(where: { $0.round.id == id }) { change(&running[index].round) }
    }
}
