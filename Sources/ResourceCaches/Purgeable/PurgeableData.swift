/// Bytes whose memory the kernel may take while they are not in use, with the access count of Apple's type of that name.
///
/// The code that makes one is its first user: the count starts at 1 (rule 7.12). At count 0 the pages are offered to the
/// kernel, which takes them when it needs memory, before it swaps or a daemon warns; and at a memory warning that a
/// ``ControllerHost`` in the process hears they go at once (rule 7.15). Needs no host, and the registration does not keep
/// it alive.
///
/// ```swift
/// let page = try PurgeableData(count: size) { bytes in try decode(file, into: &bytes) }
/// page.endContentAccess()
/// // Later, on any thread:
/// if page.beginContentAccess() {
///     defer { page.endContentAccess() }
///     page.withBytes { draw($0) }
/// }
/// ```
///
/// The closure gets an `inout MutableRawSpan`, which `bytes.storeBytes(of: 1, toByteOffset: 0, as: UInt8.self)` writes to.
///
/// Bytes that were lost in part are lost as a whole: ``beginContentAccess()`` never lets a reader in that would read zeroes.
///
/// It may be used from any thread. It is made for few and large pieces: it occupies whole pages, and to offer them and to
/// take them back touches each of them, which is of the order of a hundred microseconds a MiB each way. So begin once for
/// many reads, and hold what is much less than a page in a `DiscardableObject` of the module `ObjectCache`. A call may wait
/// for another thread's on the same data, but never for a closure.
///
/// What a host says it could give back, and has given back, are the pages that the kernel has not taken already.
///
/// An `ObjectCache.Cache` can hold these; its cost and the data's own count are then both in what a host says it could
/// give back.
public final class PurgeableData: DiscardableContent {
    /// How many bytes there are, or were.
    public let count: Int
    private let state: Guarded<State>
    private let recreate: (@Sendable (inout MutableRawSpan) -> Bool)?
    private let report: @Sendable (ContentFault) -> Void

    /// Bytes that a closure writes, with one user.
    ///
    /// - Parameters:
    ///   - count: How many bytes; not negative.
    ///   - recreate: Writes all bytes anew when an access begins to what is gone, or returns `false` if it cannot;
    ///     without it, what is gone stays gone. They are zero when it is called, on the thread that begins. Of several
    ///     that begin at the same time each may call it; the first bytes that are made stay.
    ///   - faultHandler: Hears of wrong use, in the middle of the call that was refused.
    ///   - fill: Writes the bytes, on the calling thread; they are zero when it is called.
    /// - Throws: ``CacheBufferError`` if the kernel has no memory to map, and what `fill` throws.
    public convenience init(
        count: Int,
        recreate: (@Sendable (inout MutableRawSpan) -> Bool)? = nil,
        faultHandler: @escaping @Sendable (ContentFault) -> Void = ContentFault.log,
        filling fill: (inout MutableRawSpan) throws -> Void
    ) throws {
        let buffer = try CacheBuffer(count: count, filling: fill)
        self.init(buffer, recreate: recreate, faultHandler: faultHandler)
    }

    /// A copy of some bytes, with one user; what is gone stays gone.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - faultHandler: Hears of wrong use, in the middle of the call that was refused.
    /// - Throws: ``CacheBufferError`` if the kernel has no memory to map.
    public convenience init(
        copying bytes: RawSpan,
        faultHandler: @escaping @Sendable (ContentFault) -> Void = ContentFault.log
    ) throws(CacheBufferError) {
        self.init(try CacheBuffer(copying: bytes), recreate: nil, faultHandler: faultHandler)
    }

    /// Takes over a buffer that has no other owner, as others would read what the kernel has taken.
    init(
        _ buffer: CacheBuffer,
        recreate: (@Sendable (inout MutableRawSpan) -> Bool)?,
        faultHandler: @escaping @Sendable (ContentFault) -> Void
    ) {
        count = buffer.count
        state = Guarded(State(buffer))
        self.recreate = recreate
        report = faultHandler
        Reclaimer.current.register(self)
    }

    /// Reads the bytes, for a user that is counted in.
    ///
    /// They stay until the closure returns, even if the access ends meanwhile. Several threads may read at the same time.
    ///
    /// - Parameter body: Reads the bytes, on the calling thread.
    /// - Returns: What `body` returns. Outside an access `nil`, without a call of `body`, and the fault
    ///   ``ContentFault/contentNotAccessed`` (rule 7.14).
    /// - Throws: What `body` throws.
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let buffer = state.withLock({ $0.beginReading() }) else {
            report(.contentNotAccessed)
            return nil
        }
        defer { state.withLock { $0.endReading() } }
        return try buffer.withBytes(body)
    }

    /// Counts one more user in if every byte is there or was made again, and tells whether it is (rule 7.12).
    ///
    /// After `false` nothing was counted, and the bytes are gone. Finding out touches every page if no user was counted
    /// in, and takes constant time otherwise.
    public func beginContentAccess() -> Bool {
        // What was lost ends after the lock is left, as that takes a while.
        var lost: CacheBuffer?
        if state.withLock({ $0.begin(lost: &lost) }) { return true }
        lost = nil
        guard let buffer = recreated() else { return false }
        // Another thread may have been faster.
        state.withLock { $0.begin(with: buffer, lost: &lost) }
        return true
    }

    private func recreated() -> CacheBuffer? {
        guard let recreate, let buffer = try? CacheBuffer(zeroes: count) else { return nil }
        return buffer.write(recreate) ? buffer : nil
    }

    /// Counts one user out; after the last one, and after all reads, the pages are offered to the kernel.
    ///
    /// With no user counted in it does nothing but report ``ContentFault/unbalancedContentAccess`` (rule 7.14).
    public func endContentAccess() {
        if !state.withLock({ $0.end() }) { report(.unbalancedContentAccess) }
    }

    /// Gives the memory back, on the calling thread, if no user is counted in and none reads (rules 7.12, 7.13).
    public func discardContentIfPossible() {
        discard()
    }

    /// Gives the memory back if it is not in use, and returns how many bytes that was: without what the kernel has taken.
    @discardableResult
    func discard() -> Int {
        // The buffer ends after the lock is left, and is counted there as well: it has no other owner.
        guard let buffer = state.withLock({ $0.discard() }) else { return 0 }
        return buffer.residentCount
    }

    /// The bytes of memory that could be given back: what the kernel has not taken, or 0 while they are in use.
    ///
    /// Asks the kernel, about a microsecond for each MiB, while a thread that begins to access them waits.
    var idleCount: Int {
        state.withLock { $0.idleCount }
    }

    /// Whether the bytes are known to be gone (rule 7.13).
    ///
    /// Takes constant time, so it does not look for pages that the kernel has taken: these are noticed when an access
    /// begins, and only ``beginContentAccess()`` can promise that they are there.
    public var isContentDiscarded: Bool {
        state.withLock { $0.isDiscarded }
    }

    /// Whether a user is counted in, or still reads.
    public var isContentBeingAccessed: Bool {
        state.withLock { $0.isInUse }
    }
}
