/// ARC (Megiddo and Modha, FAST 2003): a queue of items that were used once and a queue of items that were used more often.
///
/// Each has a ghost queue with the names of items that left it; a hit there enlarges the queue's share.
struct ARC: ResizablePolicy {
    private static let once: UInt8 = 1
    private static let often: UInt8 = 2
    private static let onceGhosts: UInt8 = 3
    private static let oftenGhosts: UInt8 = 4

    private var size: Int
    /// The target size of the queue of items that were used once; the paper's p.
    private var target = 0.0
    private var queues: Queues

    init(size: Int, uniqueCount: Int) {
        self.size = size
        queues = Queues(4, uniqueCount: uniqueCount)
    }

    mutating func access(_ id: UInt32) -> Bool {
        let once = Double(queues.count(Self.onceGhosts))
        let often = Double(queues.count(Self.oftenGhosts))
        switch queues[id] {
        case Self.once, Self.often:
            queues.push(id, to: Self.often)
            return true
        case Self.onceGhosts:
            target = min(Double(size), target + max(1, often / once))
            replace(for: Self.onceGhosts)
            queues.push(id, to: Self.often)
        case Self.oftenGhosts:
            target = max(0, target - max(1, once / often))
            replace(for: Self.oftenGhosts)
            queues.push(id, to: Self.often)
        default:
            makeRoom()
            queues.push(id, to: Self.once)
        }
        return false
    }

    mutating func resize(to size: Int) {
        self.size = size
        target = min(target, Double(size))
        while queues.count(Self.once) + queues.count(Self.often) > size { replace(for: 0) }
        while queues.count(Self.once) + queues.count(Self.onceGhosts) > size { queues.popOldest(Self.onceGhosts) }
        while queues.count(Self.often) + queues.count(Self.oftenGhosts) > 2 * size {
            queues.popOldest(Self.oftenGhosts)
        }
    }

    private mutating func makeRoom() {
        let once = queues.count(Self.once) + queues.count(Self.onceGhosts)
        let all = once + queues.count(Self.often) + queues.count(Self.oftenGhosts)
        if once >= size {
            guard queues.count(Self.once) < size else {
                queues.popOldest(Self.once)
                return
            }
            queues.popOldest(Self.onceGhosts)
            replace(for: 0)
        } else if all >= size {
            if all >= 2 * size { queues.popOldest(Self.oftenGhosts) }
            replace(for: 0)
        }
    }

    private mutating func replace(for requested: UInt8) {
        let once = Double(queues.count(Self.once))
        let takesOnce = once > 0 && (once > target || requested == Self.oftenGhosts && once == target)
        let (from, to) = takesOnce ? (Self.once, Self.onceGhosts) : (Self.often, Self.oftenGhosts)
        if let victim = queues.oldest(from) { queues.push(victim, to: to) }
    }
}
