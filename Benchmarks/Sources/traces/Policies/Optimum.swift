/// The optimum, which needs to know the future (Belady, 1966): the entry that is requested again last is evicted first, or
/// never admitted.
struct Optimum: Policy {
    private let size: Int
    /// For each request, when the same thing is asked for again.
    private let next: [Int32]
    private var now = 0
    private var count = 0
    /// When each thing in the cache is asked for again, -1 for what is not in it.
    private var due: [Int32]
    /// The latest first; it also holds what was asked for since, or is no longer in the cache.
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
        // That may be what just came in.
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
