/// A dictionary that grows in small steps: one that holds a million keys takes tens of milliseconds to move them, and a lock
/// would be held meanwhile.
///
/// A copy takes constant time. As long as it exists, a change copies the shard of its key once.
struct ShardedDictionary<Key: Hashable, Element> {
    typealias Pair = (key: Key, value: Element)

    /// Empty until the first element is added.
    private var shards: [[Key: Element]] = []
    private let shardCount: Int
    private(set) var count = 0

    /// - Parameter shards: The number of shards, a power of two.
    init(shards: Int) {
        shardCount = shards
    }

    var isEmpty: Bool { count == 0 }

    private func shard(of key: Key) -> Int { key.hashValue & (shardCount - 1) }

    subscript(_ key: Key) -> Element? { isEmpty ? nil : shards[shard(of: key)][key] }

    /// Adds an element for a key that has none.
    mutating func add(_ element: Element, for key: Key) {
        if shards.isEmpty { shards = Array(repeating: [:], count: shardCount) }
        shards[shard(of: key)][key] = element
        count += 1
    }

    /// Changes the element of a key in its place.
    mutating func change(_ key: Key, _ body: (inout Element) -> Void) {
        guard !isEmpty else { return }
        let shard = shard(of: key)
        if let index = shards[shard].index(forKey: key) { body(&shards[shard].values[index]) }
    }

    mutating func remove(_ key: Key) -> Pair? {
        guard !isEmpty else { return nil }
        let shard = shard(of: key)
        guard let index = shards[shard].index(forKey: key) else { return nil }
        count -= 1
        let pair = shards[shard].remove(at: index)
        // An empty dictionary keeps the memory of its largest size.
        if shards[shard].isEmpty { shards[shard] = [:] }
        return pair
    }

    /// Takes all elements out, in constant time.
    mutating func removeAll() -> Self {
        defer { (shards, count) = ([], 0) }
        return self
    }

    /// The pairs, for use on a copy, without a lock.
    var pairs: some Sequence<Pair> { shards.joined() }
}
