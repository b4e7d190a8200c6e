import ResourceManager
import Synchronization

/// Runs asynchronous operations at times and on a thread that the walk chooses.
///
/// Each drain waits until the walk ends it.
final class Drains {
    /// An operation that is in its drain.
    struct Pending {
        let container: Int
        let text: String
        /// The controllers that the operation keeps meanwhile.
        let held: Set<Int>
        /// The child that a transition replaces.
        let replaced: Int?
        let end: UnsafeContinuation<Void, Never>
    }

    private let executor = StepExecutor()
    private(set) var pending: [Pending] = []

    /// Begins an operation with a drain.
    ///
    /// When this returns, the operation is in its drain, unless it was refused.
    func begin(
        _ text: String,
        of container: Int,
        holding held: Set<Int>,
        replacing replaced: Int? = nil,
        _ operation: @escaping (nonisolated(nonsending) () async -> Void) async -> Void
    ) {
        // Safety: the executor runs the closure only on the thread that called this function.
        nonisolated(unsafe) let body = {
            await operation {
                await withUnsafeContinuation { continuation in
                    self.pending.append(
                        Pending(container: container, text: text, held: held, replaced: replaced, end: continuation)
                    )
                }
            }
        }
        _ = Task(executorPreference: executor) { await body() }
        executor.run()
    }

    /// Ends a drain.
    ///
    /// When this returns, the second half of its operation has run.
    func end(_ index: Int) {
        pending.remove(at: index).end.resume()
        executor.run()
    }
}

/// Runs its jobs when `run()` is called.
private final class StepExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
