internal import CLinux

/// The process's memory as the kernel and the allocator see it.
package enum ProcessMemory {
    /// The resident set in bytes, or 0 if `/proc` cannot be read.
    ///
    /// The kernel counts in per-CPU batches, so the figure may lag by some dozen pages a CPU (proc_pid_statm(5)).
    package static func residentBytes() -> UInt64 { ResidentSetFile().bytes }

    /// Makes the allocator return its free pages to the kernel, those in the middle of its heaps included.
    ///
    /// With glibc this walks over every arena, which takes tens of milliseconds for a heap of gigabytes. It waits for
    /// another thread that is trimming. ``Allocator`` lists the supported allocators.
    package static func trimAllocator() {
        trimming.withLock { _ in Allocator.current.trim() }
    }

    /// Like ``trimAllocator()``, and returns the time in nanoseconds; does nothing and returns `nil` if another thread
    /// is trimming.
    ///
    /// The time is the thread's CPU time: on a busy machine the clock says more about other processes.
    static func trimAllocatorUnlessBusy() -> UInt64? {
        trimming.withLockIfAvailable { _ in
            let start = threadNanoseconds()
            Allocator.current.trim()
            return threadNanoseconds() - start
        }
    }

    /// Two concurrent trims would stall twice as many arenas, and each would find only the pages that the other left.
    static let trimming = Guarded(())

    private static func threadNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
