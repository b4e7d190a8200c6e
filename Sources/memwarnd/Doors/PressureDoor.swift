import MemoryPressure
import MemwarnProtocol
import Systemd

/// The socket for `$MEMORY_PRESSURE_WATCH`: programs that speak systemd's protocol become hosts by connecting to it.
final class PressureDoor {
    /// What the daemon does with a peer.
    protocol Delegate: AnyObject {
        /// A program connected.
        func door(_ door: PressureDoor, admitted peer: PressurePeer)
        /// A program is gone, or was let go of.
        func door(_ door: PressureDoor, closed peer: PressurePeer)
        /// A program was let go of for this reason; `nil` is a newcomer that nobody knows.
        func door(_ door: PressureDoor, refused process: FrameSocket.Peer?, _ refusal: Refusal)
    }

    /// Who decides; set before the loop runs.
    weak var delegate: (any Delegate)?
    private let connections: Connections<PressurePeer>

    /// Opens the door.
    init(
        _ socket: ListeningSocket,
        admission: Admission,
        closer: DescriptorCloser,
        loop: EventLoop
    ) throws(SystemdError) {
        connections = try Connections(
            socket,
            admission: admission,
            closer: closer,
            // A program that is turned away without a reason does not come back; in line it still gets its turn.
            tellsNewcomers: false,
            loop: loop
        ) { (descriptor) throws(KernelError) in try PressurePeer(descriptor, now: .now) }
        connections.admitted = { [unowned self] in delegate?.door(self, admitted: $0) }
        connections.ready = { [unowned self] in read($0) }
        connections.hungUp = { [unowned self] in close($0) }
        connections.misbehaved = { [unowned self] in refuse($0, $1) }
        connections.turnedAway = { [unowned self] in delegate?.door(self, refused: $0?.process, $1) }
    }

    /// Where newcomers connect to.
    var path: String { connections.path }

    /// Takes over a connection that an earlier daemon had.
    ///
    /// - Returns: the peer, which the delegate is not told of, or `nil` if the connection was closed.
    func adopt(_ connection: consuming Descriptor) -> PressurePeer? { connections.adopt(connection) }

    /// The peer with this connection, if it is still there.
    func peer(_ connection: CInt) -> PressurePeer? { connections.peer(connection) }

    private func read(_ peer: PressurePeer) {
        switch peer.drain(at: .now) {
        case .discarded, .empty: return
        case .closed: close(peer)
        case .flood:
            refuse(peer, Refusal(code: .tooManyPeers, message: "it writes to the pressure socket without end"))
        }
    }

    private func refuse(_ peer: PressurePeer, _ refusal: Refusal) {
        delegate?.door(self, refused: peer.process, refusal)
        close(peer)
    }

    private func close(_ peer: PressurePeer) {
        if connections.remove(peer) { delegate?.door(self, closed: peer) }
    }
}
