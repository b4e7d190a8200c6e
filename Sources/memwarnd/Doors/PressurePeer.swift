import CLinux
import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// One connection of the pressure socket: a program that follows `$MEMORY_PRESSURE_WATCH`.
///
/// It is a host from the start. A warning is one byte, and there are no answers. It stays connected while the daemon
/// runs: for programs with systemd's library, the end of the connection is the end of all warnings.
final class PressurePeer: HostLink {
    let door = HostRecord.Door.pressure
    let process: FrameSocket.Peer
    /// The host of this connection.
    var host: HostID?
    var arrival: Arrival?

    private(set) var isShort = false

    private let connection: Descriptor
    private var allowance = Allowance.frames

    /// Takes over a connection that was accepted.
    init(_ connection: consuming Descriptor) throws(KernelError) {
        process = try FrameSocket.Peer(connectedTo: connection.raw)
        self.connection = connection
    }

    var fileDescriptor: CInt { connection.raw }

    func warn(_ packet: WarningPacket) -> FrameSocket.Sent {
        // A byte means that memory is short; the protocol has no message for the end of pressure.
        guard packet.isDemand else { return .sent }
        var byte = UInt8(ascii: "\n")
        let count = retryingInterrupted {
            CLinux.send(connection.raw, &byte, 1, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        let sent = count == 1 ? FrameSocket.Sent.sent : FrameSocket.Sent(failing: errno)
        isShort = sent == .short
        return isShort ? .full : sent
    }

    func send(_ packet: UnsafeRawBufferPointer) -> FrameSocket.Sent {
        // The protocol has no other messages.
        .closed
    }

    /// The result of reading the program's data.
    enum Drained: Equatable {
        /// The data was discarded.
        case discarded
        /// There was no data.
        case empty
        /// The program has closed the connection.
        case closed
        /// The program writes without end.
        case flood
    }

    /// Reads the data that the program wrote, a request for a trigger, up to 4 KiB at a time.
    ///
    /// The data is discarded. It requests a threshold of stalls in a window, but the daemon's levels decide when it
    /// warns; and it is text from a client.
    func drain(at now: MonotonicInstant) -> Drained {
        guard allowance.take(at: now) else { return .flood }
        return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            let count = retryingInterrupted {
                recv(connection.raw, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
            }
            if count > 0 { return .discarded }
            return count < 0 && errno == EAGAIN ? .empty : .closed
        }
    }
}
