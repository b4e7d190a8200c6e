import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// One connection of the native door.
///
/// It begins as nobody in particular; a hello makes it a host, a subscription an observer.
final class Peer: HostLink {
    let door = HostRecord.Door.native
    let process: FrameSocket.Peer
    /// The host behind it, once it has registered.
    var host: HostID?
    /// The sequence of its subscription, if it has one.
    var subscription: UInt64?

    private let socket: FrameSocket
    private var allowance: Allowance
    private var missed: UInt64 = 0

    /// Takes over a connection that was accepted.
    init(_ socket: consuming FrameSocket, now: MonotonicInstant) throws(KernelError) {
        process = try socket.peer()
        self.socket = socket
        allowance = Allowance.frames(at: now)
    }

    var fileDescriptor: CInt { socket.fileDescriptor }

    /// The groups of whoever connected; none, if they cannot be asked for.
    var groups: [UInt32] { (try? FrameSocket.Peer.groups(connectedTo: fileDescriptor)) ?? [] }

    /// Takes one packet, if it may send one now.
    func receive(into buffer: UnsafeMutableRawBufferPointer, at now: MonotonicInstant) -> FrameSocket.Received? {
        guard allowance.take(at: now) else { return nil }
        return socket.receive(into: buffer)
    }

    @discardableResult
    func send(_ frame: Frame) -> FrameSocket.Sent {
        // The daemon cuts its strings to their limits, so what does not encode does not exist.
        (try? socket.send(frame)) ?? .closed
    }

    /// Says one last thing before the connection is closed; nothing more is taken from the peer.
    func dismiss(_ frame: Frame) {
        send(frame)
        socket.discardUnread()
    }

    func send(_ packet: UnsafeRawBufferPointer) -> FrameSocket.Sent {
        socket.send(packet)
    }

    func warn(_ packet: WarningPacket) -> FrameSocket.Sent {
        socket.send(packet.bytes)
    }

    /// Passes an event on to an observer; one that does not read loses it, and is told how many it lost.
    func publish(_ message: Message) {
        guard let subscription else { return }
        if missed > 0 {
            guard send(Frame(sequence: subscription, message: .missed(Missed(count: missed)))) == .sent else {
                missed += 1
                return
            }
            missed = 0
        }
        if send(Frame(sequence: subscription, message: message)) == .full { missed += 1 }
    }
}
