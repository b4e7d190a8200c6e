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
        if let host = peer.host { leave(host) }
        peer.host = nil
    }

    func door(_ door: NativeDoor, refused process: FrameSocket.Peer?, _ refusal: Refusal) {
        complain(of: process, refusal)
    }

    private func welcome(_ host: Host) -> Welcome {
        let binding = sensors.binding(host.scope)
        return Welcome(
            hostID: host.id,
            level: binding.level,
            reason: binding.machine.reason,
            scope: host.scope.path.prefix(utf8: TextLimit.path.upperBound)
        )
    }
}

extension Daemon: PressureDoor.Delegate {
    func door(_ door: PressureDoor, admitted peer: PressurePeer) {
        let name = peer.aboutProcess { sensors.kernel.name(of: $0) } ?? nil
        register(peer, Hello(name: name ?? "pressure client"), as: hosts.makeID())
    }

    func door(_ door: PressureDoor, closed peer: PressurePeer) {
        if let host = peer.host { leave(host) }
        peer.host = nil
    }

    func door(_ door: PressureDoor, refused process: FrameSocket.Peer?, _ refusal: Refusal) {
        complain(of: process, refusal)
    }
}

extension Daemon {
    /// Makes a peer a host, and tells it how things stand; `sequence` is its hello's.
    func register(_ peer: Peer, _ hello: Hello, as id: UInt64, sequence: UInt64) {
        let host = enter(hello, as: id, by: peer)
        peer.host = host
        peer.send(Frame(sequence: sequence, message: .welcome(welcome(host))))
        announce(host, .present)
    }

    /// Makes a program at the pressure socket a host.
    func register(_ peer: PressurePeer, _ hello: Hello, as id: UInt64) {
        let host = enter(hello, as: id, by: peer)
        peer.host = host
        announce(host, .present)
    }

    /// Makes whoever is behind a connection a host.
    private func enter(_ hello: Hello, as id: UInt64, by link: any HostLink) -> Host {
        let scope = sensors.scope(of: link)
        let host = Host(
            id: id,
            hello: hello,
            process: link.process,
            scope: scope,
            told: sensors.binding(scope).level,
            link: link
        )
        counters.register()
        hosts.add(host)
        scope.hosts.append(host)
        // First, so that whoever is told that it is a host is kept, whenever the daemon is killed.
        vault.keep(Registration(host), connection: link.fileDescriptor)
        return host
    }

    /// A host is gone.
    private func leave(_ host: Host) {
        vault.release(Registration(host), connection: host.link.fileDescriptor)
        counters.disconnect()
        hosts.remove(host)
        host.scope.hosts.removeHost(host)
        sensors.release(host.scope)
        rounds.leave(host)
        errands.leave(host)
        announce(host, .gone)
    }

    /// Makes it known that a host is there, or gone.
    private func announce(_ host: Host, _ state: RecordState) {
        publish(.host(host.record(state)))
        statusUpdate?.schedule()
    }

    /// Has the log tell of somebody who was let go of.
    private func complain(of process: FrameSocket.Peer?, _ refusal: Refusal) {
        counters.refuse(refusal.code)
        guard complaints.take(at: .now) else {
            withheldComplaints += 1
            return
        }
        log.refused(process, refusal, withheld: withheldComplaints)
        withheldComplaints = 0
    }
}
