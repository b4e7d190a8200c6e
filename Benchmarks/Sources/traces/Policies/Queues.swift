/// A few queues of items that are numbered from 0.
///
/// Each item is in one of the queues or in none.
///
/// Policies differ only in which items they move from which queue to which. Every operation is O(1).
struct Queues {
    private static let nothing = UInt32.max
    /// The number of the queue that an item is in, 0 for none.
    private var place: [UInt8]
    private var newer: [UInt32]
    private var older: [UInt32]
    private var ends: [Ends]

    private struct Ends {
        var newest = Queues.nothing
        var oldest = Queues.nothing
        var count = 0
    }

    /// Makes queues 1 to `count` for items numbered below `uniqueCount`.
    init(_ count: Int, uniqueCount: Int) {
        place = Array(repeating: 0, count: uniqueCount)
        newer = Array(repeating: Self.nothing, count: uniqueCount)
        older = newer
        ends = Array(repeating: Ends(), count: count + 1)
    }

    /// The number of the queue that an item is in, 0 for none.
    subscript(id: UInt32) -> UInt8 { place[Int(id)] }

    func count(_ queue: UInt8) -> Int { ends[Int(queue)].count }

    func oldest(_ queue: UInt8) -> UInt32? {
        let id = ends[Int(queue)].oldest
        return id == Self.nothing ? nil : id
    }

    /// The item that entered an item's queue right after it.
    func newer(than id: UInt32) -> UInt32? {
        let id = newer[Int(id)]
        return id == Self.nothing ? nil : id
    }

    /// Makes an item the newest of a queue, wherever it was before.
    mutating func push(_ id: UInt32, to queue: UInt8) {
        remove(id)
        let last = ends[Int(queue)].newest
        place[Int(id)] = queue
        older[Int(id)] = last
        newer[Int(id)] = Self.nothing
        if last == Self.nothing { ends[Int(queue)].oldest = id } else { newer[Int(last)] = id }
        ends[Int(queue)].newest = id
        ends[Int(queue)].count += 1
    }

    /// Removes the oldest item from a queue.
    @discardableResult
    mutating func popOldest(_ queue: UInt8) -> UInt32? {
        guard let id = oldest(queue) else { return nil }
        remove(id)
        return id
    }

    /// Removes an item from its queue.
    mutating func remove(_ id: UInt32) {
        let queue = Int(place[Int(id)])
        guard queue != 0 else { return }
        place[Int(id)] = 0
        let (before, after) = (older[Int(id)], newer[Int(id)])
        if before == Self.nothing { ends[queue].oldest = after } else { newer[Int(before)] = after }
        if after == Self.nothing { ends[queue].newest = before } else { older[Int(after)] = before }
        ends[queue].count -= 1
    }
}
