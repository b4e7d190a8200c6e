public import Synchronization

/// Which entries a cache has, by the hash of their keys: open addressing with linear probing in 8-byte words.
///
/// A word is the hash's 32 bits over the number of an entry; 0 where there never was one, and 1 where there was one
/// that has been removed, so that those behind it are still found. Keys are no concern of the table.
///
/// Readers take a ``Snapshot`` from the ``CacheView`` and probe it; everything else belongs to who holds the cache's
/// lock. A word changes in one store, so that a reader finds the old entry of a key or the new one, and never none
/// while there is one.
@usableFromInline
struct EntryTable {
    @usableFromInline typealias Word = Atomic<UInt64>

    /// The table as it is at one moment; it may be replaced, but is not freed before the reader leaves its epoch.
    @frozen @usableFromInline
    struct Snapshot {
        @usableFromInline let words: UnsafeMutablePointer<Word>
        @usableFromInline let capacity: Int

        @inlinable
        init(_ block: UnsafeMutableRawPointer) {
            capacity = block.load(as: Int.self)
            words = (block + MemoryLayout<Int>.stride).assumingMemoryBound(to: Word.self)
        }

        /// Where the search for a hash begins, in the order of hashes, so that a rebuild walks memory in order.
        @inlinable
        func home(of hash: UInt32) -> Int {
            Int(truncatingIfNeeded: (UInt64(hash) &* UInt64(truncatingIfNeeded: capacity)) &>> 32)
        }

        @inlinable
        func position(after position: Int) -> Int {
            position &+ 1 == capacity ? 0 : position &+ 1
        }

        func position(before position: Int) -> Int {
            position == 0 ? capacity - 1 : position - 1
        }

        @inlinable
        func word(at position: Int) -> UInt64 {
            words[position].load(ordering: .acquiring)
        }

        /// The entry that a word leads to if its hash is this one.
        @inlinable
        static func entry(in word: UInt64, ifHash hash: UInt32) -> UInt32? {
            let entry = UInt32(truncatingIfNeeded: word)
            return UInt32(truncatingIfNeeded: word &>> 32) == hash && entry > removed ? entry : nil
        }

        /// The low half of a word whose entry was removed.
        @inlinable static var removed: UInt32 { 1 }
    }

    private let view: CacheView.Pointer
    private(set) var count = 0
    /// Words that are not 0.
    private var used = 0

    private static var smallestCapacity: Int { 16 }

    /// Words that may be in use: above 70 % the runs that a search walks get long.
    private static func room(in capacity: Int) -> Int { capacity * 7 / 10 }

    /// A table that readers see through a view, and whose first block the view has.
    init(_ view: CacheView.Pointer) {
        self.view = view
    }

    func deallocate() {
        view.pointee.table.load(ordering: .acquiring).deallocate()
    }

    /// The capacity and the words of an empty table.
    static func makeBlock(capacity: Int = smallestCapacity) -> UnsafeMutableRawPointer {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Int>.stride + capacity * MemoryLayout<Word>.stride,
            alignment: MemoryLayout<Word>.alignment
        )
        block.storeBytes(of: capacity, as: Int.self)
        let words = Snapshot(block).words
        for position in 0..<capacity { (words + position).initialize(to: Word(0)) }
        return block
    }

    private var snapshot: Snapshot { view.pointee.snapshot }

    /// Adds an entry whose key is not there.
    ///
    /// - Parameters:
    ///   - entry: The entry's number; its memory has been initialised.
    ///   - hash: The hash of its key.
    ///   - limbo: Takes a table that was replaced, to be freed when no reader can be in it any more.
    mutating func insert(_ entry: UInt32, hash: UInt32, retiring limbo: inout EntryLimbo) {
        if used >= Self.room(in: snapshot.capacity) {
            // More room if it is full of entries, and else only without the removed ones.
            let capacity = snapshot.capacity
            rebuild(
                capacity: count >= Self.room(in: capacity) * 3 / 4 ? capacity + capacity / 2 : capacity,
                retiring: &limbo
            )
        }
        let table = snapshot
        var position = table.home(of: hash)
        while true {
            let word = table.words[position].load(ordering: .relaxed)
            if word == 0 { used += 1 }
            if UInt32(truncatingIfNeeded: word) <= Snapshot.removed { break }
            position = table.position(after: position)
        }
        count += 1
        table.words[position].store(UInt64(hash) << 32 | UInt64(entry), ordering: .releasing)
    }

    /// Puts another entry for the same key in the place of one.
    func replace(_ entry: UInt32, hash: UInt32, by replacement: UInt32) {
        let table = snapshot
        let position = position(of: entry, hash: hash, in: table)
        table.words[position].store(UInt64(hash) << 32 | UInt64(replacement), ordering: .releasing)
    }

    /// Removes an entry that is there.
    mutating func remove(_ entry: UInt32, hash: UInt32) {
        let table = snapshot
        var position = position(of: entry, hash: hash, in: table)
        count -= 1
        guard table.words[table.position(after: position)].load(ordering: .relaxed) == 0 else {
            return table.words[position].store(UInt64(Snapshot.removed), ordering: .releasing)
        }
        // Nothing follows, so neither this word nor those removed right before it need to be walked over any more. A
        // reader who stops at one of them would have found nothing behind it.
        repeat {
            table.words[position].store(0, ordering: .releasing)
            used -= 1
            position = table.position(before: position)
        } while table.words[position].load(ordering: .relaxed) == UInt64(Snapshot.removed)
    }

    private func position(of entry: UInt32, hash: UInt32, in table: Snapshot) -> Int {
        var position = table.home(of: hash)
        while UInt32(truncatingIfNeeded: table.words[position].load(ordering: .relaxed)) != entry {
            position = table.position(after: position)
        }
        return position
    }

    /// Removes all entries, and gives back the memory for them.
    mutating func removeAll(retiring limbo: inout EntryLimbo) {
        (count, used) = (0, 0)
        publish(Self.makeBlock(), retiring: &limbo)
    }

    /// Gives back memory if less than a fifth of it is used.
    mutating func shrink(retiring limbo: inout EntryLimbo) {
        let capacity = max(Self.smallestCapacity, count * 2)
        if capacity * 5 < snapshot.capacity * 2 { rebuild(capacity: capacity, retiring: &limbo) }
    }

    /// Calls back with every entry.
    func visit(_ body: (UInt32) -> Void) {
        let table = snapshot
        for position in 0..<table.capacity {
            let entry = UInt32(truncatingIfNeeded: table.words[position].load(ordering: .relaxed))
            if entry > Snapshot.removed { body(entry) }
        }
    }

    private mutating func rebuild(capacity: Int, retiring limbo: inout EntryLimbo) {
        let old = snapshot
        let block = Self.makeBlock(capacity: capacity)
        let new = Snapshot(block)
        for position in 0..<old.capacity {
            let word = old.words[position].load(ordering: .relaxed)
            guard UInt32(truncatingIfNeeded: word) > Snapshot.removed else { continue }
            var place = new.home(of: UInt32(truncatingIfNeeded: word >> 32))
            while new.words[place].load(ordering: .relaxed) != 0 { place = new.position(after: place) }
            new.words[place].store(word, ordering: .relaxed)
        }
        used = count
        publish(block, retiring: &limbo)
    }

    private mutating func publish(_ new: UnsafeMutableRawPointer, retiring limbo: inout EntryLimbo) {
        let old = view.pointee.table.load(ordering: .relaxed)
        view.pointee.table.store(new, ordering: .releasing)
        limbo.add(old)
    }
}
