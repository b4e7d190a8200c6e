import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

extension Daemon: NativeDoor.Delegate {
    func door(_ door: NativeDoor, _ peer: Peer, sent frame: Frame) {
        if let excess = excess(of: frame, from: peer, at: door) {
            let reason = "your user or cgroup \(excess); wait a second"
            return door.refuse(peer, sequence: frame.sequence, Refusal(code: .tooManyPeers, message: reason))
        }
        switch frame.message {
        case .hello(let hello) where peer.host == nil:
            // The next frames are for a host, which has to have its number first.
            door.pause(peer.fileDescriptor)
            register(peer, hello, as: makeHostID(), sequence: frame.sequence, waits: false)
        case .acknowledgement(let answer):
            if let host = peer.host { feed(.answered(host, round: frame.sequence, answer)) }
        case .outcome(let reply):
            if let host = peer.host { feed(.replied(host, command: frame.sequence, reply)) }
        case .query(let query):
            list(query, to: peer, sequence: frame.sequence)
        case .simulate(let request):
            feed(.simulate(request, client(peer), sequence: frame.sequence))
        case .send(let request):
            feed(.send(request, client(peer), sequence: frame.sequence))
        case .subscribe:
            if peer.subscription == nil { observers.add(peer) }
            peer.subscription = frame.sequence
            peer.send(Frame(sequence: frame.sequence, message: .end(End())))
        default:
            let refusal = Refusal(code: .unexpectedMessage, message: "this message is not for the daemon, or not now")
            door.refuse(peer, sequence: frame.sequence, refusal)
        }
    }

    /// The limit of its account that a frame exceeds; an answer for each warning and command, however late, exceeds none.
    private func excess(of frame: Frame, from peer: Peer, at door: NativeDoor) -> String? {
        if frame.message.isAnswer, peer.takeAnswer() { return nil }
        var isQuery: Bool { if case .query = frame.message { true } else { false } }
        return door.account(of: peer).flatMap { admission.excess($0, isQuery: isQuery) }
    }

    func door(_ door: NativeDoor, closed peer: Peer) {
        observers.remove(peer)
        stopSeeking(peer.fileDescriptor)
        feed(.clientLeft(peer.fileDescriptor))
        scheduleShrinking()
        if let host = peer.host { leave(host) }
        peer.host = nil
    }

    func door(_ door: NativeDoor, hasRoom peer: Peer) {
        feed(.hasRoom(peer.fileDescriptor, host: peer.host))
        if let page = peer.page { send(page, to: peer) }
    }

    func door(_ door: NativeDoor, refused process: FrameSocket.Peer?, _ refusal: Refusal) {
        complain(of: process, refusal)
    }

    private func client(_ peer: Peer) -> Client {
        Client(
            connection: peer.fileDescriptor,
            pid: peer.process.pid,
            uid: peer.process.uid,
            account: door.account(of: peer),
            reach: rights.reach(of: peer.process.uid) { peer.groups }
        )
    }
}

extension Daemon: PressureDoor.Delegate {
    func door(_ door: PressureDoor, admitted peer: PressurePeer) {
        let name = ConnectedProcess.about(peer) { sensors.kernel.name(of: $0) }
        register(peer, Hello(name: name ?? "pressure client"), as: makeHostID(), waits: false)
    }

    func door(_ door: PressureDoor, closed peer: PressurePeer) {
        stopSeeking(peer.fileDescriptor)
        scheduleShrinking()
        if let host = peer.host { leave(host) }
        peer.host = nil
    }

    func door(_ door: PressureDoor, refused process: FrameSocket.Peer?, _ refusal: Refusal) {
        complain(of: process, refusal)
    }
}

extension Daemon {
    /// Makes a peer a host, and sends it the present level; `sequence` is that of its hello.
    ///
    /// With `waits`, this is done when the call returns, even if it takes long to find the process.
    func register(_ peer: Peer, _ hello: Hello, as id: HostID, sequence: UInt64, waits: Bool) {
        peer.host = id
        enter(hello, as: id, sequence, by: peer, waits: waits)
    }

    /// Makes a program at the pressure socket a host.
    func register(_ peer: PressurePeer, _ hello: Hello, as id: HostID, waits: Bool) {
        peer.host = id
        enter(hello, as: id, 0, by: peer, waits: waits)
    }

    private func enter(_ hello: Hello, as id: HostID, _ sequence: UInt64, by link: any HostLink, waits: Bool) {
        // Comes first, so that no other host gets the same number even if the daemon is killed at any moment.
        let registration = HostRegistration(id: id, door: link.door, hello: hello)
        vault.keep(registration, uid: link.process.uid, connection: link.fileDescriptor)
        let newcomer = Newcomer(
            id: id,
            connection: link.fileDescriptor,
            door: link.door,
            pid: link.process.pid,
            uid: link.process.uid,
            hello: hello
        )
        enter(newcomer, sequence: sequence, waits: waits)
    }

    /// A host has left.
    private func leave(_ host: HostID) {
        vault.release(host)
        feed(.left(host))
    }

    /// Logs that a peer was disconnected.
    private func complain(of process: FrameSocket.Peer?, _ refusal: Refusal) {
        feed(.refused(refusal.code))
        scheduleShrinking()
        guard complaints.take(at: .now) else {
            withheldComplaints += 1
            return
        }
        log.refused(process, refusal, withheld: withheldComplaints)
        withheldComplaints = 0
    }
}
