internal import CLinux

/// Does jobs on a thread of their own, one after the other, and hands each back to the event loop when it is done.
///
/// For calls that the kernel may keep waiting for what another program does. What the loop has handed over it does not touch
/// until it has it back.
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
    /// Where the loop takes jobs back that are done.
    private let jobs: CInt
    private let source: IOSource

    /// Starts the thread, unless there are no descriptors or there is no memory for it.
    ///
    /// - Parameters:
    ///   - stackSize: how many bytes the thread's stack may take.
    ///   - loop: what jobs are handed back to, each in a turn of its own, since others wait.
    ///   - perform: does a job, on the thread.
    ///   - done: takes a job back, on the loop.
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
            // Where the loop is gone, nothing takes it back.
            let count = withUnsafeBytes(of: bits) { write(back.descriptor, $0.baseAddress, $0.count) }
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

    /// Has a job done.
    ///
    /// - Returns: Whether the thread has it; `false` if it is too far behind.
    public func hand(_ job: Job) -> Bool {
        let reference = Unmanaged.passRetained(job)
        let isHanded = thread.hand(UInt64(UInt(bitPattern: reference.toOpaque())))
        if !isHanded { reference.release() }
        return isHanded
    }

    /// The job that was handed over as these bits, with the reference that goes with them.
    private static func job(_ bits: UInt64) -> Unmanaged<Job>? {
        // The address of an object of this class, as `hand` sends it.
        UnsafeRawPointer(bitPattern: UInt(bits)).map { Unmanaged.fromOpaque($0) }
    }

    private static func take(from jobs: CInt) -> Job? {
        var bits: UInt64 = 0
        guard withUnsafeMutableBytes(of: &bits, { read(jobs, $0.baseAddress, $0.count) }) > 0 else { return nil }
        return job(bits)?.takeRetainedValue()
    }
}
