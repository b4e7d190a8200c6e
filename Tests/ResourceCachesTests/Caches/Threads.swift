import CLinux
import Dispatch
import Synchronization

@testable import ResourceCaches

/// Runs a closure on that number of new threads at once, and returns when all of them have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
    let threads = (0..<count).map { number in NewThread { body(number) } }
    for thread in threads { thread.join() }
}

/// A system thread, which really ends.
final class NewThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private var thread = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(body))
        let outcome = pthread_create(
            &thread,
            nil,
            { argument in
                // The argument is the work that was passed below.
                argument.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            },
            work.toOpaque()
        )
        precondition(outcome == 0, "pthread_create failed with \(outcome)")
    }

    func join() {
        pthread_join(thread, nil)
    }
}

/// A place where a fixed number of threads wait for each other, repeatedly.
final class Barrier: Sendable {
    private let count: Int
    private let arrived = Atomic(0)

    init(_ count: Int) {
        self.count = count
    }

    /// Returns once all threads have called it equally often.
    func wait() {
        let arrival = arrived.add(1, ordering: .sequentiallyConsistent).oldValue
        let all = (arrival / count + 1) * count
        // There are more threads than processors.
        while arrived.load(ordering: .sequentiallyConsistent) < all { sched_yield() }
    }
}

/// Whether a condition becomes true while this thread lets others run.
///
/// Other threads may be in the middle of a read.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<100_000 {
        if condition() { return true }
        sched_yield()
    }
    return false
}

/// Lets other tasks run until a condition is true, or this task is cancelled.
func until(_ condition: @Sendable () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
}

extension Task {
    /// The task's value.
    ///
    /// If the calling task is cancelled, for example by a test's time limit, this task is cancelled too.
    var valueInTime: Success {
        get async throws {
            try await withTaskCancellationHandler {
                try await value
            } onCancel: {
                cancel()
            }
        }
    }
}
