internal import Synchronization

/// The numbers of entries and their memory: chunks that are mapped and unmapped as a whole.
///
/// Readers reach entries through the ``CacheView``. The policy's lock guards everything else.
struct EntryStore {
    private struct Chunk {
        var isMapped = false
        var live = 0
        /// The entries from here on were never allocated.
        var touched = 0
        /// 0 for none; the list continues in the headers.
        var firstFree: UInt32 = 0
        /// Whether `roomy` contains it.
        var isListed = false
        /// Whether the chunk is being emptied, so that it allocates no numbers.
        var isClosed = false
    }

    private let view: CacheView.Pointer
    private var chunks: [Chunk] = []
    /// Chunks that may have a free entry; searched from the end.
    private var roomy: [Int] = []
    /// Numbers of chunks that were unmapped.
    private var vacant: [Int] = []
    private var directoryCapacity = firstCapacity
    /// Directories that were replaced.
    ///
    /// A reader may still use one, so they are kept; together they are no larger than the present directory, which has
    /// 24 bytes per chunk.
    private var replaced: [UnsafeMutablePointer<CacheView.Chunk>] = []
    /// The empty chunk that stays mapped.
    private var spare: Int?
    /// A free number that is not in a list yet; 0 for none.
    private var recycled: UInt32 = 0
    /// Whether a chunk is closed.
    private var isEmptying = false
    /// The number of mapped chunks.
    private(set) var chunkCount = 0
    private(set) var live = 0
    /// The bytes that were returned to the kernel so far.
    private(set) var returnedBytes = 0

    private static let firstCapacity = 8

    static func makeDirectory() -> UnsafeMutablePointer<CacheView.Chunk> { makeDirectory(capacity: firstCapacity) }

    private static func makeDirectory(capacity: Int) -> UnsafeMutablePointer<CacheView.Chunk> {
        let directory = UnsafeMutablePointer<CacheView.Chunk>.allocate(capacity: capacity)
        directory.initialize(repeating: CacheView.Chunk(), count: capacity)
        return directory
    }

    /// Creates a store whose directory is in the view.
    init(_ view: CacheView.Pointer) {
        self.view = view
    }

    /// Gives all memory back; the keys and values are already deinitialised.
    func deallocate(_ leaving: inout LeavingPages) {
        for number in chunks.indices { vacate(number, &leaving) }
        directory.deallocate()
        for directory in replaced { directory.deallocate() }
    }

    private var layout: EntryLayout { view.pointee.layout }
    private var directory: UnsafeMutablePointer<CacheView.Chunk> {
        view.pointee.chunks.load(ordering: .relaxed).unsafelyUnwrapped
    }
    private var timesBytes: Int { layout.entriesPerChunk * MemoryLayout<EntryTimes>.stride }

    /// Allocates a number, with uninitialised memory for its entry.
    mutating func allocate() -> UInt32 {
        if recycled != 0 {
            defer { recycled = 0 }
            return recycled
        }
        live += 1
        while let number = roomy.last {
            if let entry = takeFree(in: number) { return entry }
            chunks[number].isListed = false
            roomy.removeLast()
        }
        let number = addChunk()
        list(number)
        // A new chunk has room.
        return takeFree(in: number).unsafelyUnwrapped
    }

    private mutating func takeFree(in number: Int) -> UInt32? {
        guard chunks[number].isMapped, !chunks[number].isClosed else { return nil }
        let entry: UInt32
        if chunks[number].firstFree != 0 {
            entry = chunks[number].firstFree
            chunks[number].firstFree = view.pointee.header(of: entry).pointee.newer
        } else if chunks[number].touched < layout.entriesPerChunk {
            entry = UInt32(number) << layout.shift + UInt32(chunks[number].touched)
            chunks[number].touched += 1
        } else {
            return nil
        }
        chunks[number].live += 1
        return entry
    }

    /// Frees a number whose key and value were moved out.
    @inline(__always)
    mutating func free(_ entry: UInt32, _ leaving: inout LeavingPages) {
        view.pointee.header(of: entry).pointee.marks = []
        // It is kept for the next entry, which usually replaces one that left.
        if recycled == 0, !isEmptying {
            recycled = entry
        } else {
            giveBack(entry, &leaving)
        }
    }

    private mutating func giveBack(_ entry: UInt32, _ leaving: inout LeavingPages) {
        live -= 1
        let number = Int(entry >> layout.shift)
        let header = view.pointee.header(of: entry)
        header.pointee.newer = chunks[number].firstFree
        chunks[number].firstFree = entry
        chunks[number].live -= 1
        if chunks[number].live == 0 {
            // One empty chunk stays mapped, or a cache at the boundary of a chunk would map and unmap it all the time.
            if let spare, spare != number, chunks[spare].live == 0 { return release(number, &leaving) }
            spare = number
        }
        if !chunks[number].isListed, !chunks[number].isClosed { list(number) }
    }

    private mutating func list(_ number: Int) {
        chunks[number].isListed = true
        roomy.append(number)
    }

