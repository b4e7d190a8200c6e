internal import CLinux

/// A gate at which one thread waits until another one opens it with an outcome.
///
/// Any thread opens it, once; the thread that created it waits, once, before or after that.
final class ThreadGate<Outcome: Sendable>: Sendable {
    // All threads may use it, and the pointer never changes; guards the outcome.
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // All threads may use it, and the pointer never changes.
    private nonisolated(unsafe) let isOpen: UnsafeMutablePointer<pthread_cond_t>
    // Guarded by the mutex.
    private nonisolated(unsafe) var outcome: Outcome?

    init() {
        mutex = .allocate(capacity: 1)
        isOpen = .allocate(capacity: 1)
        // Neither call fails with valid attributes.
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // This clock is never set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(isOpen, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(isOpen)
        pthread_mutex_destroy(mutex)
        isOpen.deallocate()
        mutex.deallocate()
    }

    /// Lets the waiting thread continue.
    func open(with outcome: Outcome) {
        pthread_mutex_lock(mutex)
        self.outcome = outcome
        pthread_cond_signal(isOpen)
        pthread_mutex_unlock(mutex)
    }

    /// Blocks the thread until the gate is open.
    func wait() -> Outcome {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let outcome = outcome.take() { return outcome }
            pthread_cond_wait(isOpen, mutex)
        }
    }

    /// Blocks the thread until the gate is open or the time has passed; `nil` if the gate is not open then.
    @discardableResult
    func wait(atMost duration: Duration) -> Outcome? {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        end.advance(by: max(.zero, duration))
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while outcome == nil, pthread_cond_timedwait(isOpen, mutex, &end) != ETIMEDOUT {}
        return outcome.take()
    }
}

extension timespec {
    fileprivate mutating func advance(by duration: Duration) {
        let nanoseconds = tv_nsec + Int(duration.components.attoseconds / 1_000_000_000)
        tv_sec += Int(duration.components.seconds) + nanoseconds / 1_000_000_000
        tv_nsec = nanoseconds % 1_000_000_000
    }
}
