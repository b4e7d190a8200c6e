/// Which entries are pinned, by what owner and until when.
///
/// The policy's lock guards it.
struct PinBoard {
    struct Record {
        var entry: UInt32
        var owner: String
        /// In nanoseconds of the cache's clock; the most there are for no end.
        var ends: UInt64
    }

    private struct Pinned {
        var pins: Set<UInt64> = []
        var priority: CachePriority
    }

    private(set) var records: [UInt64: Record] = [:]
    private var pinned: [UInt32: Pinned] = [:]
    private var lastID: UInt64 = 0
    /// No pin ends before.
    private var nextEnd = UInt64.max
    /// The cost of all that is pinned.
    private(set) var cost = 0

    /// Pins an entry, which must be in no queue any more, and returns the pin's number.
    ///
    /// - Parameters:
    ///   - record: What is pinned, for what owner and until when.
    ///   - priority: What it goes back to; of no meaning if it is pinned already.
    ///   - view: Where the entries lie.
    /// - Returns: The number, which no other pin ever has.
    mutating func add(_ record: Record, priority: CachePriority, in view: CacheView.Pointer) -> UInt64 {
        lastID += 1
        records[lastID] = record
        nextEnd = min(nextEnd, record.ends)
        let header = view.pointee.header(of: record.entry)
        if header.pointee.marks.insert(.isPinned).inserted { cost += header.pointee.cost.bytes }
        pinned[record.entry, default: Pinned(priority: priority)].pins.insert(lastID)
        return lastID
    }

    /// Says where an entry goes back to that is pinned.
    mutating func setPriority(_ priority: CachePriority, of entry: UInt32) {
        pinned[entry]?.priority = priority
    }

    /// Notes that the cost of a pinned entry has changed by so much.
    mutating func changeCost(by bytes: Int) {
        cost += bytes
    }

    /// Ends a pin.
    ///
    /// - Returns: Its entry and where that belongs, if it was the entry's last pin; else `nil`.
    mutating func end(_ id: UInt64, in view: CacheView.Pointer) -> (entry: UInt32, priority: CachePriority)? {
        guard let entry = records.removeValue(forKey: id)?.entry, var present = pinned[entry] else { return nil }
        present.pins.remove(id)
        guard present.pins.isEmpty else {
            pinned[entry] = present
            return nil
        }
        forget(entry, in: view)
        return (entry, present.priority)
    }

    /// Ends the pins whose time is up, and returns the entries that are no longer pinned.
    mutating func endExpired(at now: UInt64, in view: CacheView.Pointer) -> [(entry: UInt32, priority: CachePriority)] {
        guard nextEnd <= now else { return [] }
        let expired = records.filter { $0.value.ends <= now }.keys.sorted()
        let entries = expired.compactMap { end($0, in: view) }
        nextEnd = records.values.reduce(.max) { min($0, $1.ends) }
        return entries
    }

    /// How many entries are pinned.
    var count: Int { pinned.count }

    /// Whether a pin may have ended by its time, so that the clock has to be asked.
    var hasEnds: Bool { nextEnd < .max }

    /// Forgets an entry that is leaving; the numbers of its pins are not used again.
    mutating func remove(_ entry: UInt32, in view: CacheView.Pointer) {
        guard let present = pinned[entry] else { return }
        for id in present.pins { records[id] = nil }
        forget(entry, in: view)
    }

    private mutating func forget(_ entry: UInt32, in view: CacheView.Pointer) {
        pinned[entry] = nil
        let header = view.pointee.header(of: entry)
        header.pointee.marks.remove(.isPinned)
        cost -= header.pointee.cost.bytes
    }

    /// Has the pins of an entry hold the number that it has moved to.
    mutating func move(_ entry: UInt32, to other: UInt32) {
        guard let present = pinned.removeValue(forKey: entry) else { return }
        pinned[other] = present
        for id in present.pins { records[id]?.entry = other }
    }
}
