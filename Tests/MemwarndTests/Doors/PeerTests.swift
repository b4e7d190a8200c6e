import CLinux
import MemoryPressure
import MemwarnProtocol
import Testing

@testable import memwarnd

struct PeerTests {
    /// A peer whose socket accepts a few frames, and its other end.
    private final class Pair {
        let peer: Peer
        let client: FrameSocket

        init() throws {
            var ends: [CInt] = [-1, -1]
            let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
            var size: CInt = 1
            setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
            peer = try Peer(FrameSocket(taking: Descriptor(taking: ends[0])), now: .now)
            client = FrameSocket(taking: Descriptor(taking: ends[1]))
        }

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

    @Test func `a warning does not overtake a welcome that waits for room`() throws {
        let pair = try Pair()
        while pair.peer.offer(Frame(sequence: 0, message: .end(End()))) == .sent {}
        let welcome = Message.welcome(Welcome(hostID: 1, level: .normal, reason: .simulation, scope: "/"))
        pair.peer.send(Frame(sequence: 0, message: welcome))
        #expect(try pair.read().allSatisfy { $0 == .end(End()) })
        let warning = Warning(
            level: .critical,
            options: [.answerWanted],
            reason: .simulation,
            bytesWanted: 0,
            deadline: 1_000,
            scope: "/"
        )
        WarningPacket.with(warning, 3) { packet in
            // There is room again, and the door has not been told yet.
            #expect(pair.peer.warn(packet) == .full)
            pair.peer.noteRoom()
            #expect(pair.peer.warn(packet) == .sent)
        }
        #expect(try pair.read() == [welcome, .warning(warning)])
    }
}
