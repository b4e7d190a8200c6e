import MemoryPressure
import MemwarnProtocol
import Systemd

/// A command's connection to the daemon, on an event loop: nothing here waits.
final class ControlLink {
    /// Called with each frame that the daemon sends.
    var received: (Frame) -> Void = { _ in }
    /// Called when the connection cannot be used any more, at most once.
    var failed: (Failure) -> Void = { _ in }

    private let socket: FrameSocket
    private var source: IOSource?
    private var sequence: UInt64 = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.maximumSize, alignment: 8)

    init(_ socket: consuming FrameSocket, on loop: EventLoop) throws(SystemdError) {
        self.socket = socket
        source = try loop.watch(self.socket.fileDescriptor, for: .readable) { [unowned self] _ in read() }
    }

    deinit {
        // Before the socket closes its descriptor.
        source = nil
        buffer.deallocate()
    }

    /// Sends a request; its replies carry the sequence that is returned.
    func request(_ message: Message) -> UInt64 {
        sequence += 1
        let sent = try? socket.send(Frame(sequence: sequence, message: message))
        if sent != .sent { fail(.unavailable("the daemon does not take requests")) }
        return sequence
    }

    private func read() {
        // All that is there, as long as anybody wants it.
        while source != nil {
            switch socket.receive(into: buffer) {
            case .empty: return
            case .closed: fail(.unavailable("the daemon ended the connection"))
            case .oversized(let size): fail(.software("the daemon sent what cannot be read: \(size) bytes"))
            case .packet(let size):
                do throws(FrameError) {
                    received(try Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size])))
                } catch {
                    fail(.software("the daemon sent what cannot be read: \(error)"))
                }
            }
        }
    }

    private func fail(_ failure: Failure) {
        guard source != nil else { return }
        source = nil
        failed(failure)
    }
}
