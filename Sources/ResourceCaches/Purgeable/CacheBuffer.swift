internal import CLinux

/// Bytes in separate pages, whose memory returns to the system as soon as the last reference to them is dropped.
///
/// Memory that the allocator frees stays with the process until the end of its heap is free. These bytes are never in
/// its heap: they are a good value for a ``ResourceCache``, whose evictions then return memory at once, regardless of
/// fragmentation.
///
/// ```swift
/// let page = try CacheBuffer(count: size) { bytes in try decode(file, into: &bytes) }
/// pages.insert(page, for: number, cost: page.allocatedCount)
/// ```
///
/// The bytes are written once, during the creation, and never change: any number of threads may read them at the same
/// time without a lock. The creation takes a system call and the first touch of its pages, of the order of a
/// millisecond per MiB; the destruction takes a tenth of that, on the thread that drops the last reference. A buffer
/// occupies whole pages, so use an array for much less than a page (4 KiB on most machines).
///
/// After a fork each process has its own copy of the bytes, as of all memory.
public final class CacheBuffer: Sendable {
    static let pageSize = sysconf(CInt(_SC_PAGESIZE))

    /// The number of bytes given back with one system call.
    ///
    /// Each call holds the lock on the process's mappings, which other threads need for their page faults and for mmap(2);
    /// for 1 MiB that is well below a tenth of a millisecond.
    private static let releaseStep = 1 << 20

    /// The address of the pages, valid as long as this object lives; a number, because a pointer is not Sendable.
    let address: UInt
    /// The number of bytes.
    public let count: Int

    /// Creates a buffer whose bytes a closure writes.
    ///
    /// - Parameters:
    ///   - count: The number of bytes; not negative.
    ///   - fill: Writes them, on the calling thread; they are zero when it is called.
    /// - Throws: ``CacheBufferError`` if the kernel cannot map memory, and the error of `fill`. A kernel that
    ///   overcommits, as most do, can map memory that it cannot fill, and then kills a process instead.
    public convenience init(count: Int, filling fill: (inout MutableRawSpan) throws -> Void) throws {
        try self.init(zeroes: count)
        try write(fill)
    }

    /// Creates a copy of some bytes.
    ///
    /// Keep the bytes in a constant first if the call that returns them suspends: Swift 6.3.1 crashes on a debug build
    /// of `try CacheBuffer(copying: try await fetch().span.bytes)`.
    ///
    /// - Throws: ``CacheBufferError`` if the kernel cannot map memory.
    public convenience init(copying bytes: RawSpan) throws(CacheBufferError) {
        try self.init(zeroes: bytes.byteCount)
        bytes.withUnsafeBytes { pages(count).copyMemory(from: $0) }
    }

    init(zeroes count: Int) throws(CacheBufferError) {
        precondition(count >= 0, "the count of a buffer is a number of bytes, not \(count)")
        self.count = count
        // The kernel rounds up to whole pages; it maps none for 0 bytes.
        let start = mmap(nil, max(count, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start, start != MAP_FAILED else {
            throw CacheBufferError("mmap", byteCount: count, errno: errno)
        }
        address = UInt(bitPattern: start)
    }

    deinit {
        var rest = pages(allocatedCount)[...]
        while !rest.isEmpty {
            let step = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(Self.releaseStep))
            madvise(step.baseAddress, step.count, MADV_DONTNEED)
            rest = rest.dropFirst(step.count)
        }
        // Returns the memory if the call above was refused, as it is for locked memory. Unmapping the middle of a
        // larger mapping may fail if the process has the maximum number of mappings: then the addresses stay, without
        // memory.
        munmap(pages(allocatedCount).baseAddress, allocatedCount)
    }

    /// The bytes of memory that it occupies once all of its pages were touched: whole pages, at least one.
    public var allocatedCount: Int { pageCount * Self.pageSize }

    /// The bytes of memory that it occupies now: whole pages that were touched and that the kernel has neither
    /// reclaimed nor swapped out.
    ///
    /// Calls mincore(2), about a microsecond per MiB; 0 if that is refused.
    var residentCount: Int {
        let chunk = 1024
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: chunk) { states in
            var resident = 0
            var first = 0
            while first < pageCount {
                let count = min(chunk, pageCount - first)
                let start = UnsafeMutableRawPointer(bitPattern: address + UInt(first * Self.pageSize))
                guard mincore(start, count * Self.pageSize, states.baseAddress) == 0 else { return 0 }
                // The other bits are reserved.
                for state in states[..<count] where state & 1 != 0 { resident += 1 }
                first += count
            }
            return resident * Self.pageSize
        }
    }

    /// Reads the bytes, for as long as the closure runs.
    ///
    /// - Parameter body: Reads them, on the calling thread.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Otherwise the last reference, and the pages with it, may be dropped during the call.
        defer { withExtendedLifetime(self) {} }
        let bytes = UnsafeRawBufferPointer(pages(count))
        return try body(bytes.bytes)
    }

    /// Writes the bytes; only for the code that creates the buffer, before other code has it.
    func write<Result, Failure: Error>(
        _ body: (inout MutableRawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        let bytes = pages(count)
        var span = bytes.mutableBytes
        return try body(&span)
    }

    var pageCount: Int { max(count - 1, 0) / Self.pageSize + 1 }

    /// The first bytes of the mapping.
    func pages(_ count: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: address), count: count)
    }
}
