import CLinux
import TestSupport
import Testing

@testable import MemoryPressure
@testable import MemwarnProtocol

struct FrameSocketTests {
    /// A frame socket and the descriptor of its other end.
    private final class Pair {
        let socket: FrameSocket
        let other: Descriptor

        init() throws {
            var ends: [CInt] = [-1, -1]
            try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
            socket = FrameSocket(taking: MemoryPressure.Descriptor(taking: ends[0]))
            other = try Descriptor("socketpair", ends[1])
        }

        func receive() -> String {
            var buffer = [UInt8](repeating: 0, count: Frame.maximumSize)
            return "\(buffer.withUnsafeMutableBytes { socket.receive(into: $0) })"
        }

        func send(_ count: Int) throws {
            let packet = [UInt8](repeating: 1, count: count)
            #expect(try CallError.check("send", CLinux.send(other.number, packet, count, 0)) == count)
        }
    }

    @Test("a packet arrives whole; a packet larger than any frame is lost, and its size is returned")
    func sizes() throws {
        let pair = try Pair()
        #expect(pair.receive() == "empty")
        for (count, received) in [(4_096, "packet(4096)"), (4_097, "oversized(4097)"), (16, "packet(16)")] {
            try pair.send(count)
            #expect(pair.receive() == received)
        }
        #expect(pair.receive() == "empty")
    }

    @Test(
        "a path that the kernel would cut is no address",
        arguments: ["", "/a\0b", String(repeating: "x", count: 108)]
    )
    func address(path: String) {
        #expect(throws: KernelError.self) { _ = try SocketAddress(path: path) }
    }

    @Test("a connect to a full queue fails at once, or waits for its turn as long as it may")
    func fullQueue() throws {
        let listener = try PacketListener()
        var others: [Descriptor] = []
        let address = try SocketAddress(path: listener.path)
        let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        repeat {
            others.append(try Descriptor("socket", CLinux.socket(AF_UNIX, type, 0)))
        } while others.last.map { other in address.withSockaddr { connect(other.number, $0, $1) } == 0 } ?? false
        let full = KernelError("connect to", listener.path, errno: EAGAIN)
        #expect(throws: full) { _ = try FrameSocket(connectingTo: listener.path).fileDescriptor }
        #expect(throws: full) {
            _ = try FrameSocket(connectingTo: listener.path, within: .milliseconds(1)).fileDescriptor
        }
        _ = try listener.accept()
        let socket = try FrameSocket(connectingTo: listener.path, within: .seconds(20))
        #expect(fcntl(socket.fileDescriptor, F_GETFL, 0) & O_NONBLOCK != 0)
    }

    @Test("a peer that sends an empty packet, or closes its end, is closed")
    func gone() throws {
        let pair = try Pair()
        try pair.send(0)
        #expect(pair.receive() == "closed")
        #expect(shutdown(pair.other.number, CInt(SHUT_RDWR)) == 0)
        #expect(pair.receive() == "closed")
        #expect(try pair.socket.send(Frame(sequence: 1, message: .subscribe)) == .closed)
    }

    @Test("a send fails if the peer has closed, and waits if the peer does not read or the kernel is short of memory")
    func failedSends() throws {
        #expect(FrameSocket.Sent(failing: EAGAIN) == .full)
        for error in [ENOBUFS, ENOMEM] { #expect(FrameSocket.Sent(failing: error) == .short) }
        for error in [EPIPE, ECONNRESET, EBADF] { #expect(FrameSocket.Sent(failing: error) == .closed) }
        let pair = try Pair()
        var sent = FrameSocket.Sent.sent
        for _ in 0..<100_000 where sent == .sent {
            sent = try pair.socket.send(Frame(sequence: 1, message: .subscribe))
        }
        #expect(sent == .full)
    }

    @Test(
        "all groups of a peer are returned, even if there are more than 64",
        .enabled(if: geteuid() == 0, "it takes root to be in other groups"),
        .enabled(if: Program.runs("python3", "--version"), "python3 is not installed")
    )
    func manyGroups() throws {
        let listener = try PacketListener()
        let script = """
            import os, socket, sys
            os.setgroups(range(1000, 1100))
            peer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            peer.connect(sys.argv[1])
            peer.recv(1)
            """
        let peer = try Program("python3", "-c", script, listener.path)
        let connection = try listener.accept()
        let groups = try FrameSocket.Peer.groups(connectedTo: connection.socket.number)
        #expect(groups == [getegid()] + Array(1000..<1100))
        withExtendedLifetime(peer) {}
    }
}
