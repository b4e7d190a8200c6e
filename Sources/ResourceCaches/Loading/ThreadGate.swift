internal import CLinux

/// Where one thread waits until another one opens the gate with an outcome.
///
/// Opened once, from any thread; waited for once, by the thread that made it, before or after that.
final class ThreadGate<Outcome: Sendable>: Sendable {
    private let outcome = Guarded<Outcome?>(nil)
    // A semaphore may be used from all threads; the pointer to it never changes.
    private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        // It fails for a value that is too large, and 0 is not.
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Lets the waiting thread go on.
    func open(with outcome: Outcome) {
        self.outcome.withLock { $0 = outcome }
        sem_post(semaphore)
    }

    /// Blocks the thread until the gate is open.
    func wait() -> Outcome {
        while true {
            if let outcome = outcome.withLock({ $0.take() }) { return outcome }
            // Ends early for a signal; then the outcome is not there yet.
            sem_wait(semaphore)
        }
    }
}
