public import Synchronization

/// What a cache's readers see, and what does not change: where the table is, and where the entries are.
///
/// It lies in memory of its own, so that a read touches no reference count but the value's. Readers follow it inside an
/// epoch; who holds the lock changes it.
@usableFromInline
struct CacheView: ~Copyable {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<CacheView>
    @usableFromInline typealias Addresses = UnsafeMutablePointer<UnsafeMutableRawPointer?>

    /// The table of ``EntryTable``.
    @usableFromInline let table: Atomic<UnsafeMutableRawPointer>
    /// The chunks of ``EntrySlab``, by number.
    @usableFromInline let chunks: Atomic<Addresses>
    @usableFromInline let layout: EntryLayout
    @usableFromInline let counters = ReaderCounters()
    /// Differs from cache to cache, so that nobody can choose keys that collide.
    @usableFromInline let seed = UInt64.random(in: .min ... .max)

    @usableFromInline let clock: CacheClock
    private let writers = WriterLock()

    init(table: UnsafeMutableRawPointer, chunks: Addresses, layout: EntryLayout, clock: CacheClock) {
        self.clock = clock
        self.table = Atomic(table)
        self.chunks = Atomic(chunks)
        self.layout = layout
    }

    @inlinable
    var snapshot: EntryTable.Snapshot {
        EntryTable.Snapshot(table.load(ordering: .acquiring))
    }

    /// Where an entry is.
    ///
    /// Its number must be in use; a reader must have found it since it entered its epoch.
    @inlinable @inline(__always)
    func address(of entry: UInt32, _ layout: EntryLayout) -> UnsafeMutableRawPointer {
        // Loaded after the number was found, so that it has the entry's chunk, which is always there.
        let chunk = chunks.load(ordering: .acquiring)[Int(entry &>> layout.shift)].unsafelyUnwrapped
        return chunk + Int(entry & layout.mask) &* layout.stride
    }

    @inlinable @inline(__always)
    func header(of entry: UInt32) -> UnsafeMutablePointer<EntryHeader> {
        address(of: entry, layout).assumingMemoryBound(to: EntryHeader.self)
    }

    /// What an entry costs.
    @usableFromInline
    func bytes(of entry: UInt32) -> Int {
        header(of: entry).pointee.bytes
    }

    /// The times of an entry that has any.
    @inlinable
    func times(of entry: UInt32) -> UnsafeMutablePointer<EntryTimes> {
        let chunk = chunks.load(ordering: .acquiring)[Int(entry &>> layout.shift)].unsafelyUnwrapped
        return (chunk + layout.timesOffset).assumingMemoryBound(to: EntryTimes.self) + Int(entry & layout.mask)
    }
}

// Entries that have times.
extension CacheView {
    /// Whether an entry is not out of date; then it counts as used.
    @usableFromInline
    func isGood(_ entry: UInt32) -> Bool {
        let now = clock.now()
        let times = times(of: entry)
        if times.pointee.hasExpired(at: now) { return false }
        times.pointee.lastUse.store(now, ordering: .relaxed)
        return true
    }

    /// Whether an entry is out of date.
    @usableFromInline
    func hasExpired(_ entry: UInt32) -> Bool {
        times(of: entry).pointee.hasExpired(at: clock.now())
    }

    /// Whether an entry is old enough that a load should make it anew.
    @usableFromInline
    func isStale(_ entry: UInt32) -> Bool {
        clock.now() >= times(of: entry).pointee.growsStale
    }
}

// The lock of those who change the cache. It is here, and not beside what it guards, since who waits for it must not
// have begun to use that.
extension CacheView {
    @usableFromInline
    func lock() {
        writers.lock()
    }

    @usableFromInline
    func unlock() {
        writers.unlock()
    }
}

/// How entries lie in their chunks.
@frozen @usableFromInline
struct EntryLayout: Sendable {
    /// From one entry to the next, in bytes.
    @usableFromInline let stride: Int
    /// The number of entries in a chunk as a power of two.
    @usableFromInline let shift: UInt32

    @inlinable
    init(stride: Int) {
        self.stride = stride
        // About 64 KiB, so that a small cache has one and a large one not too many mappings.
        shift = UInt32(truncatingIfNeeded: Int.bitWidth &- 1 &- max(16, (64 << 10) / stride).leadingZeroBitCount)
    }

    /// The bits of an entry's number that say which of its chunk it is.
    @inlinable var mask: UInt32 { 1 &<< shift &- 1 }
    /// Where a chunk's times begin, whose pages are the process's only once an entry has times.
    @inlinable var timesOffset: Int { (stride &<< Int(shift) &+ 63) & ~63 }
    var chunkBytes: Int { timesOffset + MemoryLayout<EntryTimes>.stride << Int(shift) }
    var entriesPerChunk: Int { 1 << Int(shift) }
}
