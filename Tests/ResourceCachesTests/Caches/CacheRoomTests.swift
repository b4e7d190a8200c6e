import TestSupport
import Testing

@testable import ResourceCaches

/// The admission of values, and the values that leave to make room.
@Suite(.ownCaches)
struct CacheRoomTests {
    private let reclaimer = Reclaimer.current

    /// A pin in an array, which contains copyable values only.
    private final class Held {
        private let pin: ResourceCache<Int, Int>.Pin?

        init(_ pin: consuming ResourceCache<Int, Int>.Pin?) {
            self.pin = pin
        }
    }

    private func cache(limit: Int?, soft: Int? = nil) -> ResourceCache<Int, Int> {
        var options = ResourceCache<Int, Int>.Options()
        options.softLimit = soft
        return ResourceCache("K", limit: limit, options: options)
    }

    @Test("a value that replaces a cheaper one stays, and others leave to make room for it (7.4)")
    func dearerReplacement() {
        for isUpdate in [false, true] {
            let cache = cache(limit: 50)
            cache.insert(0, for: 0, cost: 9)
            _ = cache.value(for: 0)
            cache.insert(0, for: 2, cost: 37)
            _ = cache.value(for: 2)
            _ = cache.value(for: 0)
            if isUpdate { cache.update(0, cost: 25) { $0 = 1 } } else { cache.insert(1, for: 0, cost: 25) }
            #expect(cache.peek(0) == 1)
            #expect(cache.peek(2) == nil)
            #expect(cache.totalCost == 25)
        }
    }

    @Test("a value on screen is stored and stays, and an older one on screen leaves to make room")
    func onScreen() {
        let cache = cache(limit: 10)
        cache.insert(0, for: 0, cost: 6, priority: .onScreen)
        _ = cache.value(for: 0)
        cache.insert(1, for: 1, cost: 6, priority: .onScreen)
        #expect(cache.peek(0) == nil)
        #expect(cache.peek(1) == 1)
    }

    enum Kept: CaseIterable { case pinned, reserved, onScreen }

    @Test(
        "a value that does not fit beside the values that stay is refused, and displaces no other",
        arguments: Kept.allCases,
        [(nil, 100), (1000, 100), (100, nil)] as [(Int?, Int?)]
    )
    func refusal(kept: Kept, limits: (hard: Int?, soft: Int?)) {
        let cache = cache(limit: limits.hard, soft: limits.soft)
        for key in 0..<10 { cache.insert(key, for: key, cost: 2) }
        cache.insert(80, for: 80, cost: 80, priority: kept == .onScreen ? .onScreen : .offScreen)
        let pin = kept == .pinned ? cache.pin(80, owner: "test") : nil
        if kept == .reserved { cache.remove(80) }
        let reservation = cache.reserve(cost: kept == .reserved ? 80 : 0)
        let evictions = cache.statistics.evictions
        cache.insert(50, for: 50, cost: 50)
        #expect(cache.peek(50) == nil)
        #expect((0..<10).allSatisfy(cache.contains))
        #expect(cache.statistics.refusals == 1)
        #expect(cache.statistics.evictions == evictions)
        cache.insert(20, for: 20, cost: 20)
        #expect(cache.peek(20) == 20)
        withExtendedLifetime(reservation) {}
        withExtendedLifetime(pin) {}
    }

    @Test("a prefetched value displaces no requested one, and is refused if there is no room")
    func fetchedAhead() {
        let cache = cache(limit: 10)
        cache.insert(0, for: 0, cost: 6)
        cache.insert(1, for: 1, cost: 4, priority: .prefetched)
        cache.insert(2, for: 2, cost: 5, priority: .prefetched)
        #expect((cache.peek(0), cache.peek(1), cache.peek(2)) == (0, 1, nil))
        cache.insert(3, for: 3, cost: 4, priority: .prefetched)
        #expect((cache.peek(0), cache.peek(1), cache.peek(3)) == (0, nil, 3))
    }

