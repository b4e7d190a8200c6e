import CLinux
import MemoryPressure
import MemwarnProtocol
import Testing

/// A client of the daemon that sends exactly the bytes that a test wants.
final class RawPeer {
    private let socket: FrameSocket
    /// The number that the daemon gave it when it registered.
    private(set) var id: UInt64 = 0
    /// The daemon's answer to its hello.
    private(set) var welcome: Welcome?

    /// Connects, and sends nothing yet.
    init(_ daemon: DaemonProcess) throws {
        socket = try FrameSocket(connectingTo: daemon.socket)
    }

    /// Connects to any socket by its path.
    init(path: String) throws {
        socket = try FrameSocket(connectingTo: path)
    }

    /// Connects and registers.
    convenience init(
        _ daemon: DaemonProcess,
        host name: String,
        releasable: UInt64 = 0,
        accepts: HostMessages = []
    ) throws {
        try self.init(daemon)
        try register(name, releasable: releasable, accepts: accepts)
    }

    /// Sends a hello and receives the welcome.
    func register(_ name: String, releasable: UInt64 = 0, accepts: HostMessages = []) throws {
        try send(.hello(Hello(releasable: releasable, name: name, accepts: accepts)), sequence: 1)
        let frame = try next()
        guard case .welcome(let welcome) = frame.message else { throw Unexpected("\(frame) instead of a welcome") }
        try #require(frame.sequence == 1)
        self.welcome = welcome
        id = welcome.hostID
    }

    /// Sends a message.
    func send(_ message: Message, sequence: UInt64 = 1) throws {
        let sent = try socket.send(Frame(sequence: sequence, message: message))
        guard sent == .sent else { throw Unexpected("the daemon does not take \(message): \(sent)") }
    }

    /// Sends a packet of arbitrary bytes.
    @discardableResult
    func send(_ bytes: [UInt8]) -> FrameSocket.Sent {
        bytes.withUnsafeBytes { socket.send($0) }
    }

    /// The next frame, or `nil` if the daemon closed the connection.
    func receive(within seconds: Double = 20) throws -> Frame? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.maximumSize, alignment: 8)
        defer { buffer.deallocate() }
        let deadline = MonotonicInstant.now.advanced(by: .seconds(seconds))
        while true {
            switch socket.receive(into: buffer) {
            case .packet(let size): return try Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size]))
            case .oversized(let size): throw Unexpected("the daemon sent \(size) bytes")
            case .closed: return nil
            case .empty:
                let left = MonotonicInstant.now.duration(to: deadline).milliseconds
                guard left > 0 else { throw Unexpected("the daemon did not say anything in \(seconds) s") }
                var request = pollfd(fd: socket.fileDescriptor, events: Int16(POLLIN))
                _ = poll(&request, 1, CInt(left) + 1)
            }
        }
    }

    /// The next frame; it is a failure if there is none.
    func next(within seconds: Double = 20) throws -> Frame {
        guard let frame = try receive(within: seconds) else { throw Unexpected("the daemon closed the connection") }
        return frame
    }

    /// Whether there is data to read or the connection has ended.
    var hasNews: Bool {
        var request = pollfd(fd: socket.fileDescriptor, events: Int16(POLLIN))
        return poll(&request, 1, 0) > 0
    }

    /// Waits until the daemon has read everything that was sent to it (SIOCOUTQ, unix(7)).
    func waitUntilRead() throws {
        let deadline = MonotonicInstant.now.advanced(by: .seconds(20))
        while MonotonicInstant.now < deadline {
            var unread: CInt = 0
            try #require(ioctl(socket.fileDescriptor, UInt(TIOCOUTQ), &unread) == 0)
            if unread == 0 { return }
            sched_yield()
        }
        throw Unexpected("the daemon does not read")
    }

    /// Waits until the daemon accepts packets again or has closed the connection.
    func waitForRoom() {
        var request = pollfd(fd: socket.fileDescriptor, events: Int16(POLLOUT))
        _ = poll(&request, 1, 1_000)
    }
}

/// Unexpected behaviour of the daemon.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
