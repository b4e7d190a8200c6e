import CLinux
import Testing

@testable import Systemd

struct DescriptorCloserTests {
    /// Two ends of a connection; `near` is the closer's to close.
    private static func pair() throws -> (near: CInt, far: CInt) {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// What comes next: a count of bytes, 0 for the end, or a negative errno; waits for it.
    private static func receive(_ socket: CInt) -> Int {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = recv(socket, &bytes, bytes.count, 0)
        return count < 0 ? -Int(errno) : count
    }

    @Test("all descriptors that it gets are closed, even if it is released meanwhile")
    func closes() throws {
        let pairs = try (0..<50).map { _ in try Self.pair() }
        do {
            let closer = DescriptorCloser()
            for pair in pairs { closer.close(pair.near) }
        }
        for pair in pairs {
            #expect(Self.receive(pair.far) == 0)
            close(pair.far)
        }
    }

    @Test("the last descriptor of a file is closed after that of its owner")
    func last() throws {
        let pair = try Self.pair()
        let closer = DescriptorCloser()
        closer.closeLast(of: [pair.near]) { close(pair.near) }
        #expect(Self.receive(pair.far) == 0)
        close(pair.far)
    }

    @Test("the last message arrives although the other end's own packets were never read")
    func discards() throws {
        let pair = try Self.pair()
        let closer = DescriptorCloser()
        // An empty packet is not the end.
        for count in 0..<20 { send(pair.far, "unread", count % 7, 0) }
        send(pair.near, "no", 2, 0)
        closer.discardUnread(of: pair.near)
        close(pair.near)
        #expect(Self.receive(pair.far) == 2)
        #expect(Self.receive(pair.far) == 0)
        #expect(send(pair.far, "x", 1, CInt(MSG_NOSIGNAL)) == -1 && errno == EPIPE)
        close(pair.far)
    }
}
