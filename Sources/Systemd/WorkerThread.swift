internal import CLinux

/// A thread for work that the event loop must not wait for, one piece after another.
///
/// It ends after this object is released and all its work is done. All signals are left to the loop.
public final class WorkerThread {
    /// The state that the thread runs with.
    private final class Context: Sendable {
        let queue: CInt
        let perform: @Sendable (UInt64) -> Void

        init(_ queue: CInt, _ perform: @escaping @Sendable (UInt64) -> Void) {
            (self.queue, self.perform) = (queue, perform)
        }
    }

    /// The writing end of the thread's queue: a pipe, at first of 64 KiB, with room for 8 192 pieces of work.
    let queue: CInt

    /// Starts the thread, unless there is no descriptor or memory left for it.
    ///
    /// - Parameters:
    ///   - stackSize: The size of its stack in bytes.
    ///   - room: The number of pieces that the queue has to have room for. Beyond 131 072 the kernel may refuse it
    ///     (`fs.pipe-max-size`), and the queue stays as it is. A queue takes memory only for the pieces in it.
    ///   - perform: Performs a piece of work, on the thread.
    public init?(stackSize: Int, room: Int = 0, _ perform: @escaping @Sendable (UInt64) -> Void) {
        guard let ends = Self.pipe() else { return nil }
        _ = fcntl(ends.write, F_SETFL, O_NONBLOCK)
        if room > Self.usualRoom {
            _ = fcntl(ends.write, Self.setPipeSize, CInt(clamping: min(room, 1 << 28) * 8))
        }

        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackSize)
        // A thread inherits the signal mask of the thread that creates it, and the loop handles the signals.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        var thread = pthread_t()
        let context = Unmanaged.passRetained(Context(ends.read, perform))
        let result = pthread_create(&thread, &attributes, { WorkerThread.run($0) }, context.toOpaque())
        guard result == 0 else {
            context.release()
            close(ends.read)
            close(ends.write)
            return nil
        }
        queue = ends.write
    }

    deinit {
        close(queue)
    }

    /// Hands a piece of work to the thread.
    ///
    /// - Returns: Whether the thread accepted it; `false` if the queue is full.
    public func hand(_ work: UInt64) -> Bool {
        // A pipe accepts a write of this size completely or not at all.
        withUnsafeBytes(of: work) { work in Self.retrying { write(queue, work.baseAddress, work.count) } } > 0
    }

    /// The number of pieces that wait in the queue.
    var waiting: Int {
        var bytes: CInt = 0
        return ioctl(queue, UInt(FIONREAD), &bytes) == 0 ? Int(bytes) / 8 : 0
    }

    /// `F_SETPIPE_SZ`, which the C library declares for `_GNU_SOURCE` only.
    private static let setPipeSize: CInt = 1_031
    private static let usualRoom = 8_192

    /// Calls a function again as long as a signal interrupts it; a debugger can do that to a thread that blocks all signals.
    static func retrying(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// The ends of a pipe, close-on-exec; `nil` if there is no descriptor left.
    static func pipe() -> (read: CInt, write: CInt)? {
        var ends: [CInt] = [-1, -1]
        guard CLinux.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// The thread's function: runs until the other end of its queue is closed.
    private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let this = Unmanaged<Context>.fromOpaque(context).takeRetainedValue()
        var work: UInt64 = 0
        while withUnsafeMutableBytes(
            of: &work,
            { work in
                Self.retrying { read(this.queue, work.baseAddress, work.count) }
            }
        ) > 0 {
            this.perform(work)
        }
        close(this.queue)
        return nil
    }
}
