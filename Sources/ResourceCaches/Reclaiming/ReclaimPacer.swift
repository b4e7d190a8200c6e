/// Returns freed memory to the kernel while it is being freed, and counts it: what one thread drops in one round.
///
/// Freed memory stays with the allocator until that is told to return it, and while it does so every other thread that
/// allocates waits. In small steps none waits for long. Dropping 800 MB of objects of 4000 bytes, with another thread
/// that allocates all the time from the same arena (glibc 2.36, two CPUs):
///
/// | trim | that thread's longest wait | in trims altogether |
/// | --- | --- | --- |
/// | each 4 MiB | 0.8 to 1.7 ms | 70 to 95 ms |
/// | each 16 MiB | 2.7 to 3.2 ms | 75 to 118 ms |
/// | once at the end | 79 to 124 ms | 79 to 124 ms |
///
/// That holds for what is dropped in about the order in which it was allocated. See ``didDrop(_:)`` for the rest.
package final class ReclaimPacer {
    /// The bytes that a responder drops at most before it tells.
    package static let batchBytes = 4 << 20

    /// The bytes dropped so far, by the responders' own count.
    package private(set) var droppedBytes = 0

    private var untrimmedBytes = 0
    private var step = batchBytes
    private let trim: () -> UInt64?

    /// A pacer that has dropped nothing, for the process's allocator.
    package convenience init() {
        self.init(trim: ProcessMemory.trimAllocatorUnlessBusy)
    }

    /// - Parameter trim: Has free pages returned, and says for how many nanoseconds; `nil` if another thread is at it.
    init(trim: @escaping () -> UInt64?) {
        self.trim = trim
    }

    /// Notes what has been freed, and has the allocator return its free pages if that is enough.
    ///
    /// To be called after each batch of at most ``batchBytes``, with the values gone and no lock held.
    ///
    /// - Parameter bytes: The batch, by the responder's own count.
    package func didDrop(_ bytes: Int) {
        droppedBytes += bytes
        untrimmedBytes += bytes
        // If another thread is trimming, this one tries again with its next batch; nobody waits in line.
        guard untrimmedBytes >= step, let nanoseconds = trim() else { return }
        untrimmedBytes = 0
        // Each trim visits all free chunks that contain a page, those it has returned before too. Dropping every other
        // object leaves very many, and one trim in 4 MiB took 10 s for 800 MB in place of 0.1 s. So a trim has to be
        // worth its time: at least a byte for each nanosecond. The usual 4 MiB take a fifth of that or less.
        step = max(Self.batchBytes, Int(clamping: nanoseconds))
    }

    /// Notes what the responder has returned to the kernel by itself, with `MADV_DONTNEED` or `munmap`.
    ///
    /// - Parameter bytes: How much that was.
    package func didReturn(_ bytes: Int) {
        droppedBytes += bytes
    }
}
