/// A few queues of things that are numbered from 0; each thing is in one of them or in none.
///
/// All that policies differ in is what they move from which queue to which. Every operation is O(1).
struct Queues {
    private static let nothing = UInt32.max
    /// The number of the queue that a thing is in, 0 for none.
    private var place: [UInt8]
    private var newer: [UInt32]
    private var older: [UInt32]
    private var ends: [Ends]

    private struct Ends {
        var newest = Queues.nothing
        var oldest = Queues.nothing
        var count = 0
    }

    /// Queues 1 to `count` for things numbered below `uniqueCount`.
    init(_ count: Int, uniqueCount: Int) {
        place = Array(repeating: 0, count: uniqueCount)
        newer = Array(repeating: Self.nothing, count: uniqueCount)
        older = newer
        ends = Array(repeating: Ends(), count: count + 1)
    }

    /// The queue that a thing is in, 0 for none.
    subscript(id: UInt32) -> UInt8 { place[Int(id)] }

    func count(_ queue: UInt8) -> Int { ends[Int(queue)].count }

    func oldest(_ queue: UInt8) -> UInt32? {
        let id = ends[Int(queue)].oldest
        return id == Self.nothing ? nil : id
    }

    /// What came into a thing's queue right after it.
    func newer(than id: UInt32) -> UInt32? {
        let id = newer[Int(id)]
        return id == Self.nothing ? nil : id
    }

    /// Makes a thing the newest of a queue, wherever it was.
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

    /// Takes the oldest thing out of a queue.
    @discardableResult
    mutating func popOldest(_ queue: UInt8) -> UInt32? {
        guard let id = oldest(queue) else { return nil }
        remove(id)
        return id
    }

    /// Takes a thing out of the queue it is in.
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
