internal import CLinux
internal import Synchronization

/// The memory in which a cache's entries lie, apart from the heap and from the values' own memory.
///
/// An entry has a number, which is in use from ``allocate()`` to ``free(_:)``, and does not move. 0 is never one, and
/// neither is 1, which the table uses for something else. Entries lie in chunks, whose pages are the process's only
/// once they are touched; a chunk goes back to the kernel when its last entry is freed.
///
/// Readers find entries through the ``CacheView``; the slab belongs to who holds the cache's lock.
struct EntrySlab {
    private struct Chunk {
        var base: UnsafeMutableRawPointer?
        /// How many of its entries were handed out at least once; the others have never been touched.
        var touched = 0
        var live = 0
        /// Linked through `newer`.
        var firstFree: UInt32 = 0
        var isListed = false
    }

    private let view: CacheView.Pointer
    private var directoryCapacity = firstCapacity
    private var chunks: [Chunk] = []
    /// The chunks that have room, of which the last one is used first; those that were given back are skipped.
    private var roomy: [Int] = []
    private var vacant: [Int] = []
    /// The chunk that was the last to become empty, and stayed.
    private var empty: Int?

    static func makeDirectory() -> CacheView.Addresses {
        let addresses = CacheView.Addresses.allocate(capacity: firstCapacity)
        addresses.initialize(repeating: nil, count: firstCapacity)
        return addresses
    }

    private static let firstCapacity = 8

    /// A slab that readers see through a view, and whose directory the view has.
    init(_ view: CacheView.Pointer) {
        self.view = view
    }

    /// Gives everything back; what was in the entries is gone already.
    func deallocate() {
        for chunk in chunks { if let base = chunk.base { munmap(base, layout.chunkBytes) } }
        view.pointee.chunks.load(ordering: .acquiring).deallocate()
    }

    private var layout: EntryLayout { view.pointee.layout }

    /// A number, and memory for its entry that is not initialised.
    ///
    /// - Parameter limbo: Takes a directory that was replaced, to be freed when no reader can be in it any more.
    /// - Returns: The number.
    mutating func allocate(retiring limbo: inout EntryLimbo) -> UInt32 {
        while let number = roomy.last {
            if chunks[number].base != nil {
                if let entry = takeFree(in: number) { return entry }
            }
            chunks[number].isListed = false
            roomy.removeLast()
        }
        let number = addChunk(retiring: &limbo)
        list(number)
        // A new chunk has room.
        return takeFree(in: number).unsafelyUnwrapped
    }

    private mutating func takeFree(in number: Int) -> UInt32? {
        let first = UInt32(number) << layout.shift
        let entry: UInt32
        if chunks[number].firstFree != 0 {
            entry = chunks[number].firstFree
            chunks[number].firstFree = view.pointee.header(of: entry).pointee.newer
        } else if chunks[number].touched < layout.entriesPerChunk {
            entry = first + UInt32(chunks[number].touched)
            chunks[number].touched += 1
        } else {
            return nil
        }
        chunks[number].live += 1
        return entry
    }

    /// Takes back a number whose entry has been deinitialised, and which no reader can have found.
    mutating func free(_ entry: UInt32) {
        let number = Int(entry >> layout.shift)
        view.pointee.header(of: entry).pointee.newer = chunks[number].firstFree
        chunks[number].firstFree = entry
        chunks[number].live -= 1
        if chunks[number].live == 0, number != 0 {
            // One may stay, or a cache at a chunk's edge would map and unmap it all the time.
            if let empty, empty != number, chunks[empty].live == 0 { return release(number) }
            empty = number
        }
        if !chunks[number].isListed {
            list(number)
        }
    }

    /// The first entry from a number on that was ever handed out, and moves on to the next number; wraps around.
    ///
    /// - Returns: `nil` at the end of the slab, from where the next call begins anew. The entry may be free.
    func entry(from next: inout UInt32) -> UInt32? {
        var number = Int(next >> layout.shift)
        while number < chunks.count {
            let offset = Int(next & layout.mask)
            if chunks[number].base != nil, offset < chunks[number].touched {
                defer { next += 1 }
                return next
            }
            number += 1
            next = UInt32(number) << layout.shift
        }
        next = Self.first
        return nil
    }

    /// How many steps of ``entry(from:)`` see all entries.
    var reach: Int { chunks.reduce(1) { $0 + $1.touched } }

    /// 0 and 1 are no entries.
    static let first: UInt32 = 2

    private mutating func list(_ number: Int) {
        chunks[number].isListed = true
        roomy.append(number)
    }

    private mutating func release(_ number: Int) {
        if let base = chunks[number].base { munmap(base, layout.chunkBytes) }
        // Still in `roomy`, perhaps, where it is skipped.
        let isListed = chunks[number].isListed
        chunks[number] = Chunk()
        chunks[number].isListed = isListed
        vacant.append(number)
    }

    private mutating func addChunk(retiring limbo: inout EntryLimbo) -> Int {
        let base = mmap(nil, layout.chunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let base, base != MAP_FAILED else {
            // As with any allocation in Swift: there is no way on.
            fatalError("mmap of \(layout.chunkBytes) bytes for the entries of a cache failed with errno \(errno)")
        }
        let number: Int
        if let free = vacant.popLast() {
            number = free
        } else {
            number = chunks.count
            precondition(number < 1 << (32 - Int(layout.shift)), "a cache has room for four thousand million entries")
            chunks.append(Chunk())
            if number == directoryCapacity { growDirectory(retiring: &limbo) }
        }
        chunks[number].base = base
        if number == 0 { chunks[0].touched = Int(Self.first) }
        view.pointee.chunks.load(ordering: .relaxed)[number] = base
        return number
    }

    private mutating func growDirectory(retiring limbo: inout EntryLimbo) {
        let old = view.pointee.chunks.load(ordering: .relaxed)
        let new = CacheView.Addresses.allocate(capacity: directoryCapacity * 2)
        new.initialize(from: old, count: directoryCapacity)
        (new + directoryCapacity).initialize(repeating: nil, count: directoryCapacity)
        directoryCapacity *= 2
        view.pointee.chunks.store(new, ordering: .releasing)
        limbo.add(UnsafeMutableRawPointer(old))
    }
}
