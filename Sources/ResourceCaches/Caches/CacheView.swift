public import CLinux
public import Synchronization

/// The part of a cache that readers use: the memory of buckets and entries.
///
/// **How a reader finds an entry.** It loads the number of buckets, takes the lock of the bucket that its hash leads to,
/// and loads the number once more: if the table has grown or shrunk in between so that the hash leads elsewhere, it
/// frees the lock and starts again. Then it searches the bucket, copies what it needs and frees the lock. A bucket's
/// lines are written under its lock only, and an entry is reached under the lock of the bucket that lists it, so a
/// removal may move out the entry's key and value after it has held that lock.
///
/// **On weakly ordered processors** the lock orders the writes under it. The number of buckets is stored with release
/// ordering after the chunk of a new bucket was mapped, and loaded with acquire ordering before that chunk is used; the
/// second load is relaxed, because the number only changes for a bucket under that bucket's lock. The directory of the
/// entries' chunks is loaded relaxed: an entry is listed under its bucket's lock after its chunk was entered there.
///
/// It has its own memory, so that a read checks no exclusivity and retains no owner. Its contents rarely change.
@usableFromInline
struct CacheView: ~Copyable {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<CacheView>

    /// The memory of an entry's chunk, and the times of its entries; `nil` until an entry has times.
    @frozen @usableFromInline
    struct Chunk {
        @usableFromInline var base: UnsafeMutableRawPointer?
        /// Shifted back by the chunk's first number, so that an address is the base plus the entry's full number.
        var headers: UnsafeMutablePointer<EntryHeader>?
        @usableFromInline var times: UnsafeMutablePointer<EntryTimes>?
    }

    /// Makes hashes of integers differ from process to process and from cache to cache.
    @usableFromInline let seed = UInt64.random(in: .min ... .max)
    /// The number of buckets, which maps a hash to a bucket; alone in its cache line.
    @usableFromInline let extent: UnsafeMutablePointer<Atomic<UInt64>>
    /// The lock of the policy, which all changes take; alone in its cache line.
    @usableFromInline let policyLock: UnsafeMutablePointer<UInt32>
    @usableFromInline let buckets: LineChunks
    /// The continuation lines of buckets.
    @usableFromInline let overflow: LineChunks
    /// The directory of the entries' chunks.
    @usableFromInline let chunks: Atomic<UnsafeMutablePointer<Chunk>?>
    @usableFromInline let layout: EntryLayout
    @usableFromInline let counters = ReaderCounters()
    /// Odd while values that left can still be found: by weak references, or while the handler is being told of them.
    ///
    /// It is incremented before the first of them leaves its bucket, and when the last is gone or back in its bucket.
    @usableFromInline let absences = Atomic<UInt32>(0)
    /// Whether there ever was an entry with times.
    @usableFromInline let hasTimes = Atomic<Bool>(false)
    let clock: CacheClock

    init(layout: EntryLayout, chunks: UnsafeMutablePointer<Chunk>, clock: CacheClock) {
        let lines = UnsafeMutableRawPointer.allocate(byteCount: 4 * Bucket.bytes, alignment: 2 * Bucket.bytes)
        extent = lines.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
        extent.initialize(to: Atomic(BucketExtent(count: UInt32(LineChunks.firstLines)).packed))
        // At a distance of two lines, since processors fetch lines in pairs.
        policyLock = (lines + 2 * Bucket.bytes).bindMemory(to: UInt32.self, capacity: 1)
        policyLock.initialize(to: 0)
        buckets = LineChunks()
        overflow = LineChunks()
        self.chunks = Atomic(chunks)
        self.layout = layout
        self.clock = clock
    }

    deinit {
        UnsafeMutableRawPointer(extent).deallocate()
    }
}

/// The number of buckets of a table and its mapping of hashes to buckets, in one word that changes atomically.
@frozen @usableFromInline
struct BucketExtent {
    @usableFromInline let packed: UInt64

    @inlinable @inline(__always)
    init(packed: UInt64) {
        self.packed = packed
    }

    /// - Parameter count: At least 1.
    init(count: UInt32) {
        // The significant bits of a hash: all bits below the highest bit of the number.
        let mask = UInt32(truncatingIfNeeded: UInt64(2) << UInt64(31 - count.leadingZeroBitCount)) &- 1
        packed = UInt64(mask) << 32 | UInt64(count)
    }

    @inlinable var count: UInt32 { UInt32(truncatingIfNeeded: packed) }

    /// The low bits of a hash, or one bit fewer if that bucket does not exist yet.
    @inlinable @inline(__always)
    func index(of hash: UInt32) -> UInt32 {
        let mask = UInt32(truncatingIfNeeded: packed &>> 32)
        let index = hash & mask
        return index < count ? index : hash & (mask &>> 1)
    }
}

