import CLinux
import Testing

@testable import Systemd

struct DescriptorCloserTests {
    /// Two ends of a connection; the closer closes `near`.
    private static func pair(of type: __socket_type = SOCK_SEQPACKET) throws -> (near: CInt, far: CInt) {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(type.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// Waits for the next packet: returns its byte count, 0 for the end, or a negative errno.
    private static func receive(_ socket: CInt) -> Int {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = recv(socket, &bytes, bytes.count, 0)
        return count < 0 ? -Int(errno) : count
    }

    @Test("the closer closes all descriptors that it gets, even if it is released before that")
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

    @Test("the last descriptor of a file is closed after the owner has closed its own")
    func last() throws {
        let pair = try Self.pair()
        let closer = DescriptorCloser()
        closer.closeLast(of: [pair.near]) { close(pair.near) }
        #expect(Self.receive(pair.far) == 0)
        close(pair.far)
    }

    @Test("the last message arrives even if the other end's own packets were never read")
    func discards() throws {
        let pair = try Self.pair()
        let closer = DescriptorCloser()
        // An empty packet is not the end of the connection.
        for count in 0..<20 { send(pair.far, "unread", count % 7, 0) }
        send(pair.near, "no", 2, 0)
        closer.discardUnread(of: pair.near)
        close(pair.near)
        #expect(Self.receive(pair.far) == 2)
        #expect(Self.receive(pair.far) == 0)
        #expect(send(pair.far, "x", 1, CInt(MSG_NOSIGNAL)) == -1 && errno == EPIPE)
        close(pair.far)
    }

    @Test("if the closer is far behind, it leaves a connection open, and its owner closes it")
    func behind() throws {
        let pair = try Self.pair()
        let closer = DescriptorCloser(patience: -1)
        closer.discardUnread(of: pair.near)
        #expect(send(pair.far, "still open", 10, CInt(MSG_NOSIGNAL)) == 10)
        #expect(Self.receive(pair.near) == 10)
        close(pair.near)
        #expect(Self.receive(pair.far) == 0)
        close(pair.far)
    }

    /// The action of a connection's other end before the closer took it over.
    enum Before: CaseIterable {
        case nothing, ended, left
    }

    @Test("after a stream socket the closer continues with the next descriptor", arguments: [0, 5], Before.allCases)
    func streams(unread: Int, before: Before) throws {
        let closer = DescriptorCloser()
        let stream = try Self.pair(of: SOCK_STREAM)
        send(stream.far, "unread", unread, 0)
        switch before {
        case .nothing: break
        case .ended: shutdown(stream.far, CInt(SHUT_RDWR))
        case .left: close(stream.far)
        }
        closer.discardUnread(of: stream.near)
        close(stream.near)
        let next = try Self.pair()
        closer.close(next.near)
        var ended = pollfd(fd: next.far, events: Int16(POLLIN))
        #expect(poll(&ended, 1, 10_000) == 1)
        if before != .left { close(stream.far) }
        close(next.far)
    }
}