    private mutating func release(_ number: Int, _ leaving: inout LeavingPages) {
        returnedBytes += min(layout.chunkBytes, layout.pairsOffset + chunks[number].touched * layout.pairStride)
        vacate(number, &leaving)
        // `roomy` may still contain it, and skips it.
        let isListed = chunks[number].isListed
        chunks[number] = Chunk()
        chunks[number].isListed = isListed
        vacant.append(number)
        chunkCount -= 1
    }

    // No reader uses the chunk: a reader reaches an entry under the lock of the bucket that lists it, which the removal
    // has held.
    private func vacate(_ number: Int, _ leaving: inout LeavingPages) {
        let place = directory + number
        if let base = place.pointee.base { leaving.add(base, layout.chunkBytes) }
        if let times = place.pointee.times { leaving.add(UnsafeMutableRawPointer(times), timesBytes) }
        place.pointee = CacheView.Chunk()
    }

    private mutating func addChunk() -> Int {
        let number: Int
        if let free = vacant.popLast() {
            number = free
        } else {
            number = chunks.count
            precondition(number < 1 << (32 - Int(layout.shift)), "a cache has room for four thousand million entries")
            chunks.append(Chunk())
            if number == directoryCapacity { growDirectory() }
        }
        let base = Pages.map(layout.chunkBytes)
        directory[number].base = base
        let headers = (base + layout.headersOffset).bindMemory(to: EntryHeader.self, capacity: layout.entriesPerChunk)
        directory[number].headers = headers - number << Int(layout.shift)
        chunks[number].isMapped = true
        chunkCount += 1
        // 0 is not an entry.
        if number == 0 { chunks[0].touched = 1 }
        return number
    }

    private mutating func growDirectory() {
        let old = directory
        let new = Self.makeDirectory(capacity: directoryCapacity * 2)
        new.update(from: old, count: directoryCapacity)
        directoryCapacity *= 2
        replaced.append(old)
        view.pointee.chunks.store(new, ordering: .relaxed)
    }

    /// Makes sure that an entry's chunk has times.
    func makeTimes(for entry: UInt32) {
        let place = view.pointee.chunk(of: entry, layout)
        guard place.pointee.times == nil else { return }
        let times = Pages.map(timesBytes).bindMemory(to: EntryTimes.self, capacity: layout.entriesPerChunk)
        place.pointee.times = times
    }

    // MARK: Walking

    /// 0 is not an entry.
    static let first: UInt32 = 1

    /// All entries that were ever allocated have a smaller number.
    var end: UInt32 { UInt32(clamping: chunks.count << Int(layout.shift)) }

    /// Returns the first entry from a number on that was ever allocated, and advances the number.
    ///
    /// - Returns: `nil` at the end, after which the next call starts again. The entry may be free.
    func entry(from next: inout UInt32) -> UInt32? {
        var number = Int(next >> layout.shift)
        while number < chunks.count {
            if chunks[number].isMapped, Int(next & layout.mask) < chunks[number].touched {
                defer { next += 1 }
                return next
            }
            number += 1
            next = UInt32(number) << layout.shift
        }
        next = Self.first
        return nil
    }

    /// The number of steps of ``entry(from:)`` that visit all entries.
    var reach: Int { chunks.reduce(1) { $0 + $1.touched } }

    // MARK: Emptying

    private mutating func giveBackRecycled(_ leaving: inout LeavingPages) {
        guard recycled != 0 else { return }
        giveBack(recycled, &leaving)
        recycled = 0
    }

    /// Gives back the empty chunk too, which otherwise stays mapped.
    mutating func releaseSpare(_ leaving: inout LeavingPages) {
        giveBackRecycled(&leaving)
        guard let spare, chunks[spare].live == 0, !chunks[spare].isClosed else { return }
        self.spare = nil
        release(spare, &leaving)
    }

    /// The chunk with the fewest entries, if the other chunks have room for them; it allocates no numbers from now on.
    mutating func closeSparsest(_ leaving: inout LeavingPages) -> Int? {
        giveBackRecycled(&leaving)
        let capacity = layout.entriesPerChunk
        guard chunkCount > 1, live <= (chunkCount - 1) * capacity - capacity / 8 else { return nil }
        let candidates = chunks.indices.filter { chunks[$0].isMapped && chunks[$0].live > 0 }
        guard candidates.count > 1, let number = candidates.min(by: { chunks[$0].live < chunks[$1].live }) else {
            return nil
        }
        chunks[number].isClosed = true
        isEmptying = true
        return number
    }

    /// An entry of a closed chunk that is not free, from an offset on; `nil` if there are no more.
    func liveEntry(in number: Int, from offset: inout Int, where isLive: (UInt32) -> Bool) -> UInt32? {
        while number < chunks.count, chunks[number].isClosed, chunks[number].live > 0, offset < chunks[number].touched {
            let entry = UInt32(number) << layout.shift + UInt32(offset)
            offset += 1
            if entry != 0, isLive(entry) { return entry }
        }
        return nil
    }

    /// Reopens a chunk that could not be emptied, or gives it back.
    mutating func reopen(_ number: Int, _ leaving: inout LeavingPages) {
        isEmptying = false
        guard number < chunks.count, chunks[number].isClosed else { return }
        chunks[number].isClosed = false
        if chunks[number].live == 0 {
            if spare == number { spare = nil }
            return release(number, &leaving)
        }
        if !chunks[number].isListed { list(number) }
    }
}
