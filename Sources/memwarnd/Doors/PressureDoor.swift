import MemoryPressure
import MemwarnProtocol
import Systemd

/// The socket for `$MEMORY_PRESSURE_WATCH`: programs that speak systemd's protocol become hosts by connecting to it.
final class PressureDoor: Connections<PressurePeer> {
    /// The daemon's reactions to a peer.
    protocol Delegate: AnyObject {
        /// A program connected.
        func door(_ door: PressureDoor, admitted peer: PressurePeer)
        /// A program has left, or was disconnected.
        func door(_ door: PressureDoor, closed peer: PressurePeer)
        /// A program was disconnected for this reason; `nil` stands for an unknown newcomer.
        func door(_ door: PressureDoor, refused process: FrameSocket.Peer?, _ refusal: Refusal)
    }

    /// The receiver of the reactions; set before the loop runs, and removed after it.
    var delegate: (any Delegate)?

    /// Opens the door.
    init(
        _ socket: ListeningSocket,
        admission: Admission,
        closer: DescriptorCloser,
        loop: EventLoop
    ) throws(SystemdError) {
        try super.init(
            socket,
            admission: admission,
            closer: closer,
            // A program that is refused without a reason does not come back; in the backlog it still gets its turn.
            tellsNewcomers: false,
            loop: loop
        ) { (descriptor) throws(KernelError) in try PressurePeer(descriptor) }
    }

    override func admitted(_ peer: PressurePeer) { delegate?.door(self, admitted: peer) }

    override func ready(_ peer: PressurePeer) {
        if let excess = account(of: peer.fileDescriptor).flatMap({ admission.excess($0, isQuery: false) }) {
            return refuse(peer, Refusal(code: .tooManyPeers, message: "its user or cgroup \(excess)"))
        }
        switch peer.drain(at: .now) {
        case .discarded, .empty: return
        case .closed: close(peer)
        case .flood:
            refuse(peer, Refusal(code: .tooManyPeers, message: "it writes to the pressure socket without end"))
        }
    }

    override func hungUp(_ peer: PressurePeer) { close(peer) }

    override func misbehaved(_ peer: PressurePeer, _ refusal: Refusal) { refuse(peer, refusal) }

    override func turnedAway(_ newcomer: PressurePeer?, _ refusal: Refusal) {
        delegate?.door(self, refused: newcomer?.process, refusal)
    }

    private func refuse(_ peer: PressurePeer, _ refusal: Refusal) {
        delegate?.door(self, refused: peer.process, refusal)
        close(peer)
    }

    private func close(_ peer: PressurePeer) {
        if remove(peer) { delegate?.door(self, closed: peer) }
    }
}
