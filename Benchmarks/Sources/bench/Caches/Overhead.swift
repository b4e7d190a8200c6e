internal import BenchSupport
internal import CBench
internal import Foundation

/// The bytes that a cache needs per entry, without the objects of key and value.
struct Overhead {
    private static let counts = [100_000, 1_000_000]

    func run() {
        let most = 2 * (Self.counts.max() ?? 0)
        let keys = Keys(all: Array(0..<most))
        let boxed = Keys(all: keys.all.map { NSNumber(value: $0) })
        let value = Payload(0)
        func row<C: Contender>(_ name: String, _: C.Type, _ keys: Keys<C.Key>) -> [String] {
            let figures = Self.counts.map { Self.measure(C.self, $0, keys, value) }
            return [name] + figures.map { $0.allocated.decimal(0) } + figures.map { $0.resident.decimal(0) }
        }
        Table.print(
            "Bytes an entry",
            [""] + Self.counts.map { "malloc, \($0) entries" } + Self.counts.map { "resident, \($0)" },
            [
                row("`ResourceCache`", Ours<Int>.self, keys),
                row("`ObjectCache.Cache`", OurObjectCache<Int>.self, keys),
                row("`Dictionary`", PlainDictionary<Int>.self, keys),
                row("`Mutex<Dictionary>`, oldest out", LockedDictionary<Int>.self, keys),
                row("linked LRU under `NSLock`", LinkedCache<Int>.self, keys),
                row("`NSCache`", FoundationCache<NSNumber>.self, boxed),
            ]
        )
    }

    /// Measures a cache that evicts after it has taken twice its capacity, so that its memory of evicted keys is full.
    private static func measure<C: Contender>(
        _: C.Type,
        _ count: Int,
        _ keys: Keys<C.Key>,
        _ value: Payload
    ) -> (allocated: Double, resident: Double) {
        // Returns free memory first, so that the cache does not reuse it unnoticed.
        bench_trim()
        let allocated = bench_allocated()
        let resident = bench_resident()
        let contender = C(limit: count)
        for index in 0..<(C.evicts ? 2 : 1) * count { contender.insert(value, for: keys.all[index]) }
        bench_trim()
        let growth = (
            Double(bench_allocated()) - Double(allocated), Double(bench_resident()) - Double(resident)
        )
        contender.removeAll()
        return (growth.0 / Double(count), growth.1 / Double(count))
    }
}
