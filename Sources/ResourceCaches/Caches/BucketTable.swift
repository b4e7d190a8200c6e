internal import CLinux
internal import Synchronization

/// Which bucket lists which entries: linear hashing, so that the table grows and shrinks by one bucket at a time.
///
/// The number of buckets goes up by splitting one and down by merging two, a dozen entries each, under the locks of both
/// buckets. Nothing is ever copied as a whole, and no bucket moves.
///
/// The policy's lock guards all of this. A bucket's lines are written with that bucket's lock held as well; searching them
/// needs one of the two.
struct BucketTable {
    private let view: CacheView.Pointer
    /// How many entries are listed.
    private(set) var count = 0
    /// The buckets before this one have a chunk that is mapped.
    private var mappedBuckets = LineChunks.firstLines
    /// Those from here on take no memory, but for what readers that came late have touched.
    private var touchedBuckets = LineChunks.firstLines
    /// The lines from here on, of those that go on with a bucket, were never used; 0 is none.
    private var freshLine: UInt32 = 1
    private var mappedLines = LineChunks.firstLines
    /// Lines that are free again, linked.
    private var freeLine: UInt32 = 0

    /// How many entries a bucket has on average when it is full: of 11 slots, so that few need another line.
    private static let fullBucket = 7
    /// On average, when the table shrinks.
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
    /// How many entries so many buckets are for.
    private var most = LineChunks.firstLines * Self.fullBucket
    private var least = 0

    // MARK: Entries, with the lock of their bucket

    /// Lists an entry, which is not listed.
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

    /// Takes an entry off the list.
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

    /// Lists another number for an entry that is moving.
    func replace(_ entry: UInt32, by other: UInt32, in bucket: Bucket) {
        var line = bucket
        while true {
            if let slot = line.slot(of: entry) { return line.set(slot, to: other) }
            line = view.pointee.overflow[line.next]
        }
    }

    // MARK: Lines that go on with a bucket

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
    /// - Returns: The number of a bucket that is busy, so that nothing has changed; it is tried again at a later change.
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
    /// - Returns: The number of the one that is busy; then nothing is called back.
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

    /// Gives the memory of some buckets back that were merged away.
    ///
    /// - Returns: `false` if there are no more.
    mutating func discardSome() -> Bool {
        let end = (touchedBuckets + 63) & ~63
        let least = (Int(size) + 63) & ~63
        guard end > least else { return false }
        // 64 KiB at most, and of one chunk: those begin at the powers of 2.
        let chunk = 1 << (Int.bitWidth - 1 - (end - 1).leadingZeroBitCount)
        let first = max(least, chunk, (end - 1) & ~1023)
        view.pointee.buckets.discard(from: first, upTo: end)
        touchedBuckets = first
        return true
    }
}
