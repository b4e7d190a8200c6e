import CLinux
import MemoryPressure
import Systemd
import WarningPolicy

/// Opens the files of cgroups on a thread of its own.
///
/// The kernel arms a trigger under the lock of all cgroups, which it holds for tens of milliseconds when a cgroup is removed
/// that has triggers: a user that removes cgroups would have the event loop wait.
final class ScopeOpener {
    /// A scope whose files are opened, and what came of that.
    // Written by the thread before it hands the job back, and read by the loop after it took it back.
    final class Job: @unchecked Sendable {
        let scope: ScopeID
        let place: SensorPlace
        /// Whether it is heard of when the scope's limits are moved.
        let hearsMoves: Bool
        private let plan: StallPlan
        private let kernel: KernelTree
        private var result: Result<SensorFiles, KernelError>?

        init(_ scope: ScopeID, _ place: SensorPlace, _ plan: StallPlan, in kernel: KernelTree, hearsMoves: Bool) {
            (self.scope, self.place, self.plan, self.kernel) = (scope, place, plan, kernel)
            self.hearsMoves = hearsMoves
        }

        fileprivate func perform() {
            do throws(KernelError) {
                result = .success(try SensorFiles(place, in: kernel, policy: SensorPolicy(stalls: plan)))
            } catch {
                result = .failure(error)
            }
        }

        /// This job, done by the caller.
        func performed() -> Self {
            perform()
            return self
        }

        /// The files of a job that is done.
        func files() throws(KernelError) -> SensorFiles {
            guard let result else { throw KernelError("open", place.name, errno: EAGAIN) }
            return try result.get()
        }
    }

    /// An end of a pipe that the thread keeps open.
    private final class ThreadsEnd: Sendable {
        let descriptor: Descriptor

        init(_ descriptor: consuming Descriptor) {
            self.descriptor = descriptor
        }
    }

    private let thread: WorkerThread
    /// Where the loop takes jobs back that are done.
    private let done: CInt
    private let source: IOSource

    /// Starts the thread, unless there are no descriptors or there is no memory for it; `opened` is called from the loop.
    init?(loop: EventLoop, opened: @escaping (Job) -> Void) {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let done = ends[0]
        _ = fcntl(done, F_SETFL, O_NONBLOCK)
        let back = ThreadsEnd(Descriptor(taking: ends[1]))
        // Paths and the kernel's texts are read into buffers on the stack.
        let thread = WorkerThread(stackSize: 256 << 10) { bits in
            guard let job = Self.job(bits) else { return }
            job._withUnsafeGuaranteedRef { $0.perform() }
            // Where the loop is gone, nothing takes it back.
            let count = withUnsafeBytes(of: bits) { write(back.descriptor.raw, $0.baseAddress, $0.count) }
            if count < 0 { job.release() }
        }
        // One job a call: each has files that are polled from then on, and others wait.
        let source = try? loop.watch(done, for: .readable, priority: .important) { _ in
            if let job = Self.take(from: done) { opened(job) }
        }
        guard let thread, let source else {
            close(done)
            return nil
        }
        (self.thread, self.done, self.source) = (thread, done, source)
    }

    deinit {
        source.disable()
        while Self.take(from: done) != nil {}
        close(done)
    }

    /// Has a scope's files opened.
    ///
    /// - Returns: Whether the thread has the job; `false` if it is too far behind.
    func open(_ job: Job) -> Bool {
        let reference = Unmanaged.passRetained(job)
        let isHanded = thread.hand(UInt64(UInt(bitPattern: reference.toOpaque())))
        if !isHanded { reference.release() }
        return isHanded
    }

    /// The job that was handed over as these bits, with the reference that goes with them.
    private static func job(_ bits: UInt64) -> Unmanaged<Job>? {
        UnsafeRawPointer(bitPattern: UInt(bits)).map { Unmanaged.fromOpaque($0) }
    }

    private static func take(from done: CInt) -> Job? {
        var bits: UInt64 = 0
        guard withUnsafeMutableBytes(of: &bits, { read(done, $0.baseAddress, $0.count) }) > 0 else { return nil }
        return job(bits)?.takeRetainedValue()
    }
}
