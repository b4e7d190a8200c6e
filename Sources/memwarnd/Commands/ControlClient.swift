import ArgumentParser
import CLinux
import MemoryPressure
import MemwarnProtocol

/// Where a command looks for the daemon.
struct DaemonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Talk to the daemon at this socket.", valueName: "path"))
    var socket: String?
}

/// A command's connection to the daemon; it waits for answers.
struct ControlClient: ~Copyable {
    private let socket: FrameSocket
    private var sequence: UInt64 = 0

    /// Connects to the first daemon that is there.
    init(_ options: DaemonOptions) throws(Failure) {
        let candidates = options.socket.map { [$0] } ?? SocketLocation.candidates
        var failures: [KernelError] = []
        for path in candidates {
            do throws(KernelError) {
                socket = try FrameSocket(connectingTo: path)
                return
            } catch {
                failures.append(error)
            }
        }
        // The one that says most: a socket that is there but closed to us, before one that is not there.
        if let denied = failures.first(where: { $0.errno == EACCES || $0.errno == EPERM }) {
            throw .notPermitted("\(denied)")
        }
        let reasons = failures.map { "\($0)" }.joined(separator: "; ")
        throw .unavailable("no daemon answers: \(reasons); start one with “memwarnd run”")
    }

    /// Gives the connection to somebody who does not want to wait for answers.
    consuming func take() -> FrameSocket { socket }

    /// Sends a request; its replies carry the sequence that is returned.
    @discardableResult
    mutating func request(_ message: Message) throws(Failure) -> UInt64 {
        sequence += 1
        do throws(FrameError) {
            let sent = try socket.send(Frame(sequence: sequence, message: message))
            guard sent == .sent else { throw FrameError.noRoom(bytes: 0) }
        } catch {
            throw .unavailable("the daemon does not take requests: \(error)")
        }
        return sequence
    }

    /// The descriptor to wait on, for those who do not only wait for the daemon; valid while the client lives.
    var fileDescriptor: CInt { socket.fileDescriptor }

    /// Waits for the next frame; for ever if the timeout is `nil`.
    func receive(within timeout: Duration? = .seconds(10)) throws(Failure) -> Frame {
        let deadline = timeout.map { MonotonicInstant.now.advanced(by: $0) }
        while true {
            if let frame = try receiveNow() { return frame }
            var left: CInt = -1
            if let deadline {
                left = CInt(clamping: MonotonicInstant.now.duration(to: deadline).milliseconds)
                guard left > 0 else { throw .unavailable("the daemon does not answer") }
            }
            var request = pollfd(fd: socket.fileDescriptor, events: Int16(POLLIN))
            _ = poll(&request, 1, left)
        }
    }

    /// The next frame if there is one already; never waits.
    func receiveNow() throws(Failure) -> Frame? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.maximumSize, alignment: 8)
        defer { buffer.deallocate() }
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

    /// All records of a section, page by page.
    mutating func list(_ section: Query.Section) throws(Failure) -> [Message] {
        var records: [Message] = []
        var after: UInt64 = 0
        repeat {
            try request(.query(Query(section: section, after: after)))
            var page = true
            while page {
                let frame = try receive()
                switch frame.message {
                case .end(let end):
                    after = end.next
                    page = false
                case .error(let refusal): throw Failure(refusal)
                default: records.append(frame.message)
                }
            }
        } while after > 0
        return records
    }
}

extension Failure {
    /// What the daemon refused.
    init(_ refusal: Refusal) {
        let message = "the daemon refuses: \(refusal.message.escapedForDisplay)"
        switch refusal.code {
        case .notPermitted: self = .notPermitted(message)
        case .noSuchHost: self.init(message: message, code: SimulateCommand.nobody)
        default: self = .software(message)
        }
    }
}
