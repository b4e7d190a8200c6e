/// Which entries left not long ago, by the hash of their keys: four bytes each, and nothing of the key.
///
/// Buckets of eight, each in order of departure, so that about one and a half times as many are remembered as the cache
/// has entries. Two keys with the same 32 bits are taken for one another.
struct GhostFilter {
    private typealias Bucket = SIMD8<UInt32>

    private var buckets: [Bucket] = []

    /// 0 stands for no ghost.
    private static func print(of hash: UInt32) -> UInt32 { hash == 0 ? 1 : hash }

    private func bucket(of print: UInt32) -> Int {
        Int((UInt64(print &* 0x9E37_79B1) &* UInt64(buckets.count)) >> 32)
    }

    /// Whether an entry with this hash left not long ago.
    func contains(_ hash: UInt32) -> Bool {
        guard !buckets.isEmpty else { return false }
        let print = Self.print(of: hash)
        return any(buckets[bucket(of: print)] .== print)
    }

    /// Remembers an entry that leaves; in a full bucket the one that left first is forgotten.
    ///
    /// - Parameters:
    ///   - hash: The hash of the entry's key.
    ///   - entries: How many the cache has, this one included.
    mutating func insert(_ hash: UInt32, entries: Int) {
        // Grows when it is half of what it should be, and never shrinks: what a shortage threw away will be missed.
        if buckets.count * 8 * 4 < entries * 3 { resize(to: max(1, (entries * 3 / 2 + 7) / 8)) }
        let print = Self.print(of: hash)
        push(print, into: bucket(of: print))
    }

    /// Gives memory back if there is much more than so many entries need.
    mutating func shrink(entries: Int) {
        if buckets.count * 8 > entries * 2 { resize(to: max(1, (entries * 3 / 2 + 7) / 8)) }
    }

    private mutating func push(_ print: UInt32, into number: Int) {
        var bucket = buckets[number]
        for place in (1..<bucket.scalarCount).reversed() { bucket[place] = bucket[place - 1] }
        bucket[0] = print
        buckets[number] = bucket
    }

    /// Forgets an entry, which has come back, and returns whether it was remembered.
    mutating func remove(_ hash: UInt32) -> Bool {
        guard !buckets.isEmpty else { return false }
        let print = Self.print(of: hash)
        let number = bucket(of: print)
        var bucket = buckets[number]
        guard let place = bucket.indices.first(where: { bucket[$0] == print }) else { return false }
        for next in place..<bucket.scalarCount - 1 { bucket[next] = bucket[next + 1] }
        bucket[bucket.scalarCount - 1] = 0
        buckets[number] = bucket
        return true
    }

    mutating func removeAll() {
        buckets = []
    }

    private mutating func resize(to count: Int) {
        let old = buckets
        buckets = Array(repeating: Bucket(), count: count)
        for bucket in old {
            for place in bucket.indices.reversed() where bucket[place] != 0 {
                push(bucket[place], into: self.bucket(of: bucket[place]))
            }
        }
    }
}
