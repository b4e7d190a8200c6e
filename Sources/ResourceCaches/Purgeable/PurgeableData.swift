/// Bytes whose memory the kernel may reclaim while they are not in use, with an access count like that of Apple's type of
/// the same name.
///
/// The code that creates it is its first user: the count starts at 1 (rule 7.12). At count 0 the pages are offered to
/// the kernel, which reclaims them when it needs memory, before it swaps or a daemon warns. At a memory warning that a
/// `ControllerHost` in the process receives they are freed at once (rule 7.15). It needs no host, and the
/// registration does not keep it alive.
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
/// The closure gets an `inout MutableRawSpan`; `bytes.storeBytes(of: 1, toByteOffset: 0, as: UInt8.self)` writes to it.
///
/// Bytes that were lost in part count as lost altogether: ``beginContentAccess()`` never admits a reader that would
/// read zeroes.
///
/// It may be used from any thread. It is made for few and large pieces: it occupies whole pages, and offering them and
/// taking them back touch each page, of the order of a hundred microseconds per MiB each. So begin one access for many
/// reads, and use a `DiscardableObject` of the module `ObjectCache` for much less than a page. A call may wait for
/// another thread's call on the same data, but never for a closure.
///
/// A host counts only pages that the kernel has not reclaimed already, both as releasable and as released.
///
/// An `ObjectCache.Cache` can hold these objects; a host then counts both the cost in the cache and the data's own
/// bytes as releasable.
public final class PurgeableData: DiscardableContent {
    /// The number of bytes.
    public let count: Int
    private let state: Guarded<State>
    private let recreate: (@Sendable (inout MutableRawSpan) -> Bool)?
    private let report: @Sendable (ContentFault) -> Void

    /// Creates bytes that a closure writes, with one user.
    ///
    /// - Parameters:
    ///   - count: How many bytes; not negative.
    ///   - recreate: Writes all bytes again when an access to lost bytes begins, or returns `false` if it cannot;
    ///     without this closure, lost bytes stay lost. The bytes are zero when it is called, on the thread that begins
    ///     the access. Threads that begin at the same time may each call it; the first result is kept.
    ///   - faultHandler: Is told about wrong use, during the refused call.
    ///   - fill: Writes the bytes, on the calling thread; they are zero when it is called.
    /// - Throws: ``CacheBufferError`` if the kernel cannot map memory, and the error of `fill`.
    public convenience init(
        count: Int,
        recreate: (@Sendable (inout MutableRawSpan) -> Bool)? = nil,
        faultHandler: @escaping @Sendable (ContentFault) -> Void = ContentFault.log,
        filling fill: (inout MutableRawSpan) throws -> Void
    ) throws {
        let buffer = try CacheBuffer(count: count, filling: fill)
        self.init(buffer, recreate: recreate, faultHandler: faultHandler)
    }

    /// Creates a copy of some bytes, with one user; lost bytes stay lost.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - faultHandler: Is told about wrong use, during the refused call.
    /// - Throws: ``CacheBufferError`` if the kernel cannot map memory.
    public convenience init(
        copying bytes: RawSpan,
        faultHandler: @escaping @Sendable (ContentFault) -> Void = ContentFault.log
    ) throws(CacheBufferError) {
        self.init(try CacheBuffer(copying: bytes), recreate: nil, faultHandler: faultHandler)
    }

    /// Takes over a buffer without another owner, because other owners would read reclaimed pages.
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

    /// Reads the bytes, during an access.
    ///
    /// They stay until the closure returns, even if the access ends during the call. Several threads may read at the
    /// same time.
    ///
    /// - Parameter body: Reads the bytes, on the calling thread.
    /// - Returns: What `body` returns. Outside an access it is `nil` without a call of `body`, and the call reports the
    ///   fault ``ContentFault/contentNotAccessed`` (rule 7.14).
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

    /// Adds a user if every byte is intact or was recreated, and returns whether it did (rule 7.12).
    ///
    /// After `false` no user was added, and the bytes are lost. The call touches every page if there was no user
    /// before, and takes constant time otherwise.
    public func beginContentAccess() -> Bool {
        // The lost buffer is destroyed after the lock is free, because that takes a while.
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

    /// Removes a user; after the last one, and after all reads, the pages are offered to the kernel.
    ///
    /// Without a user it only reports ``ContentFault/unbalancedContentAccess`` (rule 7.14).
    public func endContentAccess() {
        if !state.withLock({ $0.end() }) { report(.unbalancedContentAccess) }
    }

    /// Gives the memory back, on the calling thread, if there are neither users nor reads (rules 7.12, 7.13).
    public func discardContentIfPossible() {
        discard()
    }

    /// Gives the memory back if it is not in use, and returns the number of freed bytes, without pages that the kernel
    /// has reclaimed.
    @discardableResult
    func discard() -> Int {
        // The buffer is counted and destroyed after the lock is free: it has no other owner.
        guard let buffer = state.withLock({ $0.discard() }) else { return 0 }
        return buffer.residentCount
    }

    /// The bytes of memory that could be given back: those that the kernel has not reclaimed, or 0 while they are in
    /// use.
    ///
    /// Calls the kernel, about a microsecond per MiB; a thread that begins an access waits for that.
    var idleCount: Int {
        state.withLock { $0.idleCount }
    }

    /// Whether the bytes are known to be lost (rule 7.13).
    ///
    /// Takes constant time, so it does not check for reclaimed pages: the beginning of an access finds them, and only
    /// ``beginContentAccess()`` can promise that the bytes are intact.
    public var isContentDiscarded: Bool {
        state.withLock { $0.isDiscarded }
    }

    /// Whether there is a user or a read under way.
    public var isContentBeingAccessed: Bool {
        state.withLock { $0.isInUse }
    }
}
