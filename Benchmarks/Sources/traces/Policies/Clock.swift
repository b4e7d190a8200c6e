/// First in, first out; but an item that was hit since its insertion is inserted once more.
struct Clock: ResizablePolicy {
    private var size: Int
    private var wasHit: [Bool]
    private var queues: Queues

    init(size: Int, uniqueCount: Int) {
        self.size = size
        wasHit = Array(repeating: false, count: uniqueCount)
        queues = Queues(1, uniqueCount: uniqueCount)
    }

    mutating func access(_ id: UInt32) -> Bool {
        if queues[id] != 0 {
            wasHit[Int(id)] = true
            return true
        }
        if queues.count(1) >= size { evict() }
        queues.push(id, to: 1)
        return false
    }

    mutating func resize(to size: Int) {
        self.size = size
        while queues.count(1) > size { evict() }
    }

    private mutating func evict() {
        while let id = queues.popOldest(1), wasHit[Int(id)] {
            wasHit[Int(id)] = false
            queues.push(id, to: 1)
        }
    }
}
