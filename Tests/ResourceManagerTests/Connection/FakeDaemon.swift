import CLinux
import Dispatch
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// A daemon that a test controls: it listens on a socket, and sends the messages that the test wants.
final class FakeDaemon {
    let path: String
    private let directory: TemporaryDirectory
    private var listening: Descriptor?

    /// Chooses a path; ``listen()`` opens it.
    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/memwarnd.sock"
    }

    func listen() throws {
        let address = try SocketAddress(path: path)
        let descriptor = try FrameSocket.make(for: path)
        let raw = descriptor.raw
        unlink(path)
        try #require(address.withSockaddr { bind(raw, $0, $1) } == 0)
        try #require(CLinux.listen(raw, 16) == 0)
        listening = consume descriptor
    }

    /// Stops accepting hosts.
    func close() {
        listening = nil
    }

    /// Waits for the next host and reads its hello.
    func accept() async throws -> (connection: Connection, hello: Hello) {
        guard let raw = listening?.raw else { throw Unexpected() }
        try #require(await isReadable(raw), "no host connected")
        let accepted = CLinux.accept(raw, nil, nil)
        try #require(accepted >= 0)
        let connection = Connection(FrameSocket(taking: Descriptor(taking: accepted)))
        guard case .hello(let hello) = try await connection.receive().message else {
            throw Unexpected()
        }
        return (connection, hello)
    }

    struct Unexpected: Error {}

    /// The connection to one host.
    final class Connection {
        private let socket: FrameSocket
        private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.maximumSize, alignment: 8)

        init(_ socket: consuming FrameSocket) {
            self.socket = socket
        }

        deinit {
            buffer.deallocate()
        }

        func send(_ sequence: UInt64, _ message: Message) throws {
            try #require(try socket.send(Frame(sequence: sequence, message: message)) == .sent)
        }

        func send(raw bytes: [UInt8]) {
            _ = bytes.withUnsafeBytes { socket.send($0) }
        }

        /// Sends a welcome with a level.
        func welcome(_ level: PressureLevel = .normal) throws {
            try send(0, .welcome(Welcome(hostID: 1, level: level, reason: PressureReason(.fullStall), scope: "/s")))
        }

        /// Sends a warning that wants an answer.
        func warn(_ round: UInt64, _ level: PressureLevel, _ options: WarningOptions = [.answerWanted]) throws {
            let warning = Warning(
                level: level,
                options: options,
                reason: PressureReason(.someStall, figure: .percent(50), threshold: .percent(10)),
                bytesWanted: 7,
                deadline: 1000,
                scope: "/s"
            )
            try send(round, .warning(warning))
        }

        func receive() async throws -> Frame {
            try #require(await isReadable(socket.fileDescriptor), "nothing came")
            switch socket.receive(into: buffer) {
            case .packet(let size): return try Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size]))
            default: throw Unexpected()
            }
        }

        /// Receives the next frame while it keeps the calling thread busy; `nil` if none arrives in time.
        func spin(for limit: Duration) -> Frame? {
            let end = ContinuousClock.now + limit
            while .now < end {
                guard case .packet(let size) = socket.receive(into: buffer) else { continue }
                return try? Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size]))
            }
            return nil
        }

        /// Receives the answer to a round.
        func answer(_ round: UInt64) async throws -> Acknowledgement {
            let frame = try await receive()
            try #require(frame.sequence == round)
            guard case .acknowledgement(let answer) = frame.message else { throw Unexpected() }
            return answer
        }

        /// Receives the answer to a command.
        func outcome(_ sequence: UInt64) async throws -> CommandReply {
            let frame = try await receive()
            try #require(frame.sequence == sequence)
            guard case .outcome(let reply) = frame.message else { throw Unexpected() }
            return reply
        }

        /// Whether the host has closed the connection.
        func isClosed() async -> Bool {
            guard await isReadable(socket.fileDescriptor), case .closed = socket.receive(into: buffer) else {
                return false
            }
            return true
        }
    }
}

/// Waits until something can be read.
///
/// It blocks a thread of its own, since few threads run the tests.
private func isReadable(_ descriptor: CInt) async -> Bool {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN))
            continuation.resume(returning: poll(&request, 1, 20_000) > 0)
        }
    }
}
