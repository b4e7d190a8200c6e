internal import CBench
internal import Glibc
internal import Synchronization

/// The thread that fills the cache, and then continues to use the allocator.
///
/// The same thread does both because malloc(3) gives each thread an arena with its own lock. Returning the pages of an
/// arena makes threads that use the same arena wait.
final class Worker: Sendable {
    private let isFilled = Atomic(false)
    private let longestWait = Atomic<UInt64>(0)

    /// Starts a thread that first fills the cache.
    func start(_ fill: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let job = Unmanaged.passRetained(Job(worker: self, fill: fill))
        pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            },
            job.toOpaque()
        )
    }

    func waitUntilFilled() {
        while !isFilled.load(ordering: .acquiring) { usleep(1_000) }
    }

    /// The duration of the slowest malloc(3) or free(3) since the previous call, in nanoseconds.
    func takeLongestWait() -> UInt64 {
        longestWait.exchange(0, ordering: .relaxed)
    }

    private final class Job: Sendable {
        let worker: Worker
        let fill: @Sendable () -> Void

        init(worker: Worker, fill: @escaping @Sendable () -> Void) {
            self.worker = worker
            self.fill = fill
        }

        func run() {
            fill()
            worker.isFilled.store(true, ordering: .releasing)
            worker.allocate()
        }
    }

    private func allocate() {
        while true {
            let start = bench_now()
            // Too large for the thread's own store of chunks, so that each allocation needs the arena's lock.
            let chunk = malloc(4_000)
            bench_use(chunk)
            free(chunk)
            longestWait.max(bench_now() - start, ordering: .relaxed)
        }
    }
}
