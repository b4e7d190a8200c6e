import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// The way to a host: a connection of one of the doors.
///
/// Nothing here blocks.
protocol HostLink: AnyObject {
    /// The door that the host came in by.
    var door: HostRecord.Door { get }
    /// The connection, valid as long as this object lives.
    var fileDescriptor: CInt { get }
    /// The connected process.
    var process: FrameSocket.Peer { get }
    /// The host behind it, once it has said that it is one.
    var host: HostID? { get }
    /// Warns the host, or tells it that the pressure is over.
    func warn(_ packet: WarningPacket) -> FrameSocket.Sent
    /// Sends a frame that is no warning.
    func send(_ packet: UnsafeRawBufferPointer) -> FrameSocket.Sent
}

extension HostRecord.Door {
    /// Whether hosts that came in by it answer.
    var takesAnswers: Bool { self == .native }
}
