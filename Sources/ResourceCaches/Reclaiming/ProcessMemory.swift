internal import CLinux

/// The process's memory as the kernel and the allocator see it.
package enum ProcessMemory {
    /// The resident set in bytes, or 0 if `/proc` cannot be read.
    ///
    /// The kernel counts in per-CPU batches, so the figure may lag by some dozen pages a CPU (proc_pid_statm(5)).
    package static func residentBytes() -> UInt64 { ResidentSetFile().bytes }

    /// Makes the allocator return its free pages to the kernel, those in the middle of its heaps included.
    ///
    /// With glibc that is a walk over every arena, which takes tens of milliseconds for a heap of gigabytes. Waits for
    /// another thread that is at it. ``Allocator`` says which allocators it can ask.
    package static func trimAllocator() {
        trimming.withLock { _ in Allocator.current.trim() }
    }

    /// As ``trimAllocator()``, and says for how many nanoseconds; `nil`, and nothing is done, if another thread is at it.
    ///
    /// Nanoseconds of the thread's own time: on a busy machine the clock says more about others.
    static func trimAllocatorUnlessBusy() -> UInt64? {
        trimming.withLockIfAvailable { _ in
            let start = threadNanoseconds()
            Allocator.current.trim()
            return threadNanoseconds() - start
        }
    }

    /// Two trims at a time would stall twice as many arenas, to find what the other has left.
    static let trimming = Guarded(())

    private static func threadNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