    @Test(
        "a value that costs no more than the pinned one that it replaces is stored, even above the limit"
    )
    func pinnedAboveTheLimit() {
        for notifiesRemovals in [false, true] {
            var options = ResourceCache<Int, Int>.Options()
            if notifiesRemovals { options.onRemoval = { _ in } }
            let cache = ResourceCache<Int, Int>("K", limit: 200, options: options)
            for key in 0..<2 { cache.insert(key, for: key, cost: 60) }
            let first = cache.pin(0, owner: "test")
            let second = cache.pin(1, owner: "test")
            cache.limit = 50
            for priority in [nil] + CachePriority.allCases {
                cache.insert(7, for: 0, cost: 60, priority: priority)
                #expect(cache.peek(0) == 7)
            }
            cache.insert(8, for: 0, cost: 61)
            #expect(cache.peek(0) == nil)
            withExtendedLifetime(first) {}
            withExtendedLifetime(second) {}
        }
    }

    @Test(
        "a value that replaces a prefetched one stays or is refused, and displaces only other prefetched ones"
    )
    func replacingFetchedAhead() {
        for priority in [nil, CachePriority.prefetched] {
            let cache = cache(limit: 100)
            cache.insert(1, for: 1, cost: 10, priority: .prefetched)
            cache.insert(2, for: 2, cost: 80, priority: .prefetched)
            cache.insert(3, for: 1, cost: 30, priority: priority)
            #expect((cache.peek(1), cache.peek(2)) == (3, nil))
            cache.insert(4, for: 4, cost: 20)
            cache.insert(5, for: 5, cost: 10, priority: .prefetched)
            cache.insert(6, for: 5, cost: 90, priority: priority)
            #expect((cache.peek(1), cache.peek(4), cache.peek(5)) == (3, 4, nil))
            #expect(cache.statistics.refusals == 1)
        }
    }

    @Test("when a pin has expired, the limit holds after the next call that looks for room", arguments: [false, true])
    func endedPin(isTrim: Bool) {
        let clock = ManualClock()
        var options = ResourceCache<Int, Int>.Options()
        options.useClock(clock)
        let cache = ResourceCache<Int, Int>("K", limit: 100, options: options)
        cache.insert(1, for: 1, cost: 50)
        let pin = cache.pin(1, owner: "test", for: .seconds(3))
        cache.limit = 10
        clock.advance(by: .seconds(5))
        if isTrim { cache.trim(toCost: 60) } else { cache.insert(2, for: 2, cost: 20) }
        #expect(cache.totalCost == 0)
        withExtendedLifetime(pin) {}
    }

    @Test("a value and a reservation get the room of as many expired pins as they need", arguments: [false, true])
    func manyEndedPins(isReserved: Bool) {
        let clock = ManualClock()
        var options = ResourceCache<Int, Int>.Options()
        options.useClock(clock)
        let cache = ResourceCache<Int, Int>("K", limit: 2_000, options: options)
        for key in 0..<2_000 { cache.insert(key, for: key) }
        let pins = (0..<4_000).map { Held(cache.pin($0 / 2, owner: "test", for: .seconds($0 < 3_000 ? 3 : 9))) }
        #expect(cache.pins.count == 4_000)
        clock.advance(by: .seconds(5))
        #expect(cache.pins.count == 1_000)
        if isReserved {
            #expect(cache.reserve(cost: 1_501).cost == 0)
            let reservation = cache.reserve(cost: 1_500)
            #expect(reservation.cost == 1_500)
        } else {
            cache.insert(0, for: -1, cost: 1_501)
            #expect(!cache.contains(-1))
            cache.insert(0, for: -1, cost: 1_500)
            #expect(cache.contains(-1))
        }
        #expect((1_500..<2_000).allSatisfy { cache.contains($0) })
        withExtendedLifetime(pins) {}
    }

