import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct ResourceCacheTests {
    let reclaimer = Reclaimer.current

    private func cache(limit: Int? = nil, _ costs: KeyValuePairs<String, Int> = [:]) -> ResourceCache<String, Int> {
        let cache = ResourceCache<String, Int>("K", limit: limit)
        for (key, cost) in costs { cache.insert(cost, for: key, cost: cost) }
        return cache
    }

    private func timedCache<Value>(
        _ clock: ManualTime,
        limit: Int? = nil,
        _ change: (inout ResourceCache<Int, Value>.Options) -> Void = { _ in }
    ) -> ResourceCache<Int, Value> {
        var options = ResourceCache<Int, Value>.Options()
        options.clock = CacheClock(now: clock.read)
        change(&options)
        return ResourceCache("K", limit: limit, options: options)
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

    @Test("a value that replaces another one takes over its key and has its own cost")
    func replacing() {
        let cache = cache(["a": 1, "b": 2])
        cache.insert(5, for: "a", cost: 5)
        #expect(cache.value(for: "a") == 5)
        #expect((cache.count, cache.totalCost) == (2, 7))
    }

    @Test("without a cost a value costs 1, so the limit is a number of values; a weigher replaces that")
    func costs() {
        let counted = ResourceCache<Int, Int>("K", limit: 3)
        for key in 0..<10 { counted.insert(key, for: key) }
        #expect((counted.count, counted.totalCost) == (3, 3))
        var options = ResourceCache<Int, Int>.Options()
        options.weigher = { _, value in value * 2 }
        let weighed = ResourceCache<Int, Int>("K", options: options)
        weighed.insert(5, for: 1)
        weighed.insert(5, for: 2, cost: 3)
        weighed[3] = 1
        #expect(weighed.totalCost == 15)
        #expect(weighed[3] == 1)
        weighed[3] = nil
        #expect(weighed[3] == nil)
    }

    @Test("a scan of many values does not displace those in use")
    func scan() {
        let cache = ResourceCache<Int, Int>("K", limit: 100)
        for key in 0..<100 { cache.insert(key, for: key) }
        for key in 0..<80 { _ = cache.value(for: key) }
        for key in 1000..<2000 { cache.insert(key, for: key) }
        #expect((0..<80).filter { cache.contains($0) }.count > 70)
        #expect(cache.count == 100)
    }

    @Test("prefetched values leave first, values on screen last, and pinned ones never")
    func priorities() {
        let cache = ResourceCache<String, Int>("K", limit: 4)
        cache.insert(1, for: "pinned")
        let pin = cache.pin("pinned", owner: "test")
        cache.insert(1, for: "on screen", priority: .onScreen)
        cache.insert(1, for: "off screen")
        cache.insert(1, for: "ahead", priority: .prefetched)
        for (limit, leaver) in [(3, "ahead"), (2, "off screen"), (1, "on screen")] {
            #expect(cache.contains(leaver))
            cache.limit = limit
            #expect(!cache.contains(leaver))
        }
        cache.limit = 0
        #expect(cache.contains("pinned"))
        #expect(cache.pins.map(\.owner) == ["test"])
        _ = consume pin
        #expect(!cache.contains("pinned"))
    }

    @Test("a prefetched value that was read is treated like other read values")
    func prefetchedAndRead() {
        let cache = ResourceCache<Int, Int>("K", limit: 2)
        cache.insert(1, for: 1, priority: .prefetched)
        cache.insert(2, for: 2, priority: .prefetched)
        _ = cache.value(for: 1)
        cache.limit = 1
        #expect(cache.contains(1))
    }

    @Test("a soft limit does not affect values on screen")
    func softLimit() {
        let cache = ResourceCache<Int, Int>("K", limit: 10)
        for key in 0..<5 { cache.insert(key, for: key, priority: .onScreen) }
        for key in 5..<10 { cache.insert(key, for: key) }
        cache.softLimit = 3
        #expect(cache.count == 5)
        #expect((0..<5).allSatisfy { cache.contains($0) })
        cache.insert(10, for: 10)
        #expect(!cache.contains(10))
    }

    @Test("a cache tells evicted keys from keys that it never had")
    func status() {
        let cache = ResourceCache<Int, Int>("K", limit: 100)
        for key in 0..<300 { cache.insert(key, for: key) }
        #expect(cache.status(of: 299) == .present)
        #expect((0..<300).contains { cache.status(of: $0) == .evicted })
        #expect((1000..<1300).allSatisfy { cache.status(of: $0) == .absent })
        let evicted = (0..<300).first { cache.status(of: $0) == .evicted }
        cache.insert(0, for: evicted ?? 0)
        #expect(cache.statistics.regrets == 1)
    }

    @Test("a read counts one hit or miss, and a query counts none")
    func statistics() {
        let cache = cache(["a": 1])
        _ = cache.value(for: "a")
        _ = cache.withValue(for: "a") { $0 }
        _ = cache.value(for: "b")
        _ = cache.peek("a")
        _ = cache.contains("b")
        #expect((cache.statistics.hits, cache.statistics.misses) == (2, 1))
        #expect(cache.statistics.hitRatio == 2.0 / 3)
    }

    @Test("the hottest keys are those that leave last, the coldest those that leave first")
    func hottest() {
        let cache = ResourceCache<Int, Int>("K")
        for key in 0..<10 { cache.insert(key, for: key) }
        cache.setPriority(.onScreen, for: 4)
        for _ in 0..<3 { _ = cache.value(for: 7) }
        #expect(Array(cache.hottest(2)) == [4, 7])
        #expect(cache.coldest(3) == [0, 1, 2])
        #expect(cache.hottest() == cache.coldest().reversed())
    }

    @Test("a value that costs more than the limit is not kept, and displaces no other (7.6)")
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

    @Test("a trim removes unread values first, until the cost is reached")
    func trim() {
        let cache = cache(["a": 5, "b": 5, "c": 5])
        _ = cache.value(for: "a")
        #expect(cache.trim(toCost: 9) == 10)
        #expect(cache.contains("a"))
        #expect(cache.trim(toCost: 100) == 0)
        #expect(cache.trim(toFraction: 0) == 5)
    }

    @Test(
        "a warning leaves half of a cache, a critical one leaves a tenth, whatever the limit",
        arguments: [(PressureLevel.normal, 100), (.warning, 50), (.critical, 10)]
    )
    func pressure(level: PressureLevel, kept: Int) {
        let cache = cache(limit: 1000)
        for key in 0..<100 { cache.insert(key, for: "\(key)", cost: 7) }
        let free = ResourceCache<Int, Int>("free of cost")
        for key in 0..<100 { free.insert(key, for: key, cost: 0) }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: level)) == UInt64((100 - kept) * 7))
        #expect(cache.count == kept)
        #expect(cache.contains("99"))
        #expect(free.count == kept)
    }

    @Test("a value is loaded on a miss and not on a hit, and a failure stores nothing")
    func loading() {
        struct Failure: Error {}
        let cache = cache()
        #expect(throws: Failure.self) { try cache.value(for: "a") { () throws(Failure) in throw Failure() } }
        #expect(!cache.contains("a"))
        #expect(cache.value(for: "a", cost: 3) { 1 } == 1)
        #expect(cache.value(for: "a", cost: 3) { 2 } == 1)
        #expect(cache.totalCost == 3)
    }

    @Test("a cache of optional objects has no value for keys without one, also while objects that left are in use")
    func optionalObjects() async throws {
        final class Page: Sendable {}
        let cache = ResourceCache<Int, Page?>("pages", limit: 100)
        let held = (0..<10).map { _ in Page() }
        for (key, page) in held.enumerated() { cache.insert(page, for: key) }
        reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        #expect(!cache.contains(77) && cache.peek(77) == nil && cache.value(for: 77) == nil && cache.remove(77) == nil)
        let page = Page()
        #expect(try await cache.load(77) { _ in page } === page)
        #expect(cache.value(for: 78) { page } === page)
        #expect(try await cache.load([79]) { _ in [79: page] }[79].map { $0 === page } == true)
        #expect(cache.peek(0).map { $0 === held[0] } == true)
    }

    @Test("an object in use leaves at a warning, counts only once it is destroyed, and is found while it lives")
    func heldElsewhere() {
        let cache = ResourceCache<Int, LastWords>("K")
        var held = (0..<3).map { _ in LastWords {} }
        for (key, value) in held.enumerated() { cache.insert(value, for: key, cost: 10) }
        for key in 3..<6 { cache.insert(LastWords {}, for: key, cost: 10) }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .critical)) == 30)
        #expect(cache.count == 0)
        #expect(cache.statistics.unfreedCost == 30, "what readers hold back")
        #expect((0..<6).map { cache.contains($0) } == [true, true, true, false, false, false])
        #expect(cache.peek(1) === held[1])
        #expect(cache.value(for: 1) { LastWords {} } === held[1], "no second one beside it")
        #expect(cache.count == 1, "what is read comes back")
        cache.remove(2)
        #expect(!cache.contains(2))
        held = []
        #expect((0..<3).map { cache.contains($0) } == [false, true, false])
        #expect(cache.statistics.unfreedCost == 0)
    }

    @Test("the kept share of a cache applies to its prefetched values too", arguments: [1, 0.75])
    func keptShareOfPrefetched(share: Double) {
        var options = ResourceCache<Int, Int>.Options()
        options.keptShare = { _ in share }
        let cache = ResourceCache<Int, Int>("K", options: options)
        for key in 0..<100 { cache.insert(key, for: key, cost: 10, priority: .prefetched) }
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .warning))
        #expect(cache.totalCost == Int(1_000 * share))
    }

    @Test("objects under two keys leave only until the wanted bytes are free", arguments: [0, 100])
    func wantedOfTwoKeys(secondCost: Int) {
        let cache = ResourceCache<Int, LastWords>("K")
        for key in 0..<1_000 {
            let value = LastWords {}
            cache.insert(value, for: 2 * key, cost: 100)
            cache.insert(value, for: 2 * key + 1, cost: secondCost)
        }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 250)) == 300)
        #expect(cache.count == 1_994)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) >= 49_900)
        #expect(cache.count <= 1_994 / 2 && cache.count >= 1_994 / 2 - 4)
    }

    @Test("expired values leave before all others, in whatever place the sweep is, and only as many as are wanted")
    func expiredFirst() {
        let clock = ManualTime()
        let cache: ResourceCache<Int, Int> = timedCache(clock)
        for key in 0..<200 { cache.insert(key, for: key, cost: 10, timeToLive: .seconds(key % 2 == 0 ? 1 : 100)) }
        // Each change moves the sweep by some entries.
        for _ in 0..<30 { cache.setPriority(.offScreen, for: 1) }
        clock.advance(seconds: 2)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 300)) == 300)
        #expect(cache.count == 170)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 700)) == 700)
        #expect((0..<200).allSatisfy { cache.contains($0) == ($0 % 2 == 1) })
    }

    @Test("an object in two caches, or under two keys, leaves both and counts once")
    func heldTwice() {
        let (numbers, names) = (
            ResourceCache<Int, LastWords>("K"),
            ResourceCache<String, LastWords>("L")
        )
        let ended = Counter()
        for key in 0..<4 {
            let value = LastWords { ended.increment() }
            numbers.insert(value, for: key, cost: 100)
            numbers.insert(value, for: -1 - key, cost: 0)
            names.insert(value, for: "\(key)", cost: 100)
        }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .critical)) == 400)
        #expect(ended.value == 4)
        #expect(numbers.count + names.count == 0)
    }

    @Test("an array in two caches counts once, when the second cache releases it")
    func arrayHeldTwice() {
        let (numbers, names) = (
            ResourceCache<Int, [UInt8]>("K"),
            ResourceCache<String, [UInt8]>("L")
        )
        for key in 0..<4 {
            let value = [UInt8](repeating: UInt8(key), count: 1000)
            numbers.insert(value, for: key, cost: 1000)
            names.insert(value, for: "\(key)", cost: 1000)
        }
        let kept = numbers.peek(0)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .critical)) == 3000)
        withExtendedLifetime(kept) {}
    }

    @Test("an object that left while in use does not come back over a manual change")
    func weakAndByHand() {
        let cache = ResourceCache<Int, LastWords>("K")
        let held = (0..<3).map { _ in LastWords {} }
        for (key, value) in held.enumerated() { cache.insert(value, for: key) }
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        let new = LastWords {}
        cache.insert(new, for: 0)
        #expect(cache.remove(1) === held[1])
        #expect(cache.value(for: 0) === new)
        #expect(cache.value(for: 1) == nil)
        if let pin = cache.pin(2, owner: "test") {
            let value = pin.value
            #expect(value === held[2])
        } else {
            Issue.record("a pin does not find what a read does")
        }
    }

    @Test("an object in use that left is found until it was unread for its idle time", arguments: [false, true])
    func weakAndIdle(hasRoom: Bool) {
        let clock = ManualTime()
        let cache: ResourceCache<Int, LastWords> = timedCache(clock, limit: 10) { $0.timeToIdle = .seconds(10) }
        let held = LastWords {}
        cache.insert(held, for: 1, cost: 5)
        clock.advance(seconds: 3)
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        if !hasRoom { cache.limit = 1 }
        clock.advance(seconds: 6)
        #expect(cache.value(for: 1) === held)
        clock.advance(seconds: 9)
        #expect(cache.contains(1), "the read was a use")
        clock.advance(seconds: 1)
        #expect(!cache.contains(1) && cache.value(for: 1) == nil)
        withExtendedLifetime(held) {}
    }

    @Test("an object in use that left is refreshed when it is due, with and without room", arguments: [false, true])
    func weakAndStale(hasRoom: Bool) async throws {
        let clock = ManualTime()
        let cache: ResourceCache<Int, LastWords> = timedCache(clock, limit: 10) { $0.refreshAfter = .seconds(10) }
        let held = LastWords {}
        let new = LastWords {}
        cache.insert(held, for: 1, cost: 5)
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        if !hasRoom {
            for key in 2..<4 { cache.insert(LastWords {}, for: key, cost: 5, priority: .onScreen) }
        }
        reclaimer.pressureDidEnd()
        clock.advance(seconds: 10)
        let found = try await cache.load(1, cost: 5) { _ in new }
        #expect(found === held)
        await until { cache.statistics.loads == 1 }
        withExtendedLifetime((held, new)) {}
    }

    @Test("an object with a lifetime is found again until it expires")
    func weakWithTime() {
        let clock = ManualTime()
        let cache: ResourceCache<Int, LastWords> = timedCache(clock)
        let held = LastWords {}
        cache.insert(held, for: 1, timeToLive: .seconds(10))
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        #expect(cache.count == 0)
        clock.advance(seconds: 9)
        #expect(cache.value(for: 1) === held)
        #expect(cache.count == 1)
        clock.advance(seconds: 1)
        #expect(cache.value(for: 1) == nil, "it keeps its old time")
    }

    @Test(
        "if more objects are in use than the cache could find again, they stay, and the others leave",
        arguments: [CachePriority.offScreen, .prefetched]
    )
    func manyInUse(_ priority: CachePriority) {
        let cache = ResourceCache<Int, LastWords>("K")
        let held = (0..<20_000).map { _ in LastWords {} }
        for (key, value) in held.enumerated() { cache.insert(value, for: key, cost: 1000, priority: priority) }
        for key in 20_000..<40_000 { cache.insert(LastWords {}, for: key, cost: 1000, priority: priority) }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .critical)) == 20_000_000)
        #expect((0..<20_000).allSatisfy { cache.peek($0) === held[$0] })
        for _ in 0..<2 { _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical)) }
        #expect((0..<20_000).allSatisfy { cache.value(for: $0) === held[$0] }, "none takes another's place")
    }

    @Test("objects in use that have stayed at a warning also stay when the next value is stored")
    func manyInUseAndAnother() {
        let cache = ResourceCache<Int, LastWords>("K")
        let held = (0..<20_000).map { _ in LastWords {} }
        for (key, value) in held.enumerated() { cache.insert(value, for: key, cost: 1000) }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .critical)) == 0)
        let stayed = cache.count
        #expect(stayed == 20_000 - 16_384, "more than a tenth")
        cache.insert(LastWords {}, for: -1, cost: 1000)
        #expect(cache.count == stayed && cache.totalCost == stayed * 1000, "the limit has room for them only")
        #expect((0..<20_000).filter { cache.peek($0) === held[$0] }.count >= 19_999)
        withExtendedLifetime(held) {}
    }

    @Test("all caches together keep track of no more objects in use than a warning may take memory for")
    func manyInUseInManyCaches() {
        let caches = (0..<4).map { ResourceCache<Int, LastWords>("K\($0)") }
        let held = (0..<64_000).map { _ in LastWords {} }
        for (key, value) in held.enumerated() { caches[key % 4].insert(value, for: key, cost: 100) }
        reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        #expect(caches.reduce(0) { $0 + $1.count } == 64_000 - 32_768)
        #expect(held.indices.allSatisfy { caches[$0 % 4].peek($0) === held[$0] })
        for cache in caches { cache.removeAll() }
        for (key, value) in held.enumerated().prefix(16_000) { caches[0].insert(value, for: key, cost: 100) }
        reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        #expect(caches[0].count == 0, "there is room again")
    }

    @Test("prefetched objects in use stay while all entries are walked over")
    func prefetchedDuringWalk() {
        let cache = ResourceCache<Int, LastWords>("K")
        let held = (0..<1_000).map { _ in LastWords {} }
        for (key, value) in held.enumerated() { cache.insert(value, for: key, cost: 1000, priority: .prefetched) }
        var asked = 0
        cache.removeAll { _, _ in
            if asked == 0 { _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical)) }
            asked += 1
            return false
        }
        #expect(asked == 1_000)
        #expect((0..<1_000).allSatisfy { cache.peek($0) === held[$0] })
    }

    @Test("a condition that reads an object in use, which puts it back, is called once for it")
    func removingWhatReturns() {
        let cache = ResourceCache<Int, LastWords>("K")
        let held = (0..<100).map { _ in LastWords {} }
        for (key, value) in held.enumerated() { cache.insert(value, for: key) }
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        cache.insert(LastWords {}, for: 100)
        var asked: [Int] = []
        cache.removeAll { key, value in
            asked.append(key)
            #expect(key == 100 || cache.value(for: key) === value)
            return false
        }
        #expect(asked.sorted() == Array(0...100))
    }

    @Test("a cache that is filled while it shrinks respects its new limit afterwards")
    func filledMeanwhile() {
        let late = Locked<ResourceCache<Int, Int>?>(nil)
        let next = Counter()
        var options = ResourceCache<Int, Int>.Options()
        let isInside = Locked(false)
        options.onRemoval = { removals in
            // The handler stores nothing for values that its own insertions evict.
            guard !isInside.withLock({ $0 }) else { return }
            isInside.withLock { $0 = true }
            for _ in removals {
                next.increment()
                late.withLock { $0 }?.insert(0, for: 1_000 + next.value, cost: 1 << 20)
            }
            isInside.withLock { $0 = false }
        }
        let cache = ResourceCache<Int, Int>("K", options: options)
        for key in 0..<1000 { cache.insert(0, for: key, cost: 1 << 20) }
        late.withLock { $0 = cache }
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .warning))
        late.withLock { $0 = nil }
        #expect(next.value > 400)
        #expect(cache.totalCost <= 501 << 20)
    }

    @Test("a condition that changes the cache is called for every value that stays")
    func removingWhileMoving() {
        let cache = ResourceCache<Int, [UInt8]>("K")
        for key in 0..<20_000 { cache.insert([], for: key, priority: key % 10 == 0 ? .onScreen : .offScreen) }
        var asked: [Int: Int] = [:]
        cache.removeAll { key, _ in
            if asked.isEmpty { cache.trim(toCost: 0) }
            asked[key, default: 0] += 1
            return key % 20 == 0
        }
        #expect(asked.values.allSatisfy { $0 == 1 })
        #expect((0..<20_000).allSatisfy { cache.contains($0) == ($0 % 10 == 0 && $0 % 20 != 0) })
    }

    @Test("removing by a condition ends, though the condition stores a value each time", arguments: [false, true])
    func removingWhileStoring(isRemoved: Bool) throws {
        struct Endless: Error {}
        let cache = ResourceCache<Int, Int>("K")
        for key in 0..<100 { cache.insert(key, for: key) }
        var asked: [Int: Int] = [:]
        let removed = try cache.removeAll { key, value in
            asked[key, default: 0] += 1
            if asked.count > 100_000 { throw Endless() }
            cache.insert(value, for: key + 1000)
            return isRemoved
        }
        #expect((0..<100).allSatisfy { asked[$0] == 1 })
        #expect(removed == (isRemoved ? asked.count : 0))
        #expect((0..<100).allSatisfy { cache.contains($0) != isRemoved })
    }

    @Test("removing by a condition also removes values of keys that do not equal themselves")
    func removingUnequalKeys() {
        let cache = ResourceCache<Double, Int>("K")
        for value in 0..<10 { cache.insert(value, for: value < 2 ? Double(value) : .nan) }
        #expect(cache.removeAll { _, value in value % 2 == 0 } == 5)
        #expect(cache.count == 5)
        #expect(cache.removeAll { key, _ in key.isNaN } == 4)
        #expect(cache.removeAll { _, _ in true } == 1)
        #expect(cache.count == 0)
    }

    @Test("costs whose sum would overflow are refused, and shares of large costs do not trap")
    func largeCosts() {
        var options = ResourceCache<Int, Int>.Options()
        options.keptShare = { _ in 1 }
        let cache = ResourceCache<Int, Int>("K", options: options)
        cache.limit = -5
        #expect(cache.limit == 0)
        cache.limit = nil
        for key in 0..<3 { cache.insert(key, for: key, cost: .max) }
        #expect(cache.count == 3)
        cache.trim(toFraction: 1)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .critical)) == 0)
        #expect(cache.count == 3)
    }

    @Test("no value on screen and no pinned value leaves at a warning")
    func keptAtPressure() {
        let cache = ResourceCache<Int, Int>("K")
        for key in 0..<10 { cache.insert(key, for: key, priority: key < 5 ? .onScreen : .offScreen) }
        let pin = cache.pin(9, owner: "test")
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .critical)) == 4)
        #expect(cache.hottest() == [4, 3, 2, 1, 0])
        #expect(cache.contains(9))
        _ = consume pin
    }

    @Test("a daemon's request for bytes replaces the half of a warning")
    func requestedBytes() {
        let cache = ResourceCache<Int, Int>("K")
        for key in 0..<100 { cache.insert(key, for: key, cost: 10) }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 200)) == 200)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) == 400)
    }

    @Test("a cache's own share replaces the level's")
    func ownShare() {
        var options = ResourceCache<Int, Int>.Options()
        options.keptShare = { $0 == .critical ? 0 : 0.75 }
        let cache = ResourceCache<Int, Int>("K", options: options)
        for key in 0..<100 { cache.insert(key, for: key) }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) == 25)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .critical)) == 75)
    }

    @Test("prefetched values count towards the bytes to give, even if the cache has its own share")
    func spareCounts() {
        var options = ResourceCache<Int, Int>.Options()
        options.keptShare = { _ in 0.75 }
        let cache = ResourceCache<Int, Int>("K", options: options)
        for key in 0..<100 { cache.insert(key, for: key, priority: key < 20 ? .prefetched : .offScreen) }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) == 25)
        #expect(!(0..<20).contains { cache.contains($0) })
    }

    @Test("values that are stored while others leave at a warning do not make as many leave again")
    func storingMeanwhile() {
        let cache = ResourceCache<Int, LastWords>("K")
        for key in 0..<10_000 {
            cache.insert(
                LastWords { [unowned cache] in
                    if key % 1000 == 0 { cache.insert(LastWords {}, for: -1 - key) }
                },
                for: key
            )
        }
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .warning))
        #expect((4900...5100).contains(cache.count))
        cache.removeAll()
    }

    @Test("after pressure a cache grows back slowly, and not before its end")
    func recovery() {
        let clock = ManualTime()
        let cache: ResourceCache<Int, Int> = timedCache(clock)
        func fill() -> Int {
            for key in 0..<1000 { cache.insert(key, for: key, cost: 1 << 20) }
            return cache.count
        }
        #expect(fill() == 1000)
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .warning))
        clock.advance(seconds: 100)
        #expect(fill() == 500)
        reclaimer.pressureDidEnd()
        clock.advance(seconds: 2)
        #expect(fill() == 500)
        clock.advance(seconds: 2)
        #expect(fill() == 650)
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .warning))
        #expect(fill() == 325)
        reclaimer.pressureDidEnd()
        clock.advance(seconds: 100)
        #expect(fill() == 1000)
    }

    @Test("values are destroyed outside the lock, so their deinit may use the cache")
    func releasedOutsideTheLock() {
        let cache = ResourceCache<Int, LastWords>("K")
        let ended = Counter()
        func insert(_ key: Int) {
            let value = LastWords { [unowned cache] in
                _ = cache.count
                ended.increment()
            }
            cache.insert(value, for: key, cost: 1)
        }
        insert(1)
        cache.remove(1)
        #expect(ended.value == 1)
        for key in 0..<4 { insert(key) }
        cache.limit = 3
        #expect(ended.value == 2)
        cache.trim(toCost: 2)
        #expect(ended.value == 3)
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .warning))
        #expect(ended.value == 4)
        cache.removeAll()
        #expect(ended.value == 5)
    }

    @Test("replaced values are destroyed soon, though not at once")
    func replacedValuesEnd() {
        let cache = ResourceCache<Int, LastWords>("K")
        let ended = Counter()
        for _ in 0..<1000 { cache.insert(LastWords { ended.increment() }, for: 1) }
        #expect(ended.value > 950)
        cache.remove(1)
        #expect(ended.value == 1000)
    }

    @Test(
        "several threads at once leave the counts right",
        .disabled(if: isUnderThreadSanitizer, "the thread sanitizer does not see a contended Mutex change hands")
    )
    func hammering() async {
        let cache = ResourceCache<Int, Int>("K", limit: 500)
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

/// Makes various calls, on keys from a linear congruential generator.
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
        case 8 where step % 1000 == 8: _ = reclaimer.reclaim(for: ReclaimRequest(level: .warning))
        default:
            if let value = cache.value(for: key), value != key { Issue.record("\(value) under \(key)") }
        }
    }
}
