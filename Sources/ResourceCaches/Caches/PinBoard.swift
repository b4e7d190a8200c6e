/// Which entries are pinned, by whom and until when.
///
/// Belongs to who holds the cache's lock.
struct PinBoard {
    struct Record {
        var entry: UInt32
        var owner: String
        /// In nanoseconds of the cache's clock; the most there are for no end.
        var ends: UInt64
    }

    private struct Pinned {
        var pins = 0
        var priority: CachePriority
    }

    private(set) var records: [UInt64: Record] = [:]
    private var pinned: [UInt32: Pinned] = [:]
    private var lastID: UInt64 = 0
    /// The cost of all that is pinned.
    private(set) var cost = 0

    var isEmpty: Bool { records.isEmpty }

    func contains(_ entry: UInt32) -> Bool {
        pinned[entry] != nil
    }

    /// Pins an entry, which must be in no queue any more, and returns the pin's number.
    ///
    /// - Parameters:
    ///   - record: What is pinned, by whom and until when.
    ///   - priority: What it goes back to; of no meaning if it is pinned already.
    ///   - view: Where the entries lie.
    /// - Returns: The number, which no other pin ever has.
    mutating func add(_ record: Record, priority: CachePriority, in view: CacheView.Pointer) -> UInt64 {
        lastID += 1
        records[lastID] = record
        if pinned[record.entry] == nil { cost += view.pointee.header(of: record.entry).pointee.bytes }
        pinned[record.entry, default: Pinned(priority: priority)].pins += 1
        return lastID
    }

    /// Says where an entry goes back to that is pinned.
    mutating func setPriority(_ priority: CachePriority, of entry: UInt32) {
        pinned[entry]?.priority = priority
    }

    /// Ends a pin, and returns its entry and where that belongs if it was the last one; `nil` if there is nothing to
    /// do.
    mutating func end(_ id: UInt64, in view: CacheView.Pointer) -> (entry: UInt32, priority: CachePriority)? {
        guard let entry = records.removeValue(forKey: id)?.entry, let present = pinned[entry] else { return nil }
        pinned[entry]?.pins -= 1
        guard present.pins == 1 else { return nil }
        pinned[entry] = nil
        cost -= view.pointee.header(of: entry).pointee.bytes
        return (entry, present.priority)
    }

    /// Ends the pins whose time is up, and returns the entries that are no longer pinned.
    mutating func removeExpired(
        at now: UInt64,
        in view: CacheView.Pointer
    ) -> [(entry: UInt32, priority: CachePriority)] {
        records.filter { $0.value.ends <= now }.keys.sorted().compactMap { end($0, in: view) }
    }

    /// Forgets an entry that is being removed.
    mutating func remove(_ entry: UInt32, in view: CacheView.Pointer) {
        guard !isEmpty, pinned.removeValue(forKey: entry) != nil else { return }
        cost -= view.pointee.header(of: entry).pointee.bytes
        records = records.filter { $0.value.entry != entry }
    }

    /// Forgets all entries.
    ///
    /// The numbers of their pins are not used again: those who keep the pins will end them.
    mutating func removeAll() {
        (records, pinned, cost) = ([:], [:], 0)
    }

    /// Has the pins of an entry hold the one that takes its place.
    mutating func replace(_ entry: UInt32, by other: UInt32, in view: CacheView.Pointer) {
        guard !isEmpty, let present = pinned.removeValue(forKey: entry) else { return }
        pinned[other] = present
        cost += view.pointee.header(of: other).pointee.bytes - view.pointee.header(of: entry).pointee.bytes
        for (id, record) in records where record.entry == entry { records[id]?.entry = other }
    }
}
