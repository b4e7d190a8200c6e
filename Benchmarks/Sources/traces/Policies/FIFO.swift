/// First in, first out; a hit changes nothing.
struct FIFO: ResizablePolicy {
    private var size: Int
    private var queues: Queues

    init(size: Int, uniqueCount: Int) {
        self.size = size
        queues = Queues(1, uniqueCount: uniqueCount)
    }

    mutating func access(_ id: UInt32) -> Bool {
        if queues[id] != 0 { return true }
        if queues.count(1) >= size { queues.popOldest(1) }
        queues.push(id, to: 1)
        return false
    }

    mutating func resize(to size: Int) {
        self.size = size
        while queues.count(1) > size { queues.popOldest(1) }
    }
}
