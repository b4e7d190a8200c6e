/// Returns memory to the kernel while one thread frees it in one round, and counts it.
///
/// The allocator keeps freed memory until it is told to return it, and during the return every other allocating thread
/// waits. In small steps no thread waits long. Dropping 800 MB of objects of 4000 bytes, with another thread that
/// allocates all the time from the same arena (glibc 2.36, two CPUs):
///
/// | trim | longest wait of that thread | total time in trims |
/// | --- | --- | --- |
/// | every 4 MiB | 0.8 to 1.7 ms | 70 to 95 ms |
/// | every 16 MiB | 2.7 to 3.2 ms | 75 to 118 ms |
/// | once at the end | 79 to 124 ms | 79 to 124 ms |
///
/// This applies to objects that are dropped in about the order of their allocation. For other orders see
/// ``didDrop(_:inSlab:)``.
package final class ReclaimPacer {
    /// The maximum number of bytes that a responder drops before it reports them.
    package static let batchBytes = 4 << 20

    /// The bytes freed so far, by the responders' own count.
    package private(set) var droppedBytes = 0
    private let held: HeldMemory
    /// The bytes that were freed within the responders' own memory, which has not returned to the kernel yet.
    private var slabBytes = 0

    private var untrimmedBytes = 0
    private var step = batchBytes
    private let trim: () -> UInt64?

    /// Creates a pacer for the process's allocator.
    ///
    /// - Parameter held: The record of shared objects, for rounds that run at the same time.
    package convenience init(held: HeldMemory = HeldMemory()) {
        self.init(held: held, trim: ProcessMemory.trimAllocatorUnlessBusy)
    }

    /// - Parameters:
    ///   - held: The record of shared objects.
    ///   - trim: Makes the allocator return free pages, and returns the time in nanoseconds; `nil` if another thread is
    ///     trimming.
    init(held: HeldMemory = HeldMemory(), trim: @escaping () -> UInt64?) {
        self.held = held
        self.trim = trim
    }

    /// The bytes that left the responders: those that are free, and those that will be when their own memory returns to
    /// the kernel.
    var leftBytes: Int { droppedBytes.addingSaturated(slabBytes) }

    /// Records freed bytes, and makes the allocator return its free pages if there are enough.
    ///
    /// Call it after each batch of at most ``batchBytes``, with the values destroyed and no lock held.
    ///
    /// - Parameters:
    ///   - bytes: The batch, by the responder's own count.
    ///   - inSlab: Further bytes in the responder's own memory, which count when ``didReturnSlab(_:)`` reports them.
    package func didDrop(_ bytes: Int, inSlab: Int = 0) {
        droppedBytes = droppedBytes.addingSaturated(bytes)
        untrimmedBytes = untrimmedBytes.addingSaturated(bytes)
        slabBytes = slabBytes.addingSaturated(inSlab)
        // If another thread is trimming, this one tries again with its next batch; no thread waits.
        guard untrimmedBytes >= step, let nanoseconds = trim() else { return }
        untrimmedBytes = 0
        // Each trim visits all free chunks that contain a page, including those that it has returned before. Dropping
        // every other object leaves very many of them, and a trim every 4 MiB took 10 s for 800 MB instead of 0.1 s. So
        // a trim has to be worth its time: at least a byte per nanosecond. The usual 4 MiB take a fifth of that or
        // less.
        step = max(Self.batchBytes, Int(clamping: nanoseconds))
    }

    /// Records bytes that the responder itself has returned to the kernel, with `MADV_DONTNEED` or `munmap`.
    ///
    /// - Parameter bytes: Their number.
    package func didReturn(_ bytes: Int) {
        droppedBytes = droppedBytes.addingSaturated(bytes)
    }

    /// Records bytes of a responder's own memory that have returned to the kernel; they count up to the bytes that were
    /// dropped in it.
    package func didReturnSlab(_ bytes: Int) {
        let counted = min(bytes, slabBytes)
        slabBytes -= counted
        didReturn(counted)
    }

    /// Records that a responder has dropped memory that other references keep; it counts if they are dropped in this
    /// event.
    ///
    /// - Parameters:
    ///   - object: The owner of the memory.
    ///   - bytes: Its size, by the responder's own count.
    package func didLetGo(of object: AnyObject?, _ bytes: Int) {
        guard let object else { return }
        didReturn(held.add(object, bytes))
    }

    /// Whether a responder has dropped memory that other references kept.
    var hasLetGo: Bool { !held.isEmpty }

    /// Removes the record of ``didLetGo(of:_:)`` for an object whose last reference is dropped now.
    ///
    /// - Returns: The recorded bytes; 0 if there are none.
    package func takeBytesHeld(by object: @autoclosure () -> AnyObject?) -> Int {
        guard !held.isEmpty, let object = object() else { return 0 }
        return held.take(object)
    }

    /// Counts shared objects that are free by now.
    func settle() {
        didReturn(held.takeFreed())
    }
}
