import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// The native socket: admits peers, reads their frames, and disconnects peers that break the rules.
final class NativeDoor: Connections<Peer> {
    /// The daemon's reactions to a peer.
    protocol Delegate: AnyObject {
        /// A peer sent a frame.
        func door(_ door: NativeDoor, _ peer: Peer, sent frame: Frame)
        /// A peer has left, or was disconnected.
        func door(_ door: NativeDoor, closed peer: Peer)
        /// A peer accepts packets again.
        func door(_ door: NativeDoor, hasRoom peer: Peer)
        /// A peer was disconnected for this reason; `nil` stands for an unknown newcomer.
        func door(_ door: NativeDoor, refused process: FrameSocket.Peer?, _ refusal: Refusal)
    }

    /// The receiver of the reactions; set before the loop runs, and removed after it.
    var delegate: (any Delegate)?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.maximumSize, alignment: 8)

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
            tellsNewcomers: true,
            loop: loop
        ) { (descriptor) throws(KernelError) in try Peer(FrameSocket(taking: descriptor)) }
    }

    deinit {
        buffer.deallocate()
    }

    /// Sends a frame outside of the peer's own turn, or keeps it until the peer has room.
    func send(_ frame: Frame, to connection: CInt) {
        guard let peer = peer(connection) else { return }
        peer.send(frame)
        if peer.isFull { awaitRoom(connection, isRead: false) }
    }

    /// Reads a peer again after ``pause(_:)``; if its socket is full, only after it has room.
    override func resume(_ connection: CInt) {
        if let peer = peer(connection), !peer.isFull { super.resume(connection) }
    }

    /// Sends the reason, and ends the connection.
    func refuse(_ peer: Peer, sequence: UInt64, _ refusal: Refusal) {
        _ = peer.offer(Frame(sequence: sequence, message: .error(refusal)))
        delegate?.door(self, refused: peer.process, refusal)
        leave(peer, discardsUnread: true)
    }

    /// Removes a peer whose connection has ended, and drops the packets that were not read.
    func drop(_ peer: Peer) { leave(peer) }

    /// The account of a peer, if it still exists.
    func account(of peer: Peer) -> PeerQuotas.Account? { account(of: peer.fileDescriptor) }

    /// Receives a packet from a peer, unless its socket is full: a peer that does not read its answers may send no
    /// further requests.
    override func ready(_ peer: Peer) {
        if !peer.isFull { read(peer) }
        if peer.isFull { awaitRoom(peer.fileDescriptor, isRead: false) }
    }

    /// Sends a peer the frames that its socket did not accept; a failed send reveals the end of the connection, which
    /// is read then.
    override func hasRoom(_ peer: Peer) {
        peer.noteRoom()
        if !peer.isFull { delegate?.door(self, hasRoom: peer) }
        if peer.isFull { awaitRoom(peer.fileDescriptor, isRead: false) }
    }

    private func read(_ peer: Peer) {
        guard let received = peer.receive(into: buffer, at: .now) else {
            return refuse(peer, sequence: 0, Refusal(code: .tooManyPeers, message: "too many frames a second"))
        }
        switch received {
        case .empty: return
        case .closed: drop(peer)
        case .oversized(let size): refuse(peer, sequence: sequence(of: size), Refusal(FrameError.tooLong(size)))
        case .packet(let size):
            do throws(FrameError) {
                delegate?.door(self, peer, sent: try Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size])))
            } catch {
                refuse(peer, sequence: sequence(of: size), Refusal(error))
            }
        }
    }

    /// Processes the answers that a host left when it ended, and then removes it; requests of an ended peer are
    /// dropped.
    override func hungUp(_ peer: Peer) {
        while peer.host != nil, mayRead(peer),
            case .packet(let size) = peer.receive(into: buffer, at: .now),
            let frame = try? Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size])), frame.message.isAnswer
        {
            delegate?.door(self, peer, sent: frame)
        }
        drop(peer)
    }

    /// The sequence of a packet in the buffer that is not a valid frame; 0 if it is shorter than a header.
    private func sequence(of size: Int) -> UInt64 {
        guard size >= Frame.headerSize else { return 0 }
        return UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    override func misbehaved(_ peer: Peer, _ refusal: Refusal) {
        refuse(peer, sequence: 0, refusal)
    }

    override func turnedAway(_ newcomer: Peer?, _ refusal: Refusal) {
        _ = newcomer?.offer(Frame(sequence: 0, message: .error(refusal)))
        delegate?.door(self, refused: newcomer?.process, refusal)
    }

    private func leave(_ peer: Peer, discardsUnread: Bool = false) {
        if remove(peer, discardsUnread: discardsUnread) { delegate?.door(self, closed: peer) }
    }
}

extension Message {
    /// Whether a host answers a warning or a command with it.
    var isAnswer: Bool {
        switch self {
        case .acknowledgement, .outcome: true
        default: false
        }
    }
}