// Misses.
extension CacheView {
    /// Whether values that left may be found; exact under the policy's lock.
    @inlinable var mayHaveAbsentees: Bool { absences.load(ordering: .relaxed) & 1 != 0 }
    @inlinable var mayHaveTimes: Bool { hasTimes.load(ordering: .relaxed) }

    /// The count that a reader takes before it looks into a bucket.
    ///
    /// Acquiring: a reader that sees the count of a value's return also sees the value in its bucket.
    @inlinable var absenceCount: UInt32 { absences.load(ordering: .acquiring) }

    /// Whether a reader that found nothing may have missed a value that left: because there were any when the reader took
    /// the count, or because the count has changed since, even if it was for a value that has returned.
    ///
    /// A reader that finds a bucket empty because of a value that leaves sees the count of that, which was stored before
    /// the bucket's lock was free.
    @inlinable func mayHaveMissed(since count: UInt32) -> Bool {
        count & 1 != 0 || absences.load(ordering: .acquiring) != count
    }

    /// The caller holds the policy's lock.
    func setHasAbsentees(_ has: Bool) {
        let count = absences.load(ordering: .relaxed)
        if has != (count & 1 != 0) { absences.store(count &+ 1, ordering: .releasing) }
    }

    func setHasTimes() {
        if !hasTimes.load(ordering: .relaxed) { hasTimes.store(true, ordering: .relaxed) }
    }
}

// A key's comparison must not use the cache that calls it; debug builds check that.
extension CacheView {
    /// Whether the calling module is compiled with these checks.
    @inlinable static var checksComparisons: Bool { _isDebugAssertConfiguration() }

    @usableFromInline
    func beginComparison() -> UnsafeRawPointer? {
        let outer = lock_word_note()
        lock_word_set_note(UnsafeRawPointer(extent))
        return outer
    }

    @usableFromInline
    func endComparison(_ outer: UnsafeRawPointer?) {
        lock_word_set_note(outer)
    }

    @usableFromInline
    func refuseUseInComparison() {
        precondition(
            lock_word_note() != UnsafeRawPointer(extent),
            "a key's == uses the cache that is looking for the key, which would wait for itself"
        )
    }
}

// Buckets.
extension CacheView {
    /// Calls `body` with the bucket of a hash, with its lock held.
    ///
    /// The result of the closure is copied before the lock is freed. Where speed matters the closure is a local
    /// function that is always inlined: the compiler does not inline a closure literal, and for a hit the call costs a
    /// fifth of the time.
    @inlinable @inline(__always)
    func withBucket<Result>(of hash: UInt32, _ body: (Bucket) -> Result) -> Result {
        if Self.checksComparisons { refuseUseInComparison() }
        let before = extent.pointee.load(ordering: .acquiring)
        let index = BucketExtent(packed: before).index(of: hash)
        var bucket = buckets[index]
        lock_word_take(bucket.lock)
        if extent.pointee.load(ordering: .relaxed) != before { bucket = exchange(index, of: hash) }
        let result = body(bucket)
        lock_word_free(bucket.lock)
        return result
    }

    /// Calls `body` with the bucket of a hash, with its lock held, if the lock is free and the table has not just
    /// changed.
    ///
    /// - Returns: The result of the closure, or `nil`.
    @inlinable @inline(__always)
    func withFreeBucket<Result>(of hash: UInt32, _ body: (Bucket) -> Result?) -> Result? {
        if Self.checksComparisons { refuseUseInComparison() }
        let before = extent.pointee.load(ordering: .acquiring)
        let bucket = buckets[BucketExtent(packed: before).index(of: hash)]
        guard lock_word_try(bucket.lock) else { return nil }
        let result = extent.pointee.load(ordering: .relaxed) == before ? body(bucket) : nil
        lock_word_free(bucket.lock)
        return result
    }

    /// Exchanges the held lock of the bucket to which a hash led for that of the bucket to which it leads now.
    // Not inlined, since that happens only while a table grows or shrinks.
    @inlinable @inline(never)
    func exchange(_ former: UInt32, of hash: UInt32) -> Bucket {
        var index = former
        while BucketExtent(packed: extent.pointee.load(ordering: .relaxed)).index(of: hash) != index {
            lock_word_free(buckets[index].lock)
            index = BucketExtent(packed: extent.pointee.load(ordering: .acquiring)).index(of: hash)
            lock_word_take(buckets[index].lock)
        }
        return buckets[index]
    }

