internal import CLinux

/// The lock of those who change a cache; readers take none.
///
/// A pthread mutex: a contended one costs less than the standard library's, since it tries for a moment before it
/// sleeps, and the thread sanitizer knows it.
@usableFromInline
struct WriterLock: ~Copyable, Sendable {
    // `nonisolated(unsafe)`: the pointer does not change, and a mutex is made for several threads.
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    // Never inlined into other modules: a call nobody looks into keeps reads and retains on its side of the lock.
    @usableFromInline
    func lock() {
        pthread_mutex_lock(mutex)
    }

    @usableFromInline
    func unlock() {
        pthread_mutex_unlock(mutex)
    }
}
