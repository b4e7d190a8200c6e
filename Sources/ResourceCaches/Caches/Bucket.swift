public import CLinux

/// One cache line of a cache's table: up to eleven entries, and the lock of the bucket that begins with this line.
///
/// | bytes | what |
/// | --- | --- |
/// | 0 to 10 | a tag for each entry, 8 bits of its hash and never 0; 0 for a free slot |
/// | 11 | the number of entries |
/// | 12 to 15 | the number of the line that continues this bucket, 0 for none |
/// | 16 to 59 | the numbers of the entries |
/// | 60 to 63 | the lock, in the first line of a bucket |
///
/// The lock is apart from the tags: a load of bytes that were just stored has to wait for the store.
@frozen @usableFromInline
struct Bucket {
    @usableFromInline let line: UnsafeMutableRawPointer

    @inlinable static var bytes: Int { 64 }
    static var slots: Int { 11 }

    @inlinable @inline(__always)
    init(_ line: UnsafeMutableRawPointer) {
        self.line = line
    }

    @inlinable @inline(__always) var lock: UnsafeMutablePointer<UInt32> {
        (line + 60).assumingMemoryBound(to: UInt32.self)
    }

    @inlinable @inline(__always)
    static func tag(of hash: UInt32) -> UInt8 {
        let tag = UInt8(truncatingIfNeeded: hash &>> 24)
        return tag == 0 ? 1 : tag
    }

    @inlinable @inline(__always) var next: UInt32 { line.load(fromByteOffset: 12, as: UInt32.self) }

    @inlinable @inline(__always)
    func entry(_ slot: Int) -> UInt32 {
        line.load(fromByteOffset: 16 &+ slot &* 4, as: UInt32.self)
    }

    /// The slots with a tag, one bit each.
    @inlinable @inline(__always)
    func matches(_ tag: UInt8) -> UInt32 {
        // The bytes after the eleven tags are not tags.
        tag_matches(line, tag) & 0x7FF
    }

    // MARK: With the bucket's lock and the policy's

    var count: Int {
        get { Int(line.load(fromByteOffset: 11, as: UInt8.self)) }
        nonmutating set { line.storeBytes(of: UInt8(newValue), toByteOffset: 11, as: UInt8.self) }
    }

    func setNext(_ number: UInt32) {
        line.storeBytes(of: number, toByteOffset: 12, as: UInt32.self)
    }

    func set(_ slot: Int, to entry: UInt32) {
        line.storeBytes(of: entry, toByteOffset: 16 + slot * 4, as: UInt32.self)
    }

    func tag(at slot: Int) -> UInt8 {
        line.load(fromByteOffset: slot, as: UInt8.self)
    }

    /// Appends an entry to a line with room.
    func append(_ entry: UInt32, tag: UInt8) {
        let slot = count
        line.storeBytes(of: tag, toByteOffset: slot, as: UInt8.self)
        set(slot, to: entry)
        count = slot + 1
    }

    /// Removes an entry, and moves the line's last entry to its slot.
    func removeEntry(at slot: Int) {
        let last = count - 1
        if slot != last {
            line.storeBytes(of: tag(at: last), toByteOffset: slot, as: UInt8.self)
            set(slot, to: entry(last))
        }
        line.storeBytes(of: 0, toByteOffset: last, as: UInt8.self)
        count = last
    }

    func slot(of entry: UInt32) -> Int? {
        let count = count
        var slot = 0
        while slot < count {
            if self.entry(slot) == entry { return slot }
            slot += 1
        }
        return nil
    }
}

/// Cache lines by number, in chunks that double, so that no line ever moves.
@frozen @usableFromInline
struct LineChunks {
    // Each base is shifted back by its chunk's first number, so that an address is the base plus the full number.
    @usableFromInline let bases: UnsafeMutablePointer<UnsafeMutableRawPointer>

    init() {
        bases = .allocate(capacity: Self.mostChunks)
        bases.initialize(repeating: Pages.map(Self.firstLines * Bucket.bytes), count: Self.mostChunks)
    }

    static var firstLines: Int { 64 }
    private static var mostChunks: Int { 27 }

    @inlinable @inline(__always)
    static func chunk(of number: UInt32) -> Int {
        26 &- (number | 63).leadingZeroBitCount
    }

    @inlinable @inline(__always)
    subscript(number: UInt32) -> Bucket {
        Bucket(bases[Self.chunk(of: number)] + Int(number) &* Bucket.bytes)
    }

    /// Maps the chunk that begins with a number; a power of 2 from 64 on.
    func addChunk(from number: UInt32) {
        bases[Self.chunk(of: number)] = Pages.map(Int(number) * Bucket.bytes) - Int(number) * Bucket.bytes
    }

    /// Gives the memory of some lines of one chunk back to the kernel.
    ///
    /// They stay mapped and read as zeroes afterwards.
    ///
    /// A late reader may hold the lock of one of these lines, and would lose it: another thread could take it as well
    /// once the line is in use again. So a page is given back with the locks of all its lines held, which also frees
    /// the locks. A page with a line whose lock another thread holds is kept.
    ///
    /// - Parameters:
    ///   - first: A multiple of 64, the number of lines in a page.
    ///   - end: The number after the last line, also a multiple of 64.
    func discard(from first: Int, upTo end: Int) {
        var first = first
        while first < end {
            var locked = first
            while locked < end, lock_word_try_briefly(lock(locked)) { locked += 1 }
            let whole = locked & ~63
            var kept = first
            if whole > first, Pages.discard(self[UInt32(first)].line, (whole - first) * Bucket.bytes) {
                for number in first..<whole { lock_word_did_clear(lock(number)) }
                kept = whole
            }
            for number in kept..<locked { lock_word_free(lock(number)) }
            first = locked == end ? end : whole + 64
        }
    }

    private func lock(_ number: Int) -> UnsafeMutablePointer<UInt32> { self[UInt32(number)].lock }

    /// - Parameter end: The number after the last line whose chunk was mapped.
    func deallocate(upTo end: Int) {
        Pages.unmap(bases[0], Self.firstLines * Bucket.bytes)
        var first = Self.firstLines
        while first < end {
            Pages.unmap(bases[Self.chunk(of: UInt32(first))] + first * Bucket.bytes, first * Bucket.bytes)
            first *= 2
        }
        bases.deallocate()
    }
}
