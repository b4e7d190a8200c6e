import MemoryPressure
import MemwarnProtocol
import Systemd

/// The rounds that are under way: sends warnings, takes answers in, gives up on the silent.
///
/// One warning is in flight per host. A host that has not answered yet is told of the newest round when it does, or
/// when its deadline has passed; rounds in between are withdrawn from it. So nobody queues behind a slow host, and no
/// host reads about pressure that is long gone.
final class Rounds {
    private(set) var running: [Round] = []
    private var lastID: UInt64 = 0
    private let configuration: Configuration
    private var deadline: TimerSource?

    /// All registered hosts.
    var hosts: () -> [Host] = { [] }
    /// Called when a round is over, from the loop or from within ``begin(_:_:)``.
    var finished: (Round) -> Void = { _ in }
    /// Called with the time that an answer took which came in time.
    var answered: (Duration) -> Void = { _ in }

    init(configuration: Configuration, loop: EventLoop) throws(SystemdError) {
        self.configuration = configuration
        // 20 ms late is no later to a host that has had a second, and lets the kernel join wake-ups.
        deadline = try loop.timer(accuracy: .milliseconds(20)) { [unowned self] in expire(at: .now) }
    }

    /// How many rounds there were.
    var count: UInt64 { lastID }

    /// What a round is about.
    struct Cause {
        var level: PressureLevel
        var options: WarningOptions
        var reason: PressureReason
        var scope: String
        var bytesWanted: UInt64 = 0
        /// The configured one, unless somebody asked for another.
        var deadline: Duration?
    }

    /// Warns hosts; returns once all packets are sent.
    ///
    /// - Returns: the round as it stands then; it is over already where there is nobody to wait for.
    @discardableResult
    func begin(_ cause: Cause, _ targets: some Sequence<Host>) -> Round {
        lastID += 1
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
        round.warning.withPacket { packet in
            for host in targets { tell(host, &round, packet) }
        }
        if round.outstanding > 0 {
            running.append(round)
            armDeadline()
        } else {
            round.finish(at: .now)
            finished(round)
        }
        // Those that this round took the place of may be over now.
        finishComplete()
        return round
    }

    /// Takes in an answer; one that comes too late is noted, but its round stays as it was counted.
    func answer(_ host: Host, round id: UInt64, _ answer: Acknowledgement) {
        guard host.delivery?.round == id, host.delivery?.answer == nil else { return }
        host.releasable = answer.releasable
        host.delivery?.answer = answer
        guard let delivery = host.delivery, host.isAwaited else { return }
        answered(delivery.sent.duration(to: .now))
        host.delivery?.outcome = .answered
        update(id) { $0.answer(answer) }
        pay(host)
        finishComplete()
    }

    /// A host is gone: whatever it still owed an answer to does not wait for it.
    func leave(_ host: Host) {
        if let owed = host.owed {
            host.owed = nil
            update(owed.id) { $0.withdraw() }
        }
        if host.isAwaited, let id = host.delivery?.round {
            host.delivery?.outcome = .silent
            update(id) { $0.silence() }
        }
        finishComplete()
    }

    private func tell(_ host: Host, _ round: inout Round, _ packet: UnsafeRawBufferPointer) {
        round.address()
        if !round.options.contains(.simulated) { giveUpSimulation(host) }
        guard !host.isAwaited else { return owe(host, &round) }
        if !send(packet, of: round, to: host) { round.fail() }
    }

    /// What really happens does not wait for the answer to somebody who tries something out.
    private func giveUpSimulation(_ host: Host) {
        guard host.isAwaited, let flying = running.first(where: { $0.id == host.delivery?.round }),
            flying.options.contains(.simulated)
        else { return }
        host.delivery?.outcome = .silent
        update(flying.id) { $0.silence() }
    }

    /// Puts a round off until the warning in flight is answered, or given up at the latest.
    ///
    /// That holds for rounds that want no answer as well: otherwise a relief would overtake the warning before it, and
    /// the host would hear of the pressure after it was told of its end.
    private func owe(_ host: Host, _ round: inout Round) {
        if let owed = host.owed {
            // What really happens is not lost to somebody who tries something out.
            guard owed.options.contains(.simulated) || !round.options.contains(.simulated) else { return round.fail() }
            update(owed.id) { $0.withdraw() }
        }
        if let flying = running.first(where: { $0.id == host.delivery?.round }) {
            round.extend(from: flying.expires)
        }
        host.owed = round
    }

    /// Sends what a host is owed, now that nothing is in flight to it.
    private func pay(_ host: Host) {
        guard let owed = host.owed else { return }
        host.owed = nil
        let isSent = owed.warning.withPacket { send($0, of: owed, to: host) }
        // A round that wants no answer was over when it had begun; then there is nothing to update.
        update(owed.id) { isSent ? $0.extend(from: .now) : $0.fail() }
    }

    /// Sends a warning and notes on the host what became of it.
    private func send(_ packet: UnsafeRawBufferPointer, of round: Round, to host: Host) -> Bool {
        let isSent = host.send(packet) == .sent
        if isSent, !round.options.contains(.simulated) { host.told = round.level }
        if round.options.contains(.answerWanted) {
            host.delivery = Host.Delivery(round: round.id, outcome: isSent ? .awaiting : .undeliverable)
        }
        return isSent
    }

    private func expire(at now: MonotonicInstant) {
        let expired = running.filter { $0.expires <= now }.map(\.id)
        guard !expired.isEmpty else { return armDeadline() }
        for host in hosts() where host.isAwaited {
            guard let id = host.delivery?.round, expired.contains(id) else { continue }
            host.delivery?.outcome = .silent
            update(id) { $0.silence() }
            pay(host)
        }
        // Who is still owed one of these rounds waits for an older one to expire, and has the whole deadline after that.
        for id in expired { update(id) { $0.extend(from: now) } }
        armDeadline()
        finishComplete()
    }

    private func finishComplete() {
        while let index = running.firstIndex(where: { $0.outstanding == 0 }) {
            var round = running.remove(at: index)
            round.finish(at: .now)
            armDeadline()
            finished(round)
        }
    }

    private func armDeadline() {
        guard let next = running.map(\.expires).min() else {
            deadline?.disarm()
            return
        }
        deadline?.arm(after: max(.zero, MonotonicInstant.now.duration(to: next)))
    }

    private func update(_ id: UInt64, _ change: (inout Round) -> Void) {
        if let index = running.firstIndex(where: { $0.id == id }) { change(&running[index]) }
    }
}
