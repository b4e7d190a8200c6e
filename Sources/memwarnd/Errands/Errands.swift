import MemoryPressure
import MemwarnProtocol
import Systemd

/// The commands that are under way: sends them to hosts, passes the answers on, gives up on the silent.
///
/// Unlike warnings they queue at the host: several may be in flight to one, and each is answered for itself.
final class Errands {
    /// How many commands of one user may be under way.
    ///
    /// By user and not by connection, of which a user can have any number.
    static let limit = 16
    /// How long hosts have to answer, unless somebody asks for another time.
    private static let deadline = Duration.seconds(5)
    /// Longer than a minute nobody waits, and a command that never ends helps nobody.
    private static let longest: UInt32 = 60_000

    private var running: [Errand] = []
    private var lastID: UInt64 = 0
    private var timer: TimerSource?

    init(loop: EventLoop) throws(SystemdError) {
        // 20 ms late is no later to a host that has had seconds, and lets the kernel join wake-ups.
        timer = try loop.timer(accuracy: .milliseconds(20)) { [unowned self] in elapse(at: .now) }
    }

    /// How many commands of a user's are under way.
    func count(of uid: UInt32) -> Int {
        running.count { $0.client.process.uid == uid }
    }

    /// Sends a command to hosts; the client hears what becomes of it.
    func begin(_ request: Send, _ hosts: [Host], for client: Peer, sequence: UInt64) {
        lastID += 1
        let deadline: Duration =
            request.deadline > 0 ? .milliseconds(min(request.deadline, Self.longest)) : Self.deadline
        var errand = Errand(
            id: lastID,
            client: client,
            sequence: sequence,
            expires: .now.advanced(by: deadline)
        )
        Frame(sequence: lastID, message: .command(request.command)).withPacket { packet in
            for host in hosts {
                if !host.accepts.contains(.commands) {
                    errand.report(host, .notAccepting)
                } else if host.link.send(packet) == .sent {
                    errand.await(host)
                } else {
                    errand.report(host, .undeliverable)
                }
            }
        }
        running.append(errand)
        update { _ in }
    }

    /// Takes in a host's answer.
    func answer(_ host: Host, errand id: UInt64, _ reply: CommandReply) {
        update { if $0.id == id { $0.answer(host, reply) } }
    }

    /// A host is gone: nobody waits for it any longer.
    func leave(_ host: Host) {
        update { $0.lose(host) }
    }

    /// A client is gone: what its hosts do now interests nobody.
    func leave(_ client: Peer) {
        running.removeAll { $0.client === client }
        arm()
    }

    private func elapse(at now: MonotonicInstant) {
        // Who does not read the end is not waited for either.
        running.removeAll { $0.expires.advanced(by: Errand.patience) <= now }
        update { if $0.expires <= now { $0.expire() } }
    }

    /// Changes what is under way, tells the clients, and forgets what is over.
    private func update(_ change: (inout Errand) -> Void) {
        for index in running.indices.reversed() {
            change(&running[index])
            if running[index].tell() { running.remove(at: index) }
        }
        arm()
    }

    private func arm() {
        let now = MonotonicInstant.now
        guard let next = running.map({ $0.due(after: now) }).min() else {
            timer?.disarm()
            return
        }
        timer?.arm(after: max(.zero, now.duration(to: next)))
    }
}
