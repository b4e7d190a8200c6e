/// The optimum, which has to know the future (Belady, 1966).
///
/// It first evicts, or does not admit, the item whose next request is the latest.
struct Optimum: Policy {
    private let size: Int
    /// For each request, the time of the next request for the same item.
    private let next: [Int32]
    private var now = 0
    private var count = 0
    /// For each item in the cache, the time of its next request; -1 for other items.
    private var due: [Int32]
    /// The latest first.
    ///
    /// It also contains outdated entries, of items that were requested since or have left the cache.
    private var heap: [(due: Int32, id: UInt32)] = []

    init(size: Int, trace: [UInt32], uniqueCount: Int) {
        self.size = size
        var seen = Array(repeating: Int32.max, count: uniqueCount)
        var next = Array(repeating: Int32.max, count: trace.count)
        for (index, id) in trace.enumerated().reversed() {
            next[index] = seen[Int(id)]
            seen[Int(id)] = Int32(index)
        }
        self.next = next
        due = Array(repeating: -1, count: uniqueCount)
    }

    /// The requests have to be those of the trace.
    mutating func access(_ id: UInt32) -> Bool {
        let isHit = due[Int(id)] >= 0
        due[Int(id)] = next[now]
        push((next[now], id))
        now += 1
        if !isHit { count += 1 }
        // The evicted item may be the new one.
        if count > size { evict() }
        return isHit
    }

    private mutating func evict() {
        while let top = pop() {
            guard due[Int(top.id)] == top.due else { continue }
            due[Int(top.id)] = -1
            count -= 1
            return
        }
    }

    private mutating func push(_ entry: (due: Int32, id: UInt32)) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, heap[(child - 1) / 2].due < heap[child].due {
            heap.swapAt((child - 1) / 2, child)
            child = (child - 1) / 2
        }
    }

    private mutating func pop() -> (due: Int32, id: UInt32)? {
        guard let top = heap.first else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while 2 * parent + 1 < heap.count {
            var child = 2 * parent + 1
            if child + 1 < heap.count, heap[child + 1].due > heap[child].due { child += 1 }
            guard heap[child].due > heap[parent].due else { break }
            heap.swapAt(parent, child)
            parent = child
        }
        return top
    }
}
