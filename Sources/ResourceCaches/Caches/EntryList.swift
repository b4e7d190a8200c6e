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

    /// Adds an entry that stands in no queue; as the one that leaves last, or as the one that leaves next.
    mutating func insert(_ entry: UInt32, asOldest: Bool = false, in view: CacheView.Pointer) {
        let header = view.pointee.header(of: entry)
        (header.pointee.older, header.pointee.newer) = asOldest ? (0, oldest) : (newest, 0)
        header.pointee.queue = queue
        link(entry, header, in: view)
        count += 1
        cost += header.pointee.bytes
    }

    /// Takes an entry out that stands in this queue.
    mutating func remove(_ entry: UInt32, in view: CacheView.Pointer) {
        let header = view.pointee.header(of: entry)
        let (older, newer) = (header.pointee.older, header.pointee.newer)
        if older == 0 { oldest = newer } else { view.pointee.header(of: older).pointee.newer = newer }
        if newer == 0 { newest = older } else { view.pointee.header(of: newer).pointee.older = older }
        header.pointee.queue = .none
        count -= 1
        cost -= header.pointee.bytes
    }

    /// Takes the entry out that is to leave next.
    mutating func removeOldest(in view: CacheView.Pointer) -> UInt32? {
        guard oldest != 0 else { return nil }
        let entry = oldest
        remove(entry, in: view)
        return entry
    }

    /// Puts an entry in the place of another one, which leaves the queue.
    mutating func replace(_ entry: UInt32, by other: UInt32, in view: CacheView.Pointer) {
        let (old, new) = (view.pointee.header(of: entry), view.pointee.header(of: other))
        (new.pointee.older, new.pointee.newer) = (old.pointee.older, old.pointee.newer)
        new.pointee.queue = queue
        old.pointee.queue = .none
        link(other, new, in: view)
        cost += new.pointee.bytes - old.pointee.bytes
    }

    private mutating func link(_ entry: UInt32, _ header: UnsafeMutablePointer<EntryHeader>, in view: CacheView.Pointer)
    {
        let (older, newer) = (header.pointee.older, header.pointee.newer)
        if older == 0 { oldest = entry } else { view.pointee.header(of: older).pointee.newer = entry }
        if newer == 0 { newest = entry } else { view.pointee.header(of: newer).pointee.older = entry }
    }
}
