internal import CLinux
internal import MemoryPressure
internal import MemwarnProtocol
internal import ResourceCaches

/// The receiving end of a host: a thread that waits for the daemon, or for the kernel while there is no daemon.
///
/// The thread sleeps in poll(2) and touches nothing of the host's; it leaves news in the ``Mailbox``. A thread of its own
/// and not the concurrency runtime's, because it has to wait on descriptors, and one wake-up from the kernel to the
/// host's actor is all there is between a warning and its handler.
final class PressureFeed: Sendable {
    /// What the thread needs to know.
    struct Setup: Sendable {
        var name: String
        var priority: UInt8
        /// Where to look for a daemon, in this order.
        var sockets: [String]
        var kernel: KernelTree
        var policy: SensorPolicy
        /// Whether the process may watch the kernel while there is no daemon.
        var watchesKernel = true
        /// What the host was told before.
        var level = PressureLevel.normal
        /// How long a raised level holds while neither a daemon nor the kernel is watched.
        var grace = HeldLevel.grace
        /// What the process could give back, asked at each registration.
        var releasable: @Sendable () -> UInt64
    }

    let mailbox = Mailbox()
    let setup: Setup
    /// The connection, while there is one; only the thread replaces it, and the host sends its answers through it.
    private let connection = Guarded<Connection?>(nil)
    /// The two ends of a pipe that becomes readable when the thread is to end.
    private let wake: Descriptor
    private let waker: Descriptor

    struct Connection: ~Copyable {
        var socket: FrameSocket
        var number: UInt64
    }

    /// Prepares a feed; ``start()`` starts it.
    ///
    /// - Throws: ``KernelError`` if there are no descriptors left.
    init(_ setup: Setup) throws(KernelError) {
        self.setup = setup
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw KernelError("make a pipe for", setup.name, errno: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wake = Descriptor(taking: ends[0])
        waker = Descriptor(taking: ends[1])
    }

    /// Starts the thread, which keeps the feed alive until ``stop()``.
    ///
    /// - Throws: ``KernelError`` if the process may not have another thread.
    func start() throws(KernelError) {
        // Enough for a frame, a PSI file and what a receiver calls besides.
        let result = startDetachedThread(stackSize: 256 * 1024) {
            var receiver = Receiver(self)
            receiver.run()
        }
        guard result == 0 else { throw KernelError("start a thread for", setup.name, errno: result) }
    }

    /// Ends the thread and what reads the mailbox.
    func stop() {
        mailbox.close()
        // Called twice at most, so the pipe is never full.
        _ = write(waker.raw, [0], 1)
    }

    /// Sends an answer on the connection its warning or command came from; one that is gone takes no answers.
    func answer(_ sequence: UInt64, on number: UInt64, _ answer: Message) {
        connection.withLock { connection in
            guard connection?.number == number else { return }
            // A daemon that takes no answers counts this host silent, and that is all there is to say.
            _ = try? connection?.socket.send(Frame(sequence: sequence, message: answer))
        }
    }

    var wakeDescriptor: CInt { wake.raw }

    /// Replaces the connection; the old one is closed.
    func set(_ new: consuming Connection?) {
        var new = new
        connection.withLock { $0 = new.take() }
    }

    /// Takes one packet from the connection.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> FrameSocket.Received {
        connection.withLock { $0?.socket.receive(into: buffer) ?? .closed }
    }

    var socketDescriptor: CInt? {
        connection.withLock { $0?.socket.fileDescriptor }
    }
}
