internal import CLinux

/// A thread that does what the event loop must not wait for, one piece after another.
///
/// It ends once this object is gone and all that it was handed is done. All signals are left to the loop.
public final class WorkerThread {
    /// What the thread runs with.
    private final class Context: Sendable {
        let queue: CInt
        let perform: @Sendable (UInt64) -> Void

        init(_ queue: CInt, _ perform: @escaping @Sendable (UInt64) -> Void) {
            (self.queue, self.perform) = (queue, perform)
        }
    }

    /// The writing end of the thread's queue: a pipe of 64 KiB, with room for 8 192 pieces of work.
    let queue: CInt

    /// Starts the thread, unless there are no descriptors or there is no memory for it.
    ///
    /// - Parameters:
    ///   - stackSize: how many bytes its stack may take.
    ///   - perform: does a piece of work, on the thread.
    public init?(stackSize: Int, _ perform: @escaping @Sendable (UInt64) -> Void) {
        guard let ends = Self.pipe() else { return nil }
        _ = fcntl(ends.write, F_SETFL, O_NONBLOCK)

        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackSize)
        // A thread begins with its maker's mask, and the signals are for the loop.
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

    /// Hands the thread a piece of work.
    ///
    /// - Returns: Whether the thread has it; `false` if it is too far behind.
    public func hand(_ work: UInt64) -> Bool {
        // So few bytes a pipe takes all or none of.
        withUnsafeBytes(of: work) { write(queue, $0.baseAddress, $0.count) } > 0
    }

    /// A pipe's ends, which no program inherits; `nil` where there is no descriptor for them.
    static func pipe() -> (read: CInt, write: CInt)? {
        var ends: [CInt] = [-1, -1]
        guard CLinux.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// The thread: until the other end of its queue is closed.
    private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let this = Unmanaged<Context>.fromOpaque(context).takeRetainedValue()
        var work: UInt64 = 0
        while withUnsafeMutableBytes(of: &work, { read(this.queue, $0.baseAddress, $0.count) }) > 0 {
            this.perform(work)
        }
        close(this.queue)
        return nil
    }
}
