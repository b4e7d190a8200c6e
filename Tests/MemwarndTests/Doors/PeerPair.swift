import CLinux
import MemoryPressure
import MemwarnProtocol
import Testing

@testable import memwarnd

/// A peer of the native door, and the socket at its other end.
final class PeerPair {
    let peer: Peer
    let client: FrameSocket

    /// With `sendBuffer`, the peer's buffer has that size; the kernel raises it to its minimum.
    init(sendBuffer: CInt? = nil) throws {
        var ends: [CInt] = [-1, -1]
        let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        if var sendBuffer {
            setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &sendBuffer, socklen_t(MemoryLayout.size(ofValue: sendBuffer)))
        }
        peer = try Peer(FrameSocket(taking: Descriptor(taking: ends[0])))
        client = FrameSocket(taking: Descriptor(taking: ends[1]))
    }

    /// The messages that have arrived.
    func read() throws -> [Message] {
        try withUnsafeTemporaryAllocation(byteCount: Frame.maximumSize, alignment: 8) { buffer in
            var messages: [Message] = []
            while case .packet(let size) = client.receive(into: buffer) {
                messages.append(try Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size])).message)
            }
            return messages
        }
    }
}
