import Testing

@testable import ResourceManager

struct ResourceCacheTests {
    let reclaimer = Reclaimer()

    private func cache(limit: Int? = nil, _ costs: KeyValuePairs<String, Int> = [:]) -> ResourceCache<String, Int> {
        let cache = ResourceCache<String, Int>("K", limit: limit, reclaimer: reclaimer)
        for (key, cost) in costs { cache.insert(cost, for: key, cost: cost) }
        return cache
    }

    @Test("a value can be read until it is removed")
    func readAndRemove() {
        let cache = cache(["a": 1, "b": 2])
        #expect(cache.value(for: "a") == 1)
        #expect(cache.value(for: "c") == nil)
        #expect((cache.count, cache.totalCost) == (2, 3))
        #expect(cache.remove("a") == 1)
        #expect(cache.remove("a") == nil)
        #expect(!cache.contains("a"))
        cache.removeAll()
        #expect((cache.count, cache.totalCost) == (0, 0))
    }

    @Test("a value in place of another takes over its key and brings its own cost")
    func replacing() {
        let cache = cache(["a": 1, "b": 2])
        cache.insert(5, for: "a", cost: 5)
        #expect(cache.value(for: "a") == 5)
        #expect((cache.count, cache.totalCost) == (2, 7))
    }

    @Test("over the limit the least recently used goes; a read is a use, a question is not (7.4, 7.5)")
    func leastRecentlyUsed() {
        let cache = cache(limit: 3, ["a": 1, "b": 1, "c": 1])
        _ = cache.value(for: "a")
        _ = cache.contains("b")
        cache.insert(1, for: "d", cost: 1)
        #expect(!cache.contains("b"))
        #expect(cache.contains("a") && cache.contains("c") && cache.contains("d"))
    }

    @Test("what is dearer than the limit is not kept, and costs no other its place (7.6)")
    func tooDear() {
        let cache = cache(limit: 10, ["a": 4, "b": 4])
        cache.insert(11, for: "big", cost: 11)
        #expect(!cache.contains("big"))
        #expect(cache.totalCost == 8)
        cache.insert(11, for: "a", cost: 11)
        #expect(!cache.contains("a"), "the old value for the key is out of date")
        #expect(cache.contains("b"))
    }

    @Test("a lower limit takes effect at once (7.8)")
    func lowerLimit() {
        let cache = cache(["a": 5, "b": 5, "c": 5])
        #expect(cache.limit == nil)
        cache.limit = 10
        #expect(!cache.contains("a"))
        #expect(cache.totalCost == 10)
    }

    @Test("a trim removes the least recently used until the cost is reached")
    func trim() {
        let cache = cache(["a": 5, "b": 5, "c": 5])
        _ = cache.value(for: "a")
        #expect(cache.trim(toCost: 9) == 10)
        #expect(cache.contains("a"))
        #expect(cache.trim(toCost: 100) == 0)
    }

    @Test(
        "a warning leaves half of what a cache holds, a critical one a tenth, whatever the limit",
        arguments: [(PressureLevel.normal, 100), (.warning, 50), (.critical, 10)]
    )
    func pressure(level: PressureLevel, kept: Int) {
        let cache = cache(limit: 1000)
        for key in 0..<100 { cache.insert(key, for: "\(key)", cost: 7) }
        let free = ResourceCache<Int, Int>("free of cost", reclaimer: reclaimer)
        for key in 0..<100 { free.insert(key, for: key) }
        #expect(reclaimer.reclaim(for: MemoryWarning(level: level)) == UInt64((100 - kept) * 7))
        #expect(cache.count == kept)
        #expect(cache.contains("99"))
        #expect(free.count == kept)
    }

    @Test("a value is loaded on a miss and not on a hit, and a failure leaves nothing")
    func loading() {
        struct Failure: Error {}
        let cache = cache()
        #expect(throws: Failure.self) { try cache.value(for: "a") { () throws(Failure) in throw Failure() } }
        #expect(!cache.contains("a"))
        #expect(cache.value(for: "a", cost: 3) { 1 } == 1)
        #expect(cache.value(for: "a", cost: 3) { 2 } == 1)
        #expect(cache.totalCost == 3)
    }

    @Test("of two that load the same, the first to finish stays")
    func loadingTwice() {
        let cache = cache()
        let value = cache.value(for: "a") {
            #expect(cache.value(for: "a") { 1 } == 1)
            return 2
        }
        #expect(value == 1)
        #expect(cache.value(for: "a") == 1)
    }

    @Test("values are released outside the lock, so their deinit may use the cache")
    func releasedOutsideTheLock() {
        let cache = ResourceCache<Int, LastWords>("K", reclaimer: reclaimer)
        let ended = Counter()
        func insert(_ key: Int) {
            let value = LastWords { [unowned cache] in
                _ = cache.count
                ended.increment()
            }
            cache.insert(value, for: key, cost: 1)
        }
        insert(1)
        insert(1)
        #expect(ended.value == 1)
        cache.remove(1)
        #expect(ended.value == 2)
        for key in 0..<4 { insert(key) }
        cache.limit = 3
        #expect(ended.value == 3)
        cache.trim(toCost: 2)
        #expect(ended.value == 4)
        _ = reclaimer.reclaim(for: MemoryWarning(level: .warning))
        #expect(ended.value == 5)
        cache.removeAll()
        #expect(ended.value == 6)
    }

    @Test(
        "several threads at once leave the books right",
        .disabled(if: isUnderThreadSanitizer, "the thread sanitizer does not see a contended Mutex change hands")
    )
    func hammering() async {
        let cache = ResourceCache<Int, Int>("K", limit: 500, reclaimer: reclaimer)
        await withTaskGroup(of: Void.self) { group in
            for seed in 1...4 as ClosedRange<UInt64> {
                group.addTask { [reclaimer] in hammer(cache, reclaimer, seed: seed) }
            }
        }
        #expect(cache.totalCost == cache.count)
        #expect(cache.totalCost <= 500)
        let held = cache.totalCost
        #expect(cache.trim(toCost: 0) == held)
        #expect(cache.count == 0)
    }
}

/// Does a little of everything, on keys that a linear congruence picks.
private func hammer(_ cache: ResourceCache<Int, Int>, _ reclaimer: Reclaimer, seed: UInt64) {
    var state = seed
    for step in 0..<20_000 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let key = Int(state >> 33) % 1000
        switch step % 16 {
        case 0: cache.remove(key)
        case 1: cache.trim(toCost: 400)
        case 2...6: cache.insert(key, for: key, cost: 1)
        case 7: #expect(cache.value(for: key, cost: 1) { key } == key)
        case 8 where step % 1000 == 8: _ = reclaimer.reclaim(for: MemoryWarning(level: .warning))
        default:
            if let value = cache.value(for: key), value != key { Issue.record("\(value) under \(key)") }
        }
    }
}
