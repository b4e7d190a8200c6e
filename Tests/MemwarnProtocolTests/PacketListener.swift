import CLinux
import MemwarnProtocol
import TestSupport

/// A system call that failed.
struct CallError: Error {
    let call: String
    let errno: CInt

    /// The result of a call; throws errno if it is negative.
    static func check<Result: SignedInteger>(_ call: String, _ result: Result) throws -> Result {
        guard result >= 0 else { throw Self(call: call, errno: CLinux.errno) }
        return result
    }
}

/// A descriptor that is closed with its last reference.
final class Descriptor: Sendable {
    let number: CInt

    init(_ call: String, _ number: CInt) throws {
        self.number = try CallError.check(call, number)
    }

    deinit {
        close(number)
    }

    /// Makes calls that wait for the socket fail with EAGAIN after 20 seconds, so that a failing test also ends.
    func limitWaiting() throws {
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = try CallError.check("setsockopt", setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, size))
    }
}

/// A minimal daemon side of the socket, which listens in its own folder.
final class PacketListener {
    let path: String
    private let folder: TemporaryDirectory
    private let socket: Descriptor

    init() throws {
        folder = try TemporaryDirectory()
        path = "\(folder.path)/socket"
        let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        socket = try Descriptor("socket", CLinux.socket(AF_UNIX, type, 0))
        try socket.limitWaiting()
        let bound = try SocketAddress(path: path).withSockaddr { bind(socket.number, $0, $1) }
        _ = try CallError.check("bind", bound)
        _ = try CallError.check("listen", listen(socket.number, 4))
    }

    func accept() throws -> PacketConnection {
        let socket = try Descriptor("accept", CLinux.accept(socket.number, nil, nil))
        _ = try CallError.check("fcntl", fcntl(socket.number, F_SETFD, FD_CLOEXEC))
        try socket.limitWaiting()
        return PacketConnection(socket: socket)
    }
}

/// A connection on which each packet is a frame.
struct PacketConnection {
    let socket: Descriptor

    func send(_ frame: Frame) throws {
        let bytes = try frame.encoded()
        _ = try CallError.check("send", CLinux.send(socket.number, bytes, bytes.count, CInt(MSG_NOSIGNAL)))
    }

    func receive() throws -> Frame {
        var bytes = [UInt8](repeating: 0, count: Frame.maximumSize)
        let count = try CallError.check("recv", recv(socket.number, &bytes, bytes.count, 0))
        return try Frame(bytes: Array(bytes.prefix(count)))
    }
}
