/// Evicts the least recently used item first.
struct LRU: ResizablePolicy {
    private var size: Int
    private var cost = 0
    private var costs: [Int]
    private var queues: Queues

    /// `size` is a number of items or, if ``access(_:cost:)`` is called with their costs, the sum of these.
    init(size: Int, uniqueCount: Int) {
        self.size = size
        costs = Array(repeating: 0, count: uniqueCount)
        queues = Queues(1, uniqueCount: uniqueCount)
    }

    mutating func access(_ id: UInt32) -> Bool {
        access(id, cost: 1)
    }

    mutating func access(_ id: UInt32, cost new: Int) -> Bool {
        if queues[id] != 0 {
            queues.push(id, to: 1)
            return true
        }
        guard new <= size else { return false }
        makeRoom(for: new)
        queues.push(id, to: 1)
        costs[Int(id)] = new
        cost += new
        return false
    }

    mutating func resize(to size: Int) {
        self.size = size
        makeRoom(for: 0)
    }

    private mutating func makeRoom(for new: Int) {
        while cost + new > size, let victim = queues.popOldest(1) { cost -= costs[Int(victim)] }
    }
}
