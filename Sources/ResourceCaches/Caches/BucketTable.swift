internal import CLinux
internal import Synchronization

/// The table of buckets and their entries: linear hashing, so that it grows and shrinks by one bucket at a time.
///
/// The table grows by splitting one bucket and shrinks by merging two, a dozen entries at a time, under the locks of
/// both buckets. It is never copied as a whole, and no bucket moves.
///
/// The policy's lock guards all of this. A bucket's lines are written with that bucket's lock held as well; searching them
/// needs one of the two.
struct BucketTable {
    private let view: CacheView.Pointer
    /// The number of listed entries.
    private(set) var count = 0
    /// The buckets before this one have mapped chunks.
    private var mappedBuckets = LineChunks.firstLines
    /// The buckets from here on take no memory, except where late readers have touched them.
    private var touchedBuckets = LineChunks.firstLines
    /// The continuation lines from here on were never used; 0 is no line.
    private var freshLine: UInt32 = 1
    private var mappedLines = LineChunks.firstLines
    /// The head of the list of freed lines.
    private var freeLine: UInt32 = 0

    /// The average number of entries in a bucket when the table grows: of 11 slots, so that few buckets need another
    /// line.
    private static let fullBucket = 7
    /// The average when the table shrinks.
    private static let sparseBucket = 2

    init(_ view: CacheView.Pointer) {
        self.view = view
    }

    func deallocate() {
        view.pointee.buckets.deallocate(upTo: mappedBuckets)
        view.pointee.overflow.deallocate(upTo: mappedLines)
    }

    private(set) var size: UInt32 {
        get { BucketExtent(packed: view.pointee.extent.pointee.load(ordering: .relaxed)).count }
        set {
            view.pointee.extent.pointee.store(BucketExtent(count: newValue).packed, ordering: .releasing)
            most = Int(newValue) * Self.fullBucket
            least = newValue > LineChunks.firstLines ? Int(newValue) * Self.sparseBucket : 0
        }
    }
    /// The number of entries at which the table grows.
    private var most = LineChunks.firstLines * Self.fullBucket
    private var least = 0

    // MARK: Entries, with the lock of their bucket

    /// Lists an unlisted entry.
    mutating func add(_ entry: UInt32, hash: UInt32, to bucket: Bucket) {
        count += 1
        append(entry, tag: Bucket.tag(of: hash), to: bucket)
    }

    private mutating func append(_ entry: UInt32, tag: UInt8, to bucket: Bucket) {
        var line = bucket
        while line.count == Bucket.slots {
            if line.next == 0 { line.setNext(takeLine()) }
            line = view.pointee.overflow[line.next]
        }
        line.append(entry, tag: tag)
    }

    /// Removes an entry from its bucket.
    mutating func remove(_ entry: UInt32, from bucket: Bucket) {
        count -= 1
        var line = bucket
        while true {
            if let slot = line.slot(of: entry) {
                line.removeEntry(at: slot)
                break
            }
            line = view.pointee.overflow[line.next]
        }
        if bucket.next != 0 { dropEmptyLines(of: bucket) }
    }

    /// Replaces the number of an entry that moves.
    func replace(_ entry: UInt32, by other: UInt32, in bucket: Bucket) {
        var line = bucket
        while true {
            if let slot = line.slot(of: entry) { return line.set(slot, to: other) }
            line = view.pointee.overflow[line.next]
        }
    }

    // MARK: Continuation lines

    private mutating func takeLine() -> UInt32 {
        if freeLine != 0 {
            let number = freeLine
            freeLine = view.pointee.overflow[number].next
            view.pointee.overflow[number].setNext(0)
            return number
        }
        if Int(freshLine) == mappedLines {
            view.pointee.overflow.addChunk(from: freshLine)
            mappedLines *= 2
        }
        freshLine += 1
        return freshLine - 1
    }

    private mutating func dropEmptyLines(of bucket: Bucket) {
        var line = bucket
        while line.next != 0 {
            let next = view.pointee.overflow[line.next]
            if next.count == 0 {
                let number = line.next
                line.setNext(next.next)
                next.setNext(freeLine)
                freeLine = number
            } else {
                line = next
            }
        }
    }

    // MARK: Growing and shrinking

    /// Splits or merges a bucket if the table is too small or too large for its entries.
    ///
    /// - Returns: The number of a busy bucket; then nothing has changed, and a later change tries again.
    @discardableResult
    @inline(__always)
    mutating func adapt() -> UInt32? {
        if count > most { return split() }
        return isTooLarge ? merge() : nil
    }

    /// Whether ``adapt()`` has more to do.
    var isTooLarge: Bool { count < least }

    @inline(never)
    private mutating func split() -> UInt32? {
        let size = size
        let bits = UInt32(31 - size.leadingZeroBitCount)
        if Int(size) == mappedBuckets {
            view.pointee.buckets.addChunk(from: size)
            mappedBuckets *= 2
        }
        return withLocks(of: size - (1 << bits), size) { table, from, to in
            var line = from
            while true {
                var slot = line.count
                while slot > 0 {
                    slot -= 1
                    let entry = line.entry(slot)
                    guard table.view.pointee.header(of: entry).pointee.hash >> bits & 1 == 1 else { continue }
                    let tag = line.tag(at: slot)
                    line.removeEntry(at: slot)
                    table.append(entry, tag: tag, to: to)
                }
                if line.next == 0 { break }
                line = table.view.pointee.overflow[line.next]
            }
            table.dropEmptyLines(of: from)
            table.size = size + 1
            table.touchedBuckets = max(table.touchedBuckets, Int(size) + 1)
        }
    }

    @inline(never)
    private mutating func merge() -> UInt32? {
        let last = size - 1
        let bits = UInt32(31 - last.leadingZeroBitCount)
        return withLocks(of: last - (1 << bits), last) { table, into, from in
            var line = from
            while true {
                while line.count > 0 {
                    let slot = line.count - 1
                    let (entry, tag) = (line.entry(slot), line.tag(at: slot))
                    line.removeEntry(at: slot)
                    table.append(entry, tag: tag, to: into)
                }
                if line.next == 0 { break }
                line = table.view.pointee.overflow[line.next]
            }
            table.dropEmptyLines(of: from)
            table.size = last
        }
    }

    /// Takes the locks of two buckets, that of the lower number first.
    ///
    /// - Returns: The number of the busy one; then the closure is not called.
    private mutating func withLocks(
        of first: UInt32,
        _ second: UInt32,
        _ body: (inout Self, Bucket, Bucket) -> Void
    ) -> UInt32? {
        let (lower, higher) = (view.pointee.buckets[first], view.pointee.buckets[second])
        guard lock_word_try_briefly(lower.lock) else { return first }
        defer { lock_word_free(lower.lock) }
        guard lock_word_try_briefly(higher.lock) else { return second }
        body(&self, lower, higher)
        lock_word_free(higher.lock)
        return nil
    }

    /// Gives back the memory of some merged buckets.
    ///
    /// - Returns: `false` if there are no more.
    mutating func discardSome() -> Bool {
        let end = (touchedBuckets + 63) & ~63
        let least = (Int(size) + 63) & ~63
        guard end > least else { return false }
        // At most 64 KiB of one chunk; chunks begin at powers of 2.
        let chunk = 1 << (Int.bitWidth - 1 - (end - 1).leadingZeroBitCount)
        let first = max(least, chunk, (end - 1) & ~1023)
        view.pointee.buckets.discard(from: first, upTo: end)
        touchedBuckets = first
        return true
    }
}