    /// Calls `body` with a cache of the limit 10 that has 300 values of cost 1, or `first` for key 0, whose pins have just
    /// ended: more than one attempt of a change removes.
    private func withOverfullCache(
        first: Int = 1,
        priority: CachePriority = .offScreen,
        onRemoval: (@Sendable ([CacheRemoval<Int, Int>]) -> Void)? = nil,
        _ body: (ResourceCache<Int, Int>) -> Void
    ) {
        let clock = ManualClock()
        var options = ResourceCache<Int, Int>.Options()
        options.useClock(clock)
        options.onRemoval = onRemoval
        options.weigher = { _, value in value }
        let cache = ResourceCache<Int, Int>("K", limit: 1_000, options: options)
        cache.insert(first, for: 0, priority: priority)
        for key in 1..<300 { cache.insert(1, for: key) }
        let pins = (0..<300).map { Held(cache.pin($0, owner: "test", for: .seconds(3))) }
        cache.limit = 10
        clock.advance(by: .seconds(5))
        body(cache)
        withExtendedLifetime(pins) {}
    }

    @Test("a value that is not kept counts once, also if more values have to leave then than one attempt removes")
    func oneRefusal() {
        withOverfullCache { cache in
            cache.insert(20, for: 300)
            #expect((cache.count, cache.statistics.evictions, cache.statistics.refusals) == (10, 290, 1))
        }
    }

    @Test("an update whose value is not kept calls its closure once, and leaves none")
    func oneUpdate() {
        withOverfullCache(first: 9) { cache in
            var seen: [Int?] = []
            cache.update(0) { value in
                seen.append(value)
                value = (value ?? 0) + 5
            }
            #expect(seen == [9])
            #expect((cache.peek(0), cache.statistics.refusals) == (nil, 1))
        }
    }

    @Test("a prefetched value that is not kept is not stored as a requested one, once others have left")
    func onePriority() {
        withOverfullCache(priority: .prefetched) { cache in
            cache.insert(5, for: 0)
            #expect((cache.peek(0), cache.statistics.refusals) == (nil, 1))
        }
    }

    @Test("readers find an object that left while in use until another is stored, however many values leave for that")
    func oldOrNew() {
        let cache = Guarded<ResourceCache<Int, LastWords>?>(nil)
        let seen = Guarded<[LastWords?]>([])
        var options = ResourceCache<Int, LastWords>.Options()
        options.onRemoval = { _ in
            guard let cache = cache.withLock({ $0 }) else { return }
            let found = cache.peek(0)
            seen.withLock { $0.append(found) }
        }
        let full = ResourceCache<Int, LastWords>("K", limit: 200, options: options)
        let (held, new) = (LastWords {}, LastWords {})
        full.insert(held, for: 0, cost: 10)
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        reclaimer.pressureDidEnd()
        for key in 1...200 { full.insert(LastWords {}, for: key, cost: 1) }
        cache.withLock { $0 = full }
        #expect(full.peek(0) === held)
        full.insert(new, for: 0, cost: 150)
        cache.withLock { $0 = nil }
        let found = seen.withLock { $0 }
        #expect(found.count > 1 && found.allSatisfy { $0 === held || $0 === new })
        #expect(full.peek(0) === new)
    }

