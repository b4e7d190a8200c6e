import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// The connection to a host, of one of the doors.
///
/// No call blocks.
protocol HostLink: AnyObject {
    /// The door of the connection.
    var door: HostRecord.Door { get }
    /// The connection, valid as long as this object lives.
    var fileDescriptor: CInt { get }
    /// The connected process.
    var process: FrameSocket.Peer { get }
    /// The host of this connection, once it has registered.
    var host: HostID? { get }
    /// The host of this connection while its process is searched for, before it is registered.
    var arrival: Arrival? { get set }
    /// Whether the kernel had no memory for its last packet, so that its socket may have room all the time.
    var isShort: Bool { get }
    /// Warns the host, or tells it that the pressure is over.
    func warn(_ packet: WarningPacket) -> FrameSocket.Sent
    /// Sends a frame that is not a warning.
    func send(_ packet: UnsafeRawBufferPointer) -> FrameSocket.Sent
}

/// A host whose process has to be found, and the sequence of its hello.
///
/// A class, so that a connection needs memory only for a reference.
final class Arrival {
    let newcomer: Newcomer
    let sequence: UInt64

    init(_ newcomer: Newcomer, sequence: UInt64) {
        (self.newcomer, self.sequence) = (newcomer, sequence)
    }
}

extension HostRecord.Door {
    /// Whether hosts of this door answer.
    var takesAnswers: Bool { self == .native }
}
