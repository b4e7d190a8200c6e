import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct CountLimitTests {
    private static func cache(limit: Int? = nil, countLimit: Int? = nil) -> ResourceCache<Int, Int> {
        let cache = ResourceCache<Int, Int>("numbers", limit: limit)
        cache.countLimit = countLimit
        return cache
    }

    @Test("a limit on the number holds together with the limit on the cost, after each change")
    func bothHold() {
        let cache = Self.cache(limit: 50, countLimit: 20)
        var generator = SeededGenerator(seed: 1)
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<60, using: &generator)
            switch step % 8 {
            case 0: cache.remove(key)
            case 1: _ = cache.value(for: key)
            default: cache.insert(step, for: key, cost: Int.random(in: 0..<8, using: &generator))
            }
            #expect(cache.count <= 20 && cache.totalCost <= 50)
        }
    }

    @Test("a lower number takes effect at once, and nil removes the limit")
    func lowered() {
        let cache = Self.cache()
        for key in 0..<1000 { cache.insert(key, for: key, cost: 0) }
        #expect(cache.countLimit == nil)
        cache.countLimit = 10
        #expect((cache.count, cache.countLimit) == (10, 10))
        cache.countLimit = nil
        for key in 0..<1000 { cache.insert(key, for: key, cost: 0) }
        #expect(cache.count == 1000)
    }

    @Test("a limit on the number has as many hits as the same limit on the cost with values that cost 1")
    func sameOrder() {
        func hits(_ cache: ResourceCache<Int, Int>, cost: Int) -> Int {
            var generator = SeededGenerator(seed: 7)
            return (0..<50_000).reduce(0) { hits, _ in
                let key = min(Int.random(in: 0..<1000, using: &generator), Int.random(in: 0..<1000, using: &generator))
                if cache.value(for: key) != nil { return hits + 1 }
                cache.insert(key, for: key, cost: cost)
                return hits
            }
        }
        let (byCost, byNumber) = (hits(Self.cache(limit: 100), cost: 1), hits(Self.cache(countLimit: 100), cost: 0))
        // The keys that share 32 bits of hash differ between caches.
        #expect(abs(byCost - byNumber) < 500)
        #expect(byCost > 5000)
    }

    @Test("values on screen leave for the limit on the number if there are no others")
    func onScreen() {
        let cache = Self.cache(countLimit: 3)
        for key in 0..<3 { cache.insert(key, for: key, cost: 0, priority: .onScreen) }
        cache.insert(3, for: 3, cost: 0, priority: .onScreen)
        #expect(cache.count == 3)
        cache.insert(4, for: 4, cost: 0)
        #expect(cache.count == 3)
    }

    @Test("keys whose hashes have no high bits are found as fast as others")
    func ownHashes() {
        struct Own: Hashable {
            let number: Int
            func hash(into hasher: inout Hasher) { hasher.combine(number) }
            var hashValue: Int { number }
        }
        let cache = ResourceCache<Own, Int>("own")
        #expect(Set((0..<1000).map { cache.hash(of: Own(number: $0)) }).count > 990)
    }

    @Test("a key that is the same object is found without a comparison")
    func sameObject() {
        final class Key: Hashable, Sendable {
            let compared: Counter
            init(_ compared: Counter) { self.compared = compared }
            static func == (left: Key, right: Key) -> Bool {
                left.compared.increment()
                return left.compared === right.compared
            }
            func hash(into hasher: inout Hasher) { hasher.combine(1) }
        }
        let compared = Counter()
        let cache = ResourceCache<Key, Int>("objects")
        let key = Key(compared)
        cache.insert(1, for: key)
        #expect(cache.value(for: key) == 1)
        #expect(compared.value == 0)
        #expect(cache.value(for: Key(compared)) == 1)
        #expect(compared.value == 1)
    }
}