    @Test("a value that a handler stores in place of one that is not kept stays")
    func storedByAHandler() {
        let cache = Guarded<ResourceCache<Int, Int>?>(nil)
        let isFirst = Guarded(true)
        let onRemoval: @Sendable ([CacheRemoval<Int, Int>]) -> Void = { removals in
            guard removals.contains(where: { $0.key == 0 }),
                isFirst.withLock({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            else { return }
            cache.withLock { $0 }?.insert(7, for: 0, cost: 1)
        }
        withOverfullCache(onRemoval: onRemoval) { full in
            cache.withLock { $0 = full }
            full.insert(20, for: 0)
            #expect((full.peek(0), full.statistics.refusals) == (7, 1))
            cache.withLock { $0 = nil }
        }
    }

    @Test("a load that becomes outdated while values leave for its result leaves the limit respected")
    func outdatedLanding() {
        let cache = Guarded<ResourceCache<Int, Int>?>(nil)
        let onRemoval: @Sendable ([CacheRemoval<Int, Int>]) -> Void = { _ in
            // Removing a key that the cache does not have evicts nothing.
            _ = cache.withLock { $0 }?.remove(300)
        }
        withOverfullCache(onRemoval: onRemoval) { full in
            cache.withLock { $0 = full }
            #expect(full.value(for: 300) { 5 } == 5)
            #expect((full.peek(300), full.totalCost) == (nil, 10))
            cache.withLock { $0 = nil }
        }
    }

    @Test("values that are no longer on screen leave if they exceed a soft limit")
    func offScreenAboveASoftLimit() {
        let cache = cache(limit: nil, soft: 100)
        cache.insert(1, for: 1, cost: 500, priority: .onScreen)
        #expect(cache.setPriority(.offScreen, for: 1))
        #expect(cache.totalCost == 0)
    }

    @Test("readers find the old value while a load of the same declared cost runs to replace it")
    func reservingForARefresh() async throws {
        let cache = cache(limit: 100)
        cache.insert(1, for: 1, cost: 60)
        #expect(await (try? cache.refresh(1, cost: 60) { key in cache.peek(key) ?? -1 }) == 1)
        #expect(cache.value(for: 2, cost: 30) { cache.statistics.reservedCost } == 30)
    }

    @Test("a reservation costs no value at the first change after a warning")
    func reservedAtAWarning() {
        let cache = cache(limit: 200 << 20)
        for key in 0..<100 { cache.insert(key, for: key, cost: 1 << 20) }
        let reservation = cache.reserve(cost: 50 << 20)
        #expect(reservation.cost == 50 << 20)
        #expect(Reclaimer.current.reclaim(for: ReclaimRequest(level: .warning)) == 50 << 20)
        cache.insert(-1, for: -1, cost: 1 << 20)
        #expect(cache.totalCost == 50 << 20)
        #expect(cache.value(for: -1) == -1)
        let second = cache.reserve(cost: 10 << 20)
        #expect((second.cost, cache.totalCost) == (10 << 20, 40 << 20))
        _ = consume reservation
        for key in 200..<300 { cache.insert(key, for: key, cost: 1 << 20) }
        #expect(cache.totalCost == 40 << 20, "the room of an ended reservation is not filled under pressure")
    }

    @Test("values in the cache's own memory are counted once that is returned, and only as many leave as are wanted")
    func inlineValues() {
        let cache = ResourceCache<Int, InlineArray<1024, UInt8>>("inline")
        for key in 0..<100_000 { cache.insert(InlineArray(repeating: 1), for: key, cost: 1024) }
        let given = Reclaimer.current.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 40 << 20))
        #expect(given >= 36 << 20 && given <= 44 << 20)
        #expect(100_000 - cache.count <= (44 << 20) / 1024)
    }

