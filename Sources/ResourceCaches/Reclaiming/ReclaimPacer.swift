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

    /// The bytes freed so far, by the responders' own count.
    package private(set) var droppedBytes = 0
    private var held = HeldMemory()
    /// What has left the responders' own memory, which has not returned to the kernel yet.
    private var slabBytes = 0

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

    /// What has left the responders: what is free, and what will be when their own memory returns to the kernel.
    var leftBytes: Int { droppedBytes.addingSaturated(slabBytes) }

    /// Notes what has been freed, and has the allocator return its free pages if that is enough.
    ///
    /// To be called after each batch of at most ``batchBytes``, with the values gone and no lock held.
    ///
    /// - Parameters:
    ///   - bytes: The batch, by the responder's own count.
    ///   - inSlab: What was in the responder's own memory besides, and counts when ``didReturnSlab(_:)`` tells of it.
    package func didDrop(_ bytes: Int, inSlab: Int = 0) {
        droppedBytes = droppedBytes.addingSaturated(bytes)
        untrimmedBytes = untrimmedBytes.addingSaturated(bytes)
        slabBytes = slabBytes.addingSaturated(inSlab)
        // If another thread is trimming, this one tries again with its next batch; none waits in line.
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
        droppedBytes = droppedBytes.addingSaturated(bytes)
    }

    /// Notes that so much of a responder's own memory has returned to the kernel; counts as far as it held what was
    /// dropped.
    package func didReturnSlab(_ bytes: Int) {
        let counted = min(bytes, slabBytes)
        slabBytes -= counted
        didReturn(counted)
    }

    /// Notes that a responder has let go of memory that other references keep; it counts when they end in this event.
    ///
    /// - Parameters:
    ///   - object: What owns the memory.
    ///   - bytes: Its size, by the responder's own count.
    package func didLetGo(of object: AnyObject?, _ bytes: Int) {
        guard let object else { return }
        didReturn(held.add(object, bytes))
    }

    /// Takes back what ``didLetGo(of:_:)`` noted of an object whose last reference ends now.
    ///
    /// - Returns: The bytes that were noted; 0 if there is nothing.
    package func takeBytesHeld(by object: @autoclosure () -> AnyObject?) -> Int {
        guard !held.isEmpty, let object = object() else { return 0 }
        return held.take(object)
    }

    /// Counts what others had a share of, and is free by now.
    func settle() {
        didReturn(held.takeFreed())
    }
}

/// Memory that responders of one process have let go of, and that other references kept when they did.
///
/// Two caches may hold one object, or one cache under two keys: the last of them frees it, and it counts once.
private struct HeldMemory {
    private struct Share {
        weak var object: AnyObject?
        var bytes: Int
    }

    private var shares: [ObjectIdentifier: Share] = [:]

    /// More are not noted, and are not counted then: each takes some hundred bytes.
    private static let most = 1 << 16

    var isEmpty: Bool { shares.isEmpty }

    /// - Returns: The bytes of an object that had the same address before, and has ended.
    mutating func add(_ object: AnyObject, _ bytes: Int) -> Int {
        let id = ObjectIdentifier(object)
        if let share = shares[id] {
            let isSame = share.object != nil
            shares[id] = Share(object: object, bytes: isSame ? max(share.bytes, bytes) : bytes)
            return isSame ? 0 : share.bytes
        }
        if shares.count < Self.most { shares[id] = Share(object: object, bytes: bytes) }
        return 0
    }

    mutating func take(_ object: AnyObject) -> Int {
        let id = ObjectIdentifier(object)
        guard let share = shares[id], share.object != nil else { return 0 }
        shares[id] = nil
        return share.bytes
    }

    mutating func takeFreed() -> Int {
        var bytes = 0
        for (id, share) in shares where share.object == nil {
            bytes = bytes.addingSaturated(share.bytes)
            shares[id] = nil
        }
        return bytes
    }
}
