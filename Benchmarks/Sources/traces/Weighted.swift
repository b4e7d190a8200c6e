internal import BenchSupport

/// Plays a trace whose items have different sizes to caches that are limited by bytes.
struct Weighted {
    /// The rows of the table, one for each size of the cache.
    static func rows(_ trace: Trace, sizes: [Int]) -> [[String]] {
        var known = Array(repeating: 0, count: trace.uniqueCount)
        for (id, size) in zip(trace.requests, sizes) { known[Int(id)] = size }
        let all = known.reduce(0, +)
        return [1, 5, 20].map { percent in
            let limit = max(1, all * percent / 100)
            var lru = LRU(size: limit, uniqueCount: trace.uniqueCount)
            var cache = Ours(size: limit)
            var (theirs, ours) = (Tally(), Tally())
            for (id, size) in zip(trace.requests, sizes) {
                theirs.count(size, isHit: lru.access(id, cost: size))
                ours.count(size, isHit: cache.access(id, cost: size))
            }
            return [trace.name, "\(percent) %, \(limit >> 20) MiB"] + theirs.cells + ours.cells
        }
    }

    static let heads = ["trace", "size", "LRU objects", "LRU bytes", "ours objects", "ours bytes"]
}

/// Counts hits and requests, and the bytes of both.
private struct Tally {
    private var requests = 0
    private var hits = 0
    private var bytes = 0
    private var hitBytes = 0

    mutating func count(_ size: Int, isHit: Bool) {
        requests += 1
        bytes += size
        guard isHit else { return }
        hits += 1
        hitBytes += size
    }

    var cells: [String] {
        [(100 * Double(hits) / Double(requests)).decimal(1), (100 * Double(hitBytes) / Double(bytes)).decimal(1)]
    }
}
