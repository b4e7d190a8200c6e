import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// One connection of the native door.
///
/// It begins without a role; a hello makes it a host, a subscription an observer.
final class Peer: HostLink {
    let door = HostRecord.Door.native
    let process: FrameSocket.Peer
    /// The host behind it, once it has registered.
    var host: HostID?
    /// The sequence of its subscription, if it has one.
    var subscription: UInt64?
    /// What its socket did not take yet of the answer to its last query.
    var page: Page?
    /// Whether its socket did not take a frame: before it has room again nothing is read from it, since what it asks for could
    /// not be answered.
    private(set) var isFull = false

    private let socket: FrameSocket
    private var allowance: Allowance
    private var missed: UInt64 = 0
    /// What its socket did not take, the oldest only: while it is full no request is read that could have another answer.
    private var kept: Kept?

    /// An object, so that the many peers that take everything have room for no more than a reference.
    private final class Kept {
        let frame: Frame

        init(_ frame: Frame) {
            self.frame = frame
        }
    }

    /// Takes over a connection that was accepted.
    init(_ socket: consuming FrameSocket, now: MonotonicInstant) throws(KernelError) {
        process = try socket.peer()
        self.socket = socket
        allowance = Allowance.frames(at: now)
    }

    var fileDescriptor: CInt { socket.fileDescriptor }

    /// The groups of the connected process; none if they cannot be read.
    var groups: [UInt32] { (try? FrameSocket.Peer.groups(connectedTo: fileDescriptor)) ?? [] }

    /// Takes one packet, if it may send one now.
    func receive(into buffer: UnsafeMutableRawBufferPointer, at now: MonotonicInstant) -> FrameSocket.Received? {
        guard allowance.take(at: now) else { return nil }
        return socket.receive(into: buffer)
    }

    /// Sends a frame, or keeps it until the peer has room; of several that it does not take the first.
    func send(_ frame: Frame) {
        if offer(frame) == .full, kept == nil { kept = Kept(frame) }
    }

    /// Sends a frame if the socket takes it now.
    func offer(_ frame: Frame) -> FrameSocket.Sent {
        // The daemon cuts its strings to their limits, so what does not encode does not exist.
        note((try? socket.send(frame)) ?? .closed)
    }

    private func note(_ sent: FrameSocket.Sent) -> FrameSocket.Sent {
        if sent == .full { isFull = true }
        return sent
    }

    /// Its socket has room again, or its connection has ended: sends what was kept.
    func noteRoom() {
        isFull = false
        guard let kept else { return }
        self.kept = nil
        send(kept.frame)
    }

    func send(_ packet: UnsafeRawBufferPointer) -> FrameSocket.Sent {
        note(socket.send(packet))
    }

    func warn(_ packet: WarningPacket) -> FrameSocket.Sent {
        note(socket.send(packet.bytes))
    }

    /// As many records as this are not lost in a row by an observer that reads: not as many hosts come or go at once.
    static let mostMissed: UInt64 = 10_000

    /// What an observer is after it was passed a record.
    enum Observation {
        /// It reads, or may yet.
        case observing
        /// It does not read.
        case deaf
        /// Its connection has ended.
        case gone
    }

    /// Passes an event on to an observer; one that does not read loses it, and is told how many it lost.
    ///
    /// `lost` are those before it that the daemon had no time for.
    func publish(_ message: Message, afterMissing lost: UInt64 = 0) -> Observation {
        guard let subscription else { return .observing }
        missed += lost
        if missed > 0 {
            switch offer(Frame(sequence: subscription, message: .missed(Missed(count: missed)))) {
            case .sent: missed = 0
            case .closed: return .gone
            case .full:
                missed += 1
                return missed < Self.mostMissed ? .observing : .deaf
            }
        }
        switch offer(Frame(sequence: subscription, message: message)) {
        case .sent: break
        case .full: missed += 1
        case .closed: return .gone
        }
        return .observing
    }
}
