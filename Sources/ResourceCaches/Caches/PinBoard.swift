/// The pinned entries, with the owner and the end of each pin.
///
/// The policy's lock guards it.
struct PinBoard {
    struct Record {
        var entry: UInt32
        var owner: String
        /// In nanoseconds of the cache's clock; the maximum for no end.
        var ends: UInt64
    }

    private struct Pinned {
        var pins: Set<UInt64> = []
        var priority: CachePriority
    }

    private(set) var records: [UInt64: Record] = [:]
    private var pinned: [UInt32: Pinned] = [:]
    private var lastID: UInt64 = 0
    /// No pin ends before this time.
    private var nextEnd = UInt64.max
    /// The cost of all pinned entries.
    private(set) var cost = 0

    /// Pins an entry that is no longer in a queue, and returns the pin's number.
    ///
    /// - Parameters:
    ///   - record: The entry, the owner and the end of the pin.
    ///   - priority: The entry's priority after the pin; ignored if it is pinned already.
    ///   - view: The memory of the entries.
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

    /// Sets the priority that a pinned entry has after its pins.
    mutating func setPriority(_ priority: CachePriority, of entry: UInt32) {
        pinned[entry]?.priority = priority
    }

    /// Records a change of a pinned entry's cost.
    mutating func changeCost(by bytes: Int) {
        cost += bytes
    }

    /// Ends a pin.
    ///
    /// - Returns: Its entry and the entry's priority, if it was the entry's last pin; otherwise `nil`.
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

    /// Ends expired pins, and returns the entries that are no longer pinned.
    mutating func endExpired(at now: UInt64, in view: CacheView.Pointer) -> [(entry: UInt32, priority: CachePriority)] {
        guard nextEnd <= now else { return [] }
        let expired = records.filter { $0.value.ends <= now }.keys.sorted()
        let entries = expired.compactMap { end($0, in: view) }
        nextEnd = records.values.reduce(.max) { min($0, $1.ends) }
        return entries
    }

    /// The number of pinned entries.
    var count: Int { pinned.count }

    /// Whether a pin has an end, so that the clock has to be read.
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

    /// Changes the entry of pins to the number to which it has moved.
    mutating func move(_ entry: UInt32, to other: UInt32) {
        guard let present = pinned.removeValue(forKey: entry) else { return }
        pinned[other] = present
        for id in present.pins { records[id]?.entry = other }
    }
}
