internal import CLinux
internal import MemoryPressure

/// The clock by which a cache's entries age, in nanoseconds since an arbitrary moment.
@usableFromInline
struct CacheClock: Sendable {
    @usableFromInline let now: @Sendable () -> UInt64

    /// The kernel's monotonic clock at its last tick: at most a few milliseconds old, and read in a few nanoseconds.
    static let coarse = CacheClock {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    init(now: @escaping @Sendable () -> UInt64) {
        self.now = now
    }

    /// Uses another clock, from its present instant on.
    init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { UInt64(max(0, start.duration(to: clock.now).nanoseconds)) }
    }
}
