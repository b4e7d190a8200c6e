/// The registered hosts, in order of their ids, which is the order of their hellos.
///
/// They are added once their processes are located, which takes turns between accounts, so in another order.
package struct HostTable: Sendable {
    /// The place of a host's entry, valid until the host leaves.
    package struct Slot: Equatable, Sendable {
        fileprivate let number: Int
    }

    /// The entries; a free place keeps its last entry.
    private var entries: [HostEntry] = []
    private var free: [Int32] = []
    /// The places of the present hosts, in order of their ids: four bytes a host, since the removal of a host moves all
    /// places after it.
    private var order: [Int32] = []
    /// The highest id given to a host.
    package private(set) var lastID: HostID = 0

    package init() {}

    package var count: Int { order.count }

    /// Returns an id that no host had before.
    package mutating func makeID() -> HostID {
        lastID += 1
        return lastID
    }

    /// Makes all future ids greater than this one.
    package mutating func advance(past id: HostID) {
        lastID = max(lastID, id)
    }

    package subscript(slot: Slot) -> HostEntry {
        _read { yield entries[slot.number] }
        _modify { yield &entries[slot.number] }
    }

    /// Adds a host, whose id no other host has.
    @discardableResult
    mutating func add(_ entry: HostEntry) -> Slot {
        let place: Int
        if let last = free.popLast() {
            place = Int(last)
            entries[place] = entry
        } else {
            place = entries.count
            entries.append(entry)
        }
        order.insert(Int32(place), at: position(after: entry.id))
        return Slot(number: place)
    }

    mutating func remove(_ slot: Slot) {
        let position = position(after: self[slot].id - 1)
        order.remove(at: position)
        free.append(Int32(slot.number))
    }

    /// Gives up the room of hosts that have left, once these were more than three quarters; slots are other ones then.
    mutating func shrink() {
        guard entries.capacity > 64, count < entries.capacity / 4 else { return }
        var smaller: [HostEntry] = []
        smaller.reserveCapacity(count)
        for place in order { smaller.append(entries[Int(place)]) }
        entries = smaller
        free = []
        order = (0..<Int32(count)).map { $0 }
    }

    package func slot(of id: HostID) -> Slot? {
        let position = position(after: id &- 1)
        guard position < order.count, entries[Int(order[position])].id == id else { return nil }
        return Slot(number: Int(order[position]))
    }

    /// All hosts, in order of their ids.
    package var slots: some Sequence<Slot> { order.lazy.map { Slot(number: Int($0)) } }

    /// At most `limit` hosts with ids greater than `id`.
    package func page(after id: HostID, limit: Int) -> [Slot] {
        order[position(after: id)...].prefix(limit).map { Slot(number: Int($0)) }
    }

    /// The position in ``order`` of the first host with a greater id; by bisection, or at once if no host has left.
    private func position(after id: HostID) -> Int {
        guard count > 0, id >= self.id(at: 0) else { return 0 }
        // Ids are unique, so a host is no further from the first than its id.
        var low = 0
        var high = Int(min(id - self.id(at: 0), UInt64(count - 1))) + 1
        if self.id(at: high - 1) <= id { return high }
        while low < high {
            let middle = (low + high) / 2
            if self.id(at: middle) <= id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func id(at position: Int) -> HostID { entries[Int(order[position])].id }
}
