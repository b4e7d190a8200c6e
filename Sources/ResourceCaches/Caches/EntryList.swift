/// A queue of entries, linked through their headers; every operation is O(1).
struct EntryList {
    let queue: EntryQueue
    /// 0 for none.
    private(set) var oldest: UInt32 = 0
    private(set) var newest: UInt32 = 0
    private(set) var count = 0
    private(set) var cost = 0

    init(_ queue: EntryQueue) {
        self.queue = queue
    }

    /// Adds an entry that is in no queue, as the last or the next to leave.
    @inline(__always)
    mutating func insert(_ entry: UInt32, asOldest: Bool = false, in view: CacheView.Pointer) {
        let header = view.pointee.header(of: entry)
        (header.pointee.older, header.pointee.newer) = asOldest ? (0, oldest) : (newest, 0)
        header.pointee.queue = queue
        link(entry, header, in: view)
        count += 1
        cost += header.pointee.cost.bytes
    }

    /// Removes an entry of this queue.
    @inline(__always)
    mutating func remove(_ entry: UInt32, in view: CacheView.Pointer) {
        let header = view.pointee.header(of: entry)
        let (older, newer) = (header.pointee.older, header.pointee.newer)
        if older == 0 { oldest = newer } else { view.pointee.header(of: older).pointee.newer = newer }
        if newer == 0 { newest = older } else { view.pointee.header(of: newer).pointee.older = older }
        header.pointee.queue = .none
        count -= 1
        cost -= header.pointee.cost.bytes
    }

    /// Removes the entry that leaves next.
    @inline(__always)
    mutating func removeOldest(in view: CacheView.Pointer) -> UInt32? {
        let entry = oldest
        guard entry != 0 else { return nil }
        let header = view.pointee.header(of: entry)
        oldest = header.pointee.newer
        if oldest == 0 { newest = 0 } else { view.pointee.header(of: oldest).pointee.older = 0 }
        header.pointee.queue = .none
        count -= 1
        cost -= header.pointee.cost.bytes
        return entry
    }

    /// Records a change of an entry's cost.
    mutating func changeCost(by bytes: Int) {
        cost += bytes
    }

    /// Relinks an entry whose header was copied from another number.
    mutating func relink(_ entry: UInt32, in view: CacheView.Pointer) {
        link(entry, view.pointee.header(of: entry), in: view)
    }

    @inline(__always)
    private mutating func link(_ entry: UInt32, _ header: UnsafeMutablePointer<EntryHeader>, in view: CacheView.Pointer)
    {
        let (older, newer) = (header.pointee.older, header.pointee.newer)
        if older == 0 { oldest = entry } else { view.pointee.header(of: older).pointee.newer = entry }
        if newer == 0 { newest = entry } else { view.pointee.header(of: newer).pointee.older = entry }
    }
}