    /// The bucket of a hash, for a holder of the policy's lock, under which the number of buckets does not change.
    @inlinable @inline(__always)
    func bucket(of hash: UInt32) -> Bucket {
        buckets[BucketExtent(packed: extent.pointee.load(ordering: .relaxed)).index(of: hash)]
    }

    /// The first line of the bucket to which a hash leads now, for prefetching.
    @inlinable @inline(__always)
    func bucketLine(of hash: UInt32) -> UnsafeMutableRawPointer {
        buckets[BucketExtent(packed: extent.pointee.load(ordering: .acquiring)).index(of: hash)].line
    }

    /// Calls `body` with the policy's lock and the lock of a hash's bucket held, unless another thread holds the latter
    /// for more than some microseconds.
    ///
    /// The caller holds the policy's lock.
    ///
    /// - Returns: `false` if the bucket is busy. A preempted holder must not stop all writers.
    @inlinable @inline(__always)
    func tryWithBucket(of hash: UInt32, _ body: (Bucket) -> Void) -> Bool {
        let bucket = bucket(of: hash)
        guard lock_word_try_briefly(bucket.lock) else { return false }
        body(bucket)
        lock_word_free(bucket.lock)
        return true
    }

    /// Lets waiting threads change the cache first, between two steps of a long change.
    ///
    /// Waits for some 20 ms at most. The caller holds no lock.
    @usableFromInline
    func giveWay() {
        lock_word_give_way(policyLock, 200)
    }

    /// Lets waiting threads change the cache first, after a change that took about as long as they spin.
    ///
    /// Waits for some millisecond at most. The caller holds no lock.
    @usableFromInline
    func giveWayBriefly() {
        lock_word_give_way(policyLock, 10)
    }

    /// Waits until the bucket of a hash is free.
    ///
    /// The caller holds no lock.
    @usableFromInline
    func waitForBucket(of hash: UInt32) {
        withBucket(of: hash) { _ in }
    }
}

// Entries.
extension CacheView {
    @inlinable @inline(__always)
    func chunk(of entry: UInt32, _ layout: EntryLayout) -> UnsafeMutablePointer<Chunk> {
        chunks.load(ordering: .relaxed).unsafelyUnwrapped + Int(entry &>> layout.shift)
    }

    // The layout is that of the view. As a parameter, the compiler turns it into constants where it knows the types.
    @inlinable @inline(__always)
    func base(of entry: UInt32, _ layout: EntryLayout) -> UnsafeMutableRawPointer {
        // An existing entry has a mapped chunk.
        chunk(of: entry, layout).pointee.base.unsafelyUnwrapped
    }

    @inlinable @inline(__always)
    func uses(of entry: UInt32, _ layout: EntryLayout) -> EntryUses {
        layout.uses(of: entry, in: base(of: entry, layout))
    }

    @inlinable @inline(__always)
    func pair(of entry: UInt32, _ layout: EntryLayout) -> UnsafeMutableRawPointer {
        layout.pair(of: entry, in: base(of: entry, layout))
    }

    @inline(__always)
    func header(of entry: UInt32) -> UnsafeMutablePointer<EntryHeader> {
        // An existing entry has a mapped chunk.
        chunk(of: entry, layout).pointee.headers.unsafelyUnwrapped + Int(entry)
    }

    @inline(__always)
    func uses(of entry: UInt32) -> EntryUses { uses(of: entry, layout) }

    @inline(__always)
    func bytes(of entry: UInt32) -> Int { header(of: entry).pointee.cost.bytes }
}

// Times.
extension CacheView {
    /// The times of an entry that has times.
    func times(of entry: UInt32) -> UnsafeMutablePointer<EntryTimes> {
        // The chunk gets them before its first entry with times is listed.
        chunk(of: entry, layout).pointee.times.unsafelyUnwrapped + Int(entry & layout.mask)
    }

    /// Counts a use of an entry with times, unless it has expired.
    ///
    /// The caller holds the lock of its bucket.
    @usableFromInline
    func useTimed(_ entry: UInt32) -> Bool {
        let now = clock.now()
        let times = times(of: entry)
        guard !times.pointee.hasExpired(at: now) else { return false }
        times.pointee.lastUse.store(now, ordering: .relaxed)
        uses(of: entry).count()
        return true
    }

    /// Whether an entry with times has expired.
    @usableFromInline
    func hasExpired(_ entry: UInt32) -> Bool {
        times(of: entry).pointee.hasExpired(at: clock.now())
    }

    /// Whether an entry with times is old enough to be refreshed.
    @usableFromInline
    func isStale(_ entry: UInt32) -> Bool {
        clock.now() >= times(of: entry).pointee.growsStale
    }
}
