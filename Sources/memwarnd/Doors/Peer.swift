import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// One connection of the native door.
///
/// It begins without a role; a hello makes it a host, a subscription an observer.
final class Peer: HostLink {
    let door = HostRecord.Door.native
    let process: FrameSocket.Peer
    /// The host of this connection, once it has registered.
    var host: HostID?
    var arrival: Arrival?
    /// The sequence of its subscription, if it has one.
    var subscription: UInt64?
    /// The rest of the answer to its last query, which its socket did not accept yet.
    var page: Page?
    /// Whether its socket did not accept a frame; until it has room again, nothing is read from it, since its requests
    /// could not be answered.
    private(set) var isFull = false

    private(set) var isShort = false

    private let socket: FrameSocket
    private var allowance = Allowance.frames
    private var missed: UInt64 = 0
    /// The number of warnings and commands that it was sent and has not answered.
    private var unanswered: UInt32 = 0
    /// The oldest frame that its socket did not accept; while it is full, no request is read that could need another
    /// answer.
    private var kept: Kept?

    /// A class, so that peers without waiting frames need memory only for a reference.
    private final class Kept {
        let frame: Frame

        init(_ frame: Frame) {
            self.frame = frame
        }
    }

    /// Takes over an accepted connection.
    init(_ socket: consuming FrameSocket) throws(KernelError) {
        process = try socket.peer()
        self.socket = socket
    }

    var fileDescriptor: CInt { socket.fileDescriptor }

    /// The groups of the connected process; none if they cannot be read.
    var groups: [UInt32] { (try? FrameSocket.Peer.groups(connectedTo: fileDescriptor)) ?? [] }

    /// Receives one packet, if its allowance permits one now.
    func receive(into buffer: UnsafeMutableRawBufferPointer, at now: MonotonicInstant) -> FrameSocket.Received? {
        guard allowance.take(at: now) else { return nil }
        return socket.receive(into: buffer)
    }

    /// Sends a frame, or keeps it until the peer has room; of several frames it keeps the first.
    func send(_ frame: Frame) {
        if offer(frame) == .full, kept == nil { kept = Kept(frame) }
    }

    /// Sends a frame if the socket accepts it now.
    func offer(_ frame: Frame) -> FrameSocket.Sent {
        // The daemon cuts its strings to their limits, so every frame can be encoded.
        note((try? socket.send(frame)) ?? .closed)
    }

    private func note(_ sent: FrameSocket.Sent) -> FrameSocket.Sent {
        isShort = sent == .short
        guard sent == .full || isShort else { return sent }
        isFull = true
        return .full
    }

    /// Sends the frame that was kept, after the socket has room again or the connection has ended.
    func noteRoom() {
        isFull = false
        guard let kept else { return }
        self.kept = nil
        send(kept.frame)
    }

    func send(_ packet: UnsafeRawBufferPointer) -> FrameSocket.Sent {
        let sent = note(socket.send(packet))
        if sent == .sent { unanswered &+= 1 }
        return sent
    }

    /// Sends a warning, unless an older frame waits for room: that may be a welcome, whose level would replace this one.
    func warn(_ packet: WarningPacket) -> FrameSocket.Sent {
        kept == nil ? send(packet.bytes) : .full
    }

    /// Notes an answer; `false` if it has answered everything before.
    func takeAnswer() -> Bool {
        guard unanswered > 0 else { return false }
        unanswered -= 1
        return true
    }

    /// An observer that reads does not lose this number of records in a row: fewer hosts come or go at once.
    static let mostMissed: UInt64 = 10_000

    /// The state of an observer after a record was passed on to it.
    enum Observation {
        /// It reads, or may do so later.
        case observing
        /// It does not read.
        case deaf
        /// Its connection has ended.
        case gone
    }

    /// Passes an event on to an observer; if it does not read, the event is lost, and the number of lost events is sent
    /// later.
    ///
    /// `lost` is the number of earlier events that the daemon had no time for.
    func publish(_ message: Message, afterMissing lost: UInt64 = 0) -> Observation {
        guard let subscription else { return .observing }
        missed += lost
        if missed > 0 {
            switch offer(Frame(sequence: subscription, message: .missed(Missed(count: missed)))) {
            case .sent: missed = 0
            case .closed: return .gone
            case .full, .short:
                missed += 1
                return missed < Self.mostMissed ? .observing : .deaf
            }
        }
        switch offer(Frame(sequence: subscription, message: message)) {
        case .sent: break
        case .full, .short: missed += 1
        case .closed: return .gone
        }
        return .observing
    }
}
