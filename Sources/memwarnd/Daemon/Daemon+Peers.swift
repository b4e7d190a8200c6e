import MemoryPressure
import MemwarnProtocol
import Systemd

extension Daemon: NativeDoor.Delegate {
    func door(_ door: NativeDoor, _ peer: Peer, sent frame: Frame) {
        switch frame.message {
        case .hello(let hello) where peer.host == nil:
            register(peer, hello, as: hosts.makeID(), sequence: frame.sequence)
        case .acknowledgement(let answer):
            if let host = peer.host { rounds.answer(host, round: frame.sequence, answer) }
        case .outcome(let reply):
            if let host = peer.host { errands.answer(host, errand: frame.sequence, reply) }
        case .query(let query):
            list(query, to: peer, sequence: frame.sequence)
        case .simulate(let request):
            simulate(request, for: peer, sequence: frame.sequence)
        case .send(let request):
            send(request, for: peer, sequence: frame.sequence)
        case .subscribe:
            if peer.subscription == nil { observers.append(peer) }
            peer.subscription = frame.sequence
            peer.send(Frame(sequence: frame.sequence, message: .end(End())))
        default:
            let refusal = Refusal(code: .unexpectedMessage, message: "this message is not for the daemon, or not now")
            door.refuse(peer, sequence: frame.sequence, refusal)
        }
    }

    func door(_ door: NativeDoor, closed peer: Peer) {
        observers.removeAll { $0 === peer }
        requesters = requesters.filter { $0.value.peer !== peer }
        errands.leave(peer)
        guard let host = peer.host else { return }
        peer.host = nil
        vault.release(Registration(host), connection: peer.fileDescriptor)
        counters.disconnect()
        hosts.remove(host)
        host.scope.hosts.removeHost(host)
        sensors.release(host.scope)
        rounds.leave(host)
        errands.leave(host)
        publish(.host(host.record(.gone)))
        statusUpdate?.schedule()
    }

    func door(_ door: NativeDoor, refused peer: Peer?, _ refusal: Refusal) {
        counters.refuse(refusal.code)
        guard complaints.take(at: .now) else {
            withheldComplaints += 1
            return
        }
        log.refused(peer?.process, refusal, withheld: withheldComplaints)
        withheldComplaints = 0
    }

    /// Makes a peer a host, and tells it how things stand; `sequence` is its hello's.
    func register(_ peer: Peer, _ hello: Hello, as id: UInt64, sequence: UInt64) {
        let scope = sensors.scope(of: peer.process.pid)
        let binding = sensors.binding(scope)
        let host = Host(
            id: id,
            hello: hello,
            process: peer.process,
            scope: scope,
            told: binding.level,
            link: peer
        )
        peer.host = host
        counters.register()
        hosts.add(host)
        scope.hosts.append(host)
        let welcome = Welcome(
            hostID: host.id,
            level: binding.level,
            reason: binding.machine.reason,
            scope: scope.path.prefix(utf8: TextLimit.path.upperBound)
        )
        // First, so that whoever was welcomed is kept, whenever the daemon is killed.
        vault.keep(Registration(host), connection: peer.fileDescriptor)
        peer.send(Frame(sequence: sequence, message: .welcome(welcome)))
        publish(.host(host.record(.present)))
        statusUpdate?.schedule()
    }
}
