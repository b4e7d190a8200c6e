import ArgumentParser
import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Systemd

/// The options that select the daemon.
struct DaemonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Talk to the daemon at this socket.", valueName: "path"))
    var socket: String?
}

/// A command's connection to the daemon: it waits for frames, or receives them on an event loop.
final class ControlClient {
    /// Called with each frame that arrives on an event loop, and finally with the reason for the end.
    var received: (Result<Frame, Failure>) -> Void = { _ in }

    private let socket: FrameSocket
    private var sequence: UInt64 = 0
    private var source: IOSource?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.maximumSize, alignment: 8)

    /// Connects to the first running daemon.
    ///
    /// - Throws: ``Failure``: not permitted if there is a daemon that this user may not use, otherwise unavailable.
    convenience init(_ options: DaemonOptions) throws(Failure) {
        self.init(try Self.connect(to: options.socket.map { [$0] } ?? SocketLocation.candidates))
    }

    /// Takes over a connection.
    init(_ socket: consuming FrameSocket) {
        self.socket = socket
    }

    deinit {
        // This precedes the closing of the socket's descriptor.
        source = nil
        buffer.deallocate()
    }

    private static func connect(to candidates: [String]) throws(Failure) -> FrameSocket {
        var failures: [KernelError] = []
        for path in candidates {
            do throws(KernelError) {
                // An attacker's connections can keep the queue full; the kernel lets callers in by turns.
                return try FrameSocket(connectingTo: path, within: patience)
            } catch {
                failures.append(error)
            }
        }
        // The most specific error: a socket that exists but denies access precedes one that does not exist.
        if let denied = failures.first(where: { $0.errno == EACCES || $0.errno == EPERM }) {
            throw .notPermitted("\(denied)")
        }
        let reasons = failures.map { "\($0)" }.joined(separator: "; ")
        if failures.contains(where: { $0.errno == EAGAIN }) {
            throw .unavailable("the daemon takes no connection: \(reasons); see “memwarnd status” and its journal")
        }
        throw .unavailable("no daemon answers: \(reasons); start one with “memwarnd run”")
    }

    /// Sends a request, and returns the sequence of its replies.
    @discardableResult
    func request(_ message: Message) throws(Failure) -> UInt64 {
        sequence += 1
        let sent: FrameSocket.Sent
        do throws(FrameError) {
            sent = try socket.send(Frame(sequence: sequence, message: message))
        } catch {
            throw .software("the request cannot be sent: \(error)")
        }
        guard sent == .sent else { throw .unavailable("the daemon does not take requests") }
        return sequence
    }

    /// How long a whole answer may take: a daemon under attack answers within a tenth of a second.
    static let patience = Duration.seconds(10)

    /// Waits for the next frame; for ever if the timeout is `nil`.
    func receive(within timeout: Duration? = ControlClient.patience) throws(Failure) -> Frame {
        try receive(by: timeout.map { MonotonicInstant.now.advanced(by: $0) })
    }

    /// Waits for the next frame of an answer that has to be complete by `deadline`; for ever if that is `nil`.
    func receive(by deadline: MonotonicInstant?) throws(Failure) -> Frame {
        while true {
            var left: CInt = -1
            if let deadline {
                // Checked even if there is a frame: a daemon may send them without end.
                left = CInt(clamping: MonotonicInstant.now.duration(to: deadline).milliseconds)
                guard left > 0 else { throw .unavailable("the daemon does not answer") }
            }
            if let frame = try receiveNow() { return frame }
            var request = pollfd(fd: socket.fileDescriptor, events: Int16(POLLIN))
            _ = poll(&request, 1, left)
        }
    }

    /// Delivers frames to ``received`` from now on, as long as the connection works and the client lives.
    func listen(on loop: EventLoop) throws(SystemdError) {
        source = try loop.watch(socket.fileDescriptor, for: .readable) { [unowned self] _ in readAll() }
    }

    private func readAll() {
        do throws(Failure) {
            // The called closure may end the listening.
            while source != nil, let frame = try receiveNow() { received(.success(frame)) }
        } catch {
            source = nil
            received(.failure(error))
        }
    }

    /// The next frame if there is one already; never waits.
    private func receiveNow() throws(Failure) -> Frame? {
        switch socket.receive(into: buffer) {
        case .packet(let size):
            do throws(FrameError) {
                return try Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size]))
            } catch {
                throw .software("the daemon sent what cannot be read: \(error)")
            }
        case .oversized(let size): throw .software("the daemon sent what cannot be read: \(size) bytes")
        case .closed: throw .unavailable("the daemon ended the connection")
        case .empty: return nil
        }
    }
}

extension Failure {
    /// Creates a failure from the daemon's refusal.
    init(_ refusal: Refusal) {
        let message = "the daemon refuses: \(refusal.message.escapedForDisplay)"
        switch refusal.code {
        case .notPermitted: self = .notPermitted(message)
        case .noSuchHost: self.init(message: message, code: .noHost)
        default: self = .software(message)
        }
    }
}
