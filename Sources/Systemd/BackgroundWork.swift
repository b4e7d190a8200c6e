internal import CLinux

/// Performs jobs on a separate thread, one after the other, and returns each finished job to the event loop.
///
/// Use it for calls that the kernel may delay because of another program. After the loop has handed a job over, it does
/// not access the job until the job returns.
public final class BackgroundWork<Job: AnyObject & Sendable> {
    /// An end of a pipe that the thread keeps open.
    private final class ThreadsEnd: Sendable {
        let descriptor: CInt

        init(_ descriptor: CInt) {
            self.descriptor = descriptor
        }

        deinit {
            close(descriptor)
        }
    }

    private let thread: WorkerThread
    /// The event source by which finished jobs return to the loop.
    private let jobs: CInt
    private let source: IOSource

    /// Starts the thread, unless there is no descriptor or memory left for it.
    ///
    /// - Parameters:
    ///   - stackSize: The size of the thread's stack in bytes.
    ///   - loop: Receives finished jobs, each in a turn of its own, since other sources wait.
    ///   - perform: Performs a job, on the thread.
    ///   - done: Receives a finished job, on the loop.
    public init?(
        stackSize: Int,
        on loop: EventLoop,
        perform: @escaping @Sendable (Job) -> Void,
        done: @escaping (Job) -> Void
    ) {
        guard let ends = WorkerThread.pipe() else { return nil }
        let jobs = ends.read
        _ = fcntl(jobs, F_SETFL, O_NONBLOCK)
        let back = ThreadsEnd(ends.write)
        let thread = WorkerThread(stackSize: stackSize) { bits in
            guard let job = Self.job(bits) else { return }
            job._withUnsafeGuaranteedRef { perform($0) }
            // If the loop is gone, the job is dropped.
            let count = withUnsafeBytes(of: bits) { bits in
                WorkerThread.retrying { write(back.descriptor, bits.baseAddress, bits.count) }
            }
            if count < 0 { job.release() }
        }
        let source = try? loop.watch(jobs, for: .readable, priority: .important) { _ in
            if let job = Self.take(from: jobs) { done(job) }
        }
        guard let thread, let source else {
            close(jobs)
            return nil
        }
        (self.thread, self.jobs, self.source) = (thread, jobs, source)
    }

    deinit {
        source.disable()
        while Self.take(from: jobs) != nil {}
        close(jobs)
    }

    /// Hands a job to the thread.
    ///
    /// - Returns: Whether the thread accepted it; `false` if the queue is full.
    public func hand(_ job: Job) -> Bool {
        let reference = Unmanaged.passRetained(job)
        let isHanded = thread.hand(UInt64(UInt(bitPattern: reference.toOpaque())))
        if !isHanded { reference.release() }
        return isHanded
    }

    /// The job whose address was sent as these bits, with the reference that was sent with it.
    private static func job(_ bits: UInt64) -> Unmanaged<Job>? {
        // The address of an object of this class, as `hand` sends it.
        UnsafeRawPointer(bitPattern: UInt(bits)).map { Unmanaged.fromOpaque($0) }
    }

    private static func take(from jobs: CInt) -> Job? {
        var bits: UInt64 = 0
        let count = withUnsafeMutableBytes(of: &bits) { bits in
            WorkerThread.retrying { read(jobs, bits.baseAddress, bits.count) }
        }
        guard count > 0 else { return nil }
        return job(bits)?.takeRetainedValue()
    }
}
