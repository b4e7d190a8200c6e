/// S3-FIFO (SOSP 2023): a small queue from which new items move on only with hits, a main queue that works like
/// ``Clock``, and the names of items that left the small queue without hits.
struct S3FIFO: ResizablePolicy {
    private static let small: UInt8 = 1
    private static let main: UInt8 = 2
    private static let ghosts: UInt8 = 3

    private var size: Int
    private var smallSize: Int { max(1, size / 10) }
    private let promotion: UInt8
    /// Whether items beyond the small queue's share go to the main queue, before the first eviction.
    private var isWarmingUp: Bool
    /// The hits of each item, up to 3.
    private var hits: [UInt8]
    private var queues: Queues

    /// `promotion` is the number of hits that move an item from the small queue to the main queue.
    init(size: Int, uniqueCount: Int, promotion: UInt8, startsWarm: Bool) {
        self.size = size
        self.promotion = promotion
        isWarmingUp = startsWarm
        hits = Array(repeating: 0, count: uniqueCount)
        queues = Queues(3, uniqueCount: uniqueCount)
    }

    mutating func access(_ id: UInt32) -> Bool {
        let place = queues[id]
        if place == Self.small || place == Self.main {
            hits[Int(id)] = min(3, hits[Int(id)] + 1)
            return true
        }
        // A requested item is no longer a ghost, even while others are evicted to make room for it.
        queues.remove(id)
        while queues.count(Self.small) + queues.count(Self.main) >= size { evict() }
        hits[Int(id)] = 0
        let isFull = isWarmingUp && queues.count(Self.small) >= smallSize
        queues.push(id, to: place == Self.ghosts || isFull ? Self.main : Self.small)
        return false
    }

    mutating func resize(to size: Int) {
        self.size = size
        while queues.count(Self.small) + queues.count(Self.main) > size { evict() }
        while queues.count(Self.ghosts) > size * 9 / 10 { queues.popOldest(Self.ghosts) }
    }

    private mutating func evict() {
        isWarmingUp = false
        if queues.count(Self.main) > size - smallSize || queues.count(Self.small) == 0 {
            evictFromMain()
        } else {
            evictFromSmall()
        }
    }

    private mutating func evictFromSmall() {
        while let id = queues.oldest(Self.small) {
            guard hits[Int(id)] >= promotion else {
                queues.push(id, to: Self.ghosts)
                if queues.count(Self.ghosts) > size * 9 / 10 { queues.popOldest(Self.ghosts) }
                return
            }
            hits[Int(id)] = 0
            queues.push(id, to: Self.main)
        }
    }

    private mutating func evictFromMain() {
        while let id = queues.oldest(Self.main) {
            guard hits[Int(id)] > 0 else { return queues.remove(id) }
            hits[Int(id)] -= 1
            queues.push(id, to: Self.main)
        }
    }
}
