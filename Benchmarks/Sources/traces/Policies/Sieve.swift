/// SIEVE (NSDI 2024): a hand moves from old to new items.
///
/// Items that were hit since its last visit stay, in their places.
struct Sieve: ResizablePolicy {
    private var size: Int
    private var wasHit: [Bool]
    private var queues: Queues
    private var hand: UInt32?

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
        var victim = hand ?? queues.oldest(1)
        while let id = victim, wasHit[Int(id)] {
            wasHit[Int(id)] = false
            victim = queues.newer(than: id) ?? queues.oldest(1)
        }
        guard let victim else { return }
        hand = queues.newer(than: victim)
        queues.remove(victim)
    }
}