    @Test(
        "expired and prefetched values in the cache's own memory leave only as far as they are wanted",
        arguments: [false, true]
    )
    func spareInlineValues(areExpired: Bool) {
        let clock = ManualClock()
        var options = ResourceCache<Int, InlineArray<1024, UInt8>>.Options()
        options.useClock(clock)
        let cache = ResourceCache<Int, InlineArray<1024, UInt8>>("inline", options: options)
        for key in 0..<10_000 {
            let value = InlineArray<1024, UInt8>(repeating: 1)
            cache.insert(value, for: 2 * key, cost: 1024)
            cache.insert(
                value,
                for: 2 * key + 1,
                cost: 1024,
                priority: areExpired ? .offScreen : .prefetched,
                timeToLive: areExpired ? .seconds(1) : nil
            )
        }
        clock.advance(by: .seconds(5))
        let given = Reclaimer.current.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 6 << 20))
        #expect(given >= 4 << 20 && given <= 8 << 20)
        #expect(cache.statistics.cost >= (10_000 * 2 - 8 * 1024) * 1024)
    }

    @Test(
        "expired and prefetched values together count towards the level's share",
        arguments: [(60, 40), (50, 25), (90, 10), (40, 40)],
        [PressureLevel.warning, .critical]
    )
    func spareShares(spare: (expired: Int, prefetched: Int), level: PressureLevel) {
        let clock = ManualClock()
        var options = ResourceCache<Int, Int>.Options()
        options.useClock(clock)
        let cache = ResourceCache<Int, Int>("K", options: options)
        for key in 0..<100 {
            let isExpired = key < spare.expired
            let isPrefetched = !isExpired && key < spare.expired + spare.prefetched
            cache.insert(
                0,
                for: key,
                cost: 1000,
                priority: isPrefetched ? .prefetched : .offScreen,
                timeToLive: isExpired ? .seconds(1) : nil
            )
        }
        clock.advance(by: .seconds(5))
        _ = reclaimer.reclaim(for: ReclaimRequest(level: level))
        #expect(cache.totalCost == level.kept(of: 100) * 1000)
    }

    @Test("expired values of all caches leave at a warning before prefetched ones of any cache")
    func expiredFirst() {
        let clock = ManualClock()
        var options = ResourceCache<Int, Int>.Options()
        options.useClock(clock)
        let caches = (0..<2).map { _ in ResourceCache<Int, Int>("K", options: options) }
        for cache in caches {
            cache.insert(0, for: 0, cost: 1000, priority: .prefetched)
            cache.insert(0, for: 1, cost: 1000, timeToLive: .seconds(1))
        }
        clock.advance(by: .seconds(5))
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 2000)) == 2000)
        #expect(caches.map { $0.peek(0) } == [0, 0])
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 1000)) == 1000)
        #expect(caches.map { $0.peek(0) } == [nil, 0])
    }

    @Test(
        "a cache is held at what a warning left also if only prefetched or expired values were taken",
        arguments: [false, true]
    )
    func heldAfterSpareValues(areExpired: Bool) {
        let clock = ManualClock()
        var options = ResourceCache<Int, Int>.Options()
        options.useClock(clock)
        let cache = ResourceCache<Int, Int>("K", limit: 400 << 20, options: options)
        for key in 0..<1000 {
            let isSpare = key < 600
            cache.insert(
                0,
                for: key,
                cost: 100 << 10,
                priority: isSpare && !areExpired ? .prefetched : .offScreen,
                timeToLive: isSpare && areExpired ? .seconds(1) : nil
            )
        }
        clock.advance(by: .seconds(5))
        let given = reclaimer.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 600 * 100 << 10))
        #expect(given == 600 * 100 << 10 && cache.count == 400)
        func fill() { for key in 1000..<6000 { cache.insert(0, for: key, cost: 100 << 10) } }
        fill()
        #expect(cache.totalCost <= 400 * 100 << 10)
        reclaimer.pressureDidEnd()
        clock.advance(by: .seconds(3))
        fill()
        // One second of growth, of 7.5 % of the former cost.
        #expect(cache.totalCost <= (400 + 75) * 100 << 10)
    }

    /// A key that is too large for two of them to leave in one step.
    private struct WideKey: Hashable {
        let words: InlineArray<5000, Int>

        static func == (a: Self, b: Self) -> Bool { a.words[0] == b.words[0] }

        func hash(into hasher: inout Hasher) { hasher.combine(words[0]) }
    }

    @Test("a change removes a few expired values, however large they are")
    func fewExpired() {
        ResourceTesting.scope { scope in
            var options = ResourceCache<Int, InlineArray<50_000, UInt8>>.Options()
            options.timeToLive = .seconds(1)
            let cache = ResourceCache<Int, InlineArray<50_000, UInt8>>("large", options: options)
            for key in 0..<100 { cache.insert(InlineArray(repeating: 1), for: key) }
            scope.advance(by: .seconds(2))
            cache.insert(InlineArray(repeating: 1), for: 100)
            #expect((1...4).contains(cache.statistics.expirations))
        }
    }

    private final class Content: Sendable {}

    @Test("an object in use with a very large key leaves at a warning, and a read puts it back")
    func wideKeys() {
        let cache = ResourceCache<WideKey, Content>("K", limit: 10 << 20)
        let contents = (0..<5).map { _ in Content() }
        let keys = contents.indices.map { WideKey(words: InlineArray(repeating: $0)) }
        for (key, content) in zip(keys, contents) { cache.insert(content, for: key, cost: 1000) }
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        #expect(cache.count == 0)
        for (key, content) in zip(keys, contents) { #expect(cache.value(for: key) === content) }
    }

    @Test("a small cache of values in its own memory loses what is wanted, and returns its memory when it is empty")
    func smallCacheOfInlineValues() {
        let cache = ResourceCache<Int, InlineArray<1024, UInt8>>("inline")
        for key in 0..<500 { cache.insert(InlineArray(repeating: 1), for: key, cost: 1024) }
        let given = Reclaimer.current.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 100 << 10))
        #expect(given == 0 && cache.count == 400)
        let rest = Reclaimer.current.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 1 << 30))
        #expect(rest == 400 << 10 && cache.count == 0, "the bytes that left in this event")
    }

    @Test(
        "values that a handler stores while a warning evicts others respect the limits afterwards",
        arguments: [false, true]
    )
    func storingDuringAWarning(isSoft: Bool) {
        let box = Box()
        var options = ResourceCache<Int, Int>.Options()
        options.softLimit = isSoft ? 100_000 : nil
        options.keptShare = { _ in 0.99 }
        options.onRemoval = { _ in
            box.calls += 1
            if box.calls == 1 { box.cache?.insert(0, for: -1, cost: 50_000) }
        }
        let cache = ResourceCache<Int, Int>("K", limit: isSoft ? nil : 100_000, options: options)
        box.cache = cache
        for key in 0..<100_000 { cache.insert(0, for: key, cost: 1) }
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .warning))
        #expect(cache.totalCost <= 100_000)
        reclaimer.pressureDidEnd()
        box.cache = nil
    }

    @Test(
        "a cache that is nearly empty at a warning may hold 1 % of its limit or 1 MiB during it, up to the limit",
        arguments: [(256 << 20, 2_684_354), (10 << 20, 1 << 20), (4096, 4096)]
    )
    func nearlyEmpty(limit: Int, mostHeld: Int) {
        let cache = ResourceCache<Int, Int>("K", limit: limit)
        cache.insert(0, for: 0, cost: 64)
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        for key in 1...50_000 { cache.insert(key, for: key, cost: 64) }
        #expect(cache.totalCost == mostHeld / 64 * 64)
        reclaimer.pressureDidEnd()
    }

    @Test("a value on screen or pinned may be replaced by one that costs more than a soft limit or a warning permits")
    func replacingWhatStays() {
        var options = ResourceCache<Int, Int>.Options()
        options.softLimit = 50
        let cache = ResourceCache<Int, Int>("K", limit: 100, options: options)
        cache.insert(1, for: 1, cost: 80, priority: .onScreen)
        cache.insert(2, for: 1, cost: 81)
        #expect(cache.peek(1) == 2)
        cache.update(1, cost: 70) { $0 = 3 }
        #expect(cache.peek(1) == 3)
        cache.insert(4, for: 1, cost: 101)
        #expect(cache.peek(1) == nil)
        cache.insert(5, for: 2, cost: 20)
        var pin = cache.pin(2, owner: "test")
        cache.insert(6, for: 2, cost: 60)
        #expect(cache.peek(2) == 6)
        #expect(cache.pins.count == 1)
        cache.insert(7, for: 2, cost: 60, priority: .offScreen)
        #expect(cache.peek(2) == 7)
        pin = nil
        _ = consume pin
        #expect(cache.peek(2) == nil)
    }

    @Test("values that a handler stores while the limit falls respect it afterwards", arguments: [40, 100])
    func storingInAFallingLimit(cost: Int) {
        let box = Box()
        var options = ResourceCache<Int, Int>.Options()
        options.onRemoval = { _ in
            box.calls += 1
            // In the call for the last values that leave.
            if box.calls == 2 { box.cache?.insert(1, for: -1, cost: cost, priority: .onScreen) }
        }
        let cache = ResourceCache<Int, Int>("K", limit: 200, options: options)
        box.cache = cache
        for key in 0..<200 { cache.insert(key, for: key, cost: 1) }
        cache.limit = 100
        #expect(cache.totalCost <= 100)
        #expect(cache.contains(-1))
        box.cache = nil
    }

    @Test("a condition is called for objects that left while in use, and only these are removed")
    func conditionOnAbsentValues() {
        let cache = ResourceCache<Int, LastWords>("K", limit: 100 << 20)
        let held = (0..<8).map { _ in LastWords {} }
        for (key, value) in held.enumerated() { cache.insert(value, for: key, cost: 10 << 20) }
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        #expect((0..<8).allSatisfy(cache.contains))
        #expect(cache.removeAll { _, _ in false } == 0)
        #expect((0..<8).allSatisfy(cache.contains))
        #expect(cache.removeAll { key, _ in key < 3 } == 3)
        #expect((0..<8).filter(cache.contains) == [3, 4, 5, 6, 7])
        reclaimer.pressureDidEnd()
        withExtendedLifetime(held) {}
    }

    @Test("removing all values ends even if a handler stores two values for each one that leaves")
    func removingAllBesideAHandler() {
        let box = Box()
        var options = ResourceCache<Int, Int>.Options()
        options.onRemoval = { removals in
            for _ in removals {
                box.calls += 2
                box.cache?.insert(0, for: -box.calls)
                box.cache?.insert(0, for: -box.calls - 1)
            }
        }
        let cache = ResourceCache<Int, Int>("K", options: options)
        box.cache = cache
        for key in 0..<10_000 { cache.insert(key, for: key) }
        cache.removeAll()
        #expect((0..<10_000).allSatisfy { !cache.contains($0) })
        box.cache = nil
    }

    /// The state of a handler; one thread makes all removals.
    private final class Box: @unchecked Sendable {
        var calls = 0
        var cache: ResourceCache<Int, Int>?
    }

    @Test(
        "objects in use are removed even if a warning comes during removeAll or a removal by a condition",
        arguments: [false, true]
    )
    func warningDuringRemoval(byCondition: Bool) {
        let cache = ResourceCache<Int, LastWords>("K", limit: 1 << 30)
        let held = (1..<1000).map { _ in LastWords {} }
        // This object leaves first, and its deinit warns.
        cache.insert(LastWords { [reclaimer] in _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical)) }, for: 0)
        for (key, value) in held.enumerated() { cache.insert(value, for: key + 1, cost: 1 << 20) }
        if byCondition {
            var asked = 0
            cache.removeAll { [reclaimer] _, _ in
                asked += 1
                if asked == 1 { _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical)) }
                return true
            }
        } else {
            cache.removeAll()
        }
        #expect((0..<1000).filter(cache.contains).isEmpty)
        #expect((0..<1000).filter { cache.value(for: $0) != nil }.isEmpty)
        reclaimer.pressureDidEnd()
        withExtendedLifetime(held) {}
    }
}
