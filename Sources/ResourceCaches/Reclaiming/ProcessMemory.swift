internal import CLinux

/// The process's memory as the kernel and the allocator see it.
package enum ProcessMemory {
    /// The resident set in bytes, or 0 if `/proc` cannot be read.
    ///
    /// The file is opened anew for each reading: a descriptor kept open would still mean the parent after a fork. The
    /// kernel counts in per-CPU batches, so the figure may lag by some dozen pages a CPU (proc_pid_statm(5)).
    package static func residentBytes() -> UInt64 {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        // Seven numbers of at most twenty digits.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 160) { buffer in
            let length = read(file, buffer.baseAddress, buffer.count)
            guard length > 0 else { return 0 }
            return residentPages(statm: buffer[..<length]) * UInt64(sysconf(CInt(_SC_PAGESIZE)))
        }
    }

    /// The second number of a statm line.
    static func residentPages(statm: some Sequence<UInt8>) -> UInt64 {
        let fields = statm.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard fields.count > 1 else { return 0 }
        return UInt64(String(decoding: fields[1], as: UTF8.self)) ?? 0
    }

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
