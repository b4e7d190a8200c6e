public import CLinux
public import Synchronization

/// What a cache's readers see: where buckets and entries are.
///
/// **How a reader finds an entry.** It loads the number of buckets, takes the lock of the bucket that its hash leads to,
/// and loads the number once more: if the table has grown or shrunk meanwhile so that the hash leads elsewhere, it frees
/// the lock and begins again. Then it looks through the bucket, copies what it needs and frees the lock. A bucket's lines
/// are written under its lock only, and an entry is reached under the lock of the bucket that lists it, so a removal,
/// which has held that lock, may move the entry's key and value out.
///
/// **On weakly ordered processors** the lock carries what was written under it. The number of buckets is stored with
/// release ordering after the chunk of a new bucket was mapped, and loaded with acquire ordering before that chunk is
/// used; the second load is relaxed, as the number changes for a bucket under that bucket's lock. The directory of the
/// entries' chunks is loaded relaxed: an entry is listed under its bucket's lock after its chunk was entered there.
///
/// Lies in memory of its own, so that a read checks no exclusivity and retains no owner. Nothing in it changes often.
@usableFromInline
struct CacheView: ~Copyable {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<CacheView>

    /// Where an entry's chunk lies, and the times of its entries; `nil` before any of them had some.
    @frozen @usableFromInline
    struct Chunk {
        @usableFromInline var base: UnsafeMutableRawPointer?
        /// Moved back by the chunk's first number, so that an entry's whole number is added to it.
        var headers: UnsafeMutablePointer<EntryHeader>?
        @usableFromInline var times: UnsafeMutablePointer<EntryTimes>?
    }

    /// Makes hashes of integers differ from process to process and from cache to cache.
    @usableFromInline let seed = UInt64.random(in: .min ... .max)
    /// The number of buckets, and what that makes of a hash; alone in its cache line.
    @usableFromInline let extent: UnsafeMutablePointer<Atomic<UInt64>>
    /// The lock of the policy, which all changes take; alone in its cache line.
    @usableFromInline let policyLock: UnsafeMutablePointer<UInt32>
    @usableFromInline let buckets: LineChunks
    /// The lines that go on with a bucket.
    @usableFromInline let overflow: LineChunks
    /// The directory of the entries' chunks.
    @usableFromInline let chunks: Atomic<UnsafeMutablePointer<Chunk>?>
    @usableFromInline let layout: EntryLayout
    @usableFromInline let counters = ReaderCounters()
    /// Whether values that have left can still be found: by weak references, or while their leaving is being told.
    @usableFromInline let hasAbsentees = Atomic<Bool>(false)
    /// Whether there ever was an entry with times.
    @usableFromInline let hasTimes = Atomic<Bool>(false)
    let clock: CacheClock

