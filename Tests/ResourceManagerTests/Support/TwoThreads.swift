import Dispatch
import Testing

/// Runs every test of a suite twice at once, on the main thread and on another thread, as two hosts run on two actors.
///
/// Each run has its own instance of the suite, and therefore its own host. The thread sanitizer detects state that the
/// library's hosts share unintentionally.
struct TwoThreads: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        async let first: Void = withTaskExecutorPreference(Thread.main) { try await function() }
        async let second: Void = withTaskExecutorPreference(Thread.other) { try await function() }
        _ = try await (first, second)
    }

    /// A queue as an executor, for code that belongs to no actor.
    private final class Thread: TaskExecutor {
        static let main = Thread(.main)
        static let other = Thread(DispatchQueue(label: "another thread"))

        private let queue: DispatchQueue

        init(_ queue: DispatchQueue) {
            self.queue = queue
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}

extension Trait where Self == TwoThreads {
    /// Runs every test on two threads at once.
    static var onTwoThreads: Self { TwoThreads() }
}
