/// Keyed values with a cost, in the order of their last use; every operation on one of them is O(1).
///
/// The entries are in a slab and linked by index, so that a hit moves two integers and allocates nothing. Removed
/// values are returned and never dropped here: the caller holds a lock, and a value's `deinit` may take long or call
/// back.
package struct RecencyList<Key: Hashable, Value> {
    private struct Entry {
        var key: Key
        var value: Value
        var cost: Int
        var newer: Int
        var older: Int
    }

    private static var none: Int { -1 }

    private var slab: [Entry?] = []
    private var freeSlots: [Int] = []
    private var slots: [Key: Int] = [:]
    private var newest = none
    private var oldest = none
    package private(set) var totalCost = 0

    /// Creates an empty list.
    package init() {}

    package var count: Int { slots.count }

    package func contains(_ key: Key) -> Bool {
        slots[key] != nil
    }

    /// Returns the value, which becomes the most recently used.
    package mutating func use(_ key: Key) -> Value? {
        guard let slot = slots[key] else { return nil }
        if slot != newest {
            unlink(slot)
            linkAsNewest(slot)
        }
        return slab[slot]?.value
    }

    /// Adds a value as the most recently used, and returns the replaced one.
    package mutating func insert(_ value: Value, for key: Key, cost: Int) -> Value? {
        let replaced = remove(key)
        let entry = Entry(key: key, value: value, cost: cost, newer: Self.none, older: Self.none)
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            slab[slot] = entry
        } else {
            slot = slab.count
            slab.append(entry)
        }
        slots[key] = slot
        totalCost += cost
        linkAsNewest(slot)
        return replaced
    }

    package mutating func remove(_ key: Key) -> Value? {
        guard let slot = slots[key] else { return nil }
        return remove(at: slot)
    }

    /// Removes the least recently used value.
    package mutating func removeOldest() -> Value? {
        remove(at: oldest)
    }

    private mutating func remove(at slot: Int) -> Value? {
        guard slot != Self.none, let entry = slab[slot] else { return nil }
        unlink(slot)
        slab[slot] = nil
        freeSlots.append(slot)
        slots[entry.key] = nil
        totalCost -= entry.cost
        return entry.value
    }

    private mutating func linkAsNewest(_ slot: Int) {
        slab[slot]?.newer = Self.none
        slab[slot]?.older = newest
        if newest == Self.none { oldest = slot } else { slab[newest]?.newer = slot }
        newest = slot
    }

    private mutating func unlink(_ slot: Int) {
        guard let entry = slab[slot] else { return }
        if entry.newer == Self.none { newest = entry.older } else { slab[entry.newer]?.older = entry.older }
        if entry.older == Self.none { oldest = entry.newer } else { slab[entry.older]?.newer = entry.newer }
    }
}
