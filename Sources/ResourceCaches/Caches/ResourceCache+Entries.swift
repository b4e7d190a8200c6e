/// Where an entry's key and value lie: behind its header, in the slab.
extension ResourceCache {
    @inlinable static var keyOffset: Int {
        align(MemoryLayout<EntryHeader>.size, to: MemoryLayout<Key>.alignment)
    }

    @inlinable static var valueOffset: Int {
        align(keyOffset + MemoryLayout<Key>.size, to: MemoryLayout<Value>.alignment)
    }

    @inlinable static var stride: Int {
        let alignment = max(MemoryLayout<EntryHeader>.alignment, MemoryLayout<(Key, Value)>.alignment)
        return align(valueOffset + MemoryLayout<Value>.size, to: alignment)
    }

    /// The view's, from which the compiler makes constants.
    @inlinable static var layout: EntryLayout { EntryLayout(stride: stride) }

    @inlinable
    static func align(_ offset: Int, to alignment: Int) -> Int {
        (offset + alignment - 1) & ~(alignment - 1)
    }

    @inlinable @inline(__always)
    func header(of entry: UInt32) -> UnsafeMutablePointer<EntryHeader> {
        view.pointee.address(of: entry, Self.layout).assumingMemoryBound(to: EntryHeader.self)
    }

    @inlinable @inline(__always)
    func key(of entry: UInt32) -> UnsafeMutablePointer<Key> {
        (view.pointee.address(of: entry, Self.layout) + Self.keyOffset).assumingMemoryBound(to: Key.self)
    }

    @inlinable @inline(__always)
    func value(of entry: UInt32) -> UnsafeMutablePointer<Value> {
        (view.pointee.address(of: entry, Self.layout) + Self.valueOffset).assumingMemoryBound(to: Value.self)
    }

    /// The entry of a key, or 0; for readers in an epoch, and for who holds the lock.
    @inlinable @inline(__always)
    func find(_ key: Key, hash: UInt32) -> UInt32 {
        let table = view.pointee.snapshot
        var position = table.home(of: hash)
        while true {
            let word = table.word(at: position)
            if word == 0 { return 0 }
            if let entry = EntryTable.Snapshot.entry(in: word, ifHash: hash), self.key(of: entry).pointee == key {
                return entry
            }
            position = table.position(after: position)
        }
    }

    /// Ends the key and value of an entry that nobody can find any more.
    @inlinable
    func destroy(_ entry: UInt32) {
        key(of: entry).deinitialize(count: 1)
        value(of: entry).deinitialize(count: 1)
    }
}