    init(layout: EntryLayout, chunks: UnsafeMutablePointer<Chunk>, clock: CacheClock) {
        let lines = UnsafeMutableRawPointer.allocate(byteCount: 4 * Bucket.bytes, alignment: 2 * Bucket.bytes)
        extent = lines.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
        extent.initialize(to: Atomic(BucketExtent(count: UInt32(LineChunks.firstLines)).packed))
        // Two lines on, since processors fetch them in pairs.
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

/// How many buckets a table has, and which of them a hash leads to, in one word that changes as a whole.
@frozen @usableFromInline
struct BucketExtent {
    @usableFromInline let packed: UInt64

    @inlinable @inline(__always)
    init(packed: UInt64) {
        self.packed = packed
    }

    /// - Parameter count: At least 1.
    init(count: UInt32) {
        // The bits of a hash that count: all below the highest one of the number.
        let mask = UInt32(truncatingIfNeeded: UInt64(2) << UInt64(31 - count.leadingZeroBitCount)) &- 1
        packed = UInt64(mask) << 32 | UInt64(count)
    }

    @inlinable var count: UInt32 { UInt32(truncatingIfNeeded: packed) }

    /// The low bits of a hash, or one fewer of them if that bucket is not there yet.
    @inlinable @inline(__always)
    func index(of hash: UInt32) -> UInt32 {
        let mask = UInt32(truncatingIfNeeded: packed &>> 32)
        let index = hash & mask
        return index < count ? index : hash & (mask &>> 1)
    }
}

// What a miss asks.
extension CacheView {
    // Stored under the policy's lock. A reader that sees an older value misses what left at this moment.
    @inlinable var mayHaveAbsentees: Bool { hasAbsentees.load(ordering: .relaxed) }
    @inlinable var mayHaveTimes: Bool { hasTimes.load(ordering: .relaxed) }

    func setHasAbsentees(_ has: Bool) {
        if has != hasAbsentees.load(ordering: .relaxed) { hasAbsentees.store(has, ordering: .relaxed) }
    }

    func setHasTimes() {
        if !hasTimes.load(ordering: .relaxed) { hasTimes.store(true, ordering: .relaxed) }
    }
}

// A key's comparison must not use the cache that asks it; a build for debugging sees to that.
extension CacheView {
    /// Whether it does, in the module that asks.
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
    /// Calls back with the bucket of a hash, with its lock held.
    ///
    /// What the closure returns is copied before the lock is freed. Where speed counts the closure is a local function
    /// that is always inlined: the compiler calls a closure literal, and at a hit that costs a fifth of the time.
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

    /// Calls back with the bucket of a hash, with its lock held, if that is free and the table has not just changed.
    ///
    /// - Returns: What the closure returns, or `nil`.
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

    /// With the lock of a bucket held, where a hash led: exchanges it for that of the bucket where the hash leads now.
    // Apart, since that happens while a table grows or shrinks.
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

    /// The bucket of a hash, for the holder of the policy's lock, under which their number does not change.
    @inlinable @inline(__always)
    func bucket(of hash: UInt32) -> Bucket {
        buckets[BucketExtent(packed: extent.pointee.load(ordering: .relaxed)).index(of: hash)]
    }

    /// The first line of the bucket that a hash leads to now, to be fetched ahead.
    @inlinable @inline(__always)
    func bucketLine(of hash: UInt32) -> UnsafeMutableRawPointer {
        buckets[BucketExtent(packed: extent.pointee.load(ordering: .acquiring)).index(of: hash)].line
    }

    /// With the policy's lock held: calls back with the lock of a hash's bucket held as well, unless another thread keeps
    /// that for longer than some microseconds.
    ///
    /// - Returns: `false` if the bucket is busy. A holder that is switched out must not stop all writers.
    @inlinable @inline(__always)
    func tryWithBucket(of hash: UInt32, _ body: (Bucket) -> Void) -> Bool {
        let bucket = bucket(of: hash)
        guard lock_word_try_briefly(bucket.lock) else { return false }
        body(bucket)
        lock_word_free(bucket.lock)
        return true
    }

    /// Without any lock: lets those change the cache first that wait for that, between two steps of a long change.
    @usableFromInline
    func giveWay() {
        lock_word_give_way(policyLock)
    }

    /// Without any lock: waits until the bucket of a hash is free.
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

    // The layout is the view's own, passed so that the compiler makes constants of it where it knows the types.
    @inlinable @inline(__always)
    func base(of entry: UInt32, _ layout: EntryLayout) -> UnsafeMutableRawPointer {
        // An entry that there is has a chunk that is mapped.
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
        // An entry that there is has a chunk that is mapped.
        chunk(of: entry, layout).pointee.headers.unsafelyUnwrapped + Int(entry)
    }

    @inline(__always)
    func uses(of entry: UInt32) -> EntryUses { uses(of: entry, layout) }

    @inline(__always)
    func bytes(of entry: UInt32) -> Int { header(of: entry).pointee.cost.bytes }
}

// Times.
extension CacheView {
    /// The times of an entry that has some.
    func times(of entry: UInt32) -> UnsafeMutablePointer<EntryTimes> {
        // The chunk got them before its first entry with times was listed.
        chunk(of: entry, layout).pointee.times.unsafelyUnwrapped + Int(entry & layout.mask)
    }

    /// With the lock of its bucket: counts a use of an entry that has times, unless it is out of date.
    @usableFromInline
    func useTimed(_ entry: UInt32) -> Bool {
        let now = clock.now()
        let times = times(of: entry)
        guard !times.pointee.hasExpired(at: now) else { return false }
        times.pointee.lastUse.store(now, ordering: .relaxed)
        uses(of: entry).count()
        return true
    }

    /// Whether an entry that has times is out of date.
    @usableFromInline
    func hasExpired(_ entry: UInt32) -> Bool {
        times(of: entry).pointee.hasExpired(at: clock.now())
    }

    /// Whether an entry that has times is old enough to be made anew.
    @usableFromInline
    func isStale(_ entry: UInt32) -> Bool {
        clock.now() >= times(of: entry).pointee.growsStale
    }
}
