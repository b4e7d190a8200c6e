import ResourceManager
import Synchronization

/// Runs what is asynchronous when the walk says so, on its thread, and has each drain wait until the walk ends it.
final class Drains {
    /// A drain between its halves.
    struct Pending {
        let container: Int
        let text: String
        /// What the change keeps meanwhile.
        let held: Set<Int>
        let end: UnsafeContinuation<Void, Never>
    }

    private let executor = StepExecutor()
    private(set) var pending: [Pending] = []

    /// Begins an operation with a drain; it waits in its drain afterwards, unless it was refused.
    func begin(
        _ text: String,
        of container: Int,
        holding held: Set<Int>,
        _ operation: @escaping (nonisolated(nonsending) () async -> Void) async -> Void
    ) {
        // Safety: the executor runs it on the thread that called this, and nowhere else.
        nonisolated(unsafe) let body = {
            await operation {
                await withUnsafeContinuation { continuation in
                    self.pending.append(Pending(container: container, text: text, held: held, end: continuation))
                }
            }
        }
        _ = Task(executorPreference: executor) { await body() }
        executor.run()
    }

    /// Ends a drain: the second half of its operation is over when this returns.
    func end(_ index: Int) {
        pending.remove(at: index).end.resume()
        executor.run()
    }
}

/// Runs jobs when it is told to.
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
