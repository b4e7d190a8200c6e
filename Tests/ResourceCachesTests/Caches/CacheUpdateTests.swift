import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct CacheUpdateTests {
    private typealias Cache = ResourceCache<Int, Int>

    private struct Failure: Error {}

    private let clock = ManualClock()
    private let reclaimer = Reclaimer.current

    private func cache(limit: Int? = nil, _ change: (inout Cache.Options) -> Void = { _ in }) -> Cache {
        var options = Cache.Options()
        options.useClock(clock)
        change(&options)
        return Cache("K", limit: limit, options: options)
    }

    @Test("an update makes, changes and removes a value, and returns the result of its closure")
    func updating() {
        let cache = cache()
        let first = cache.update(1) { value in
            value = 1
            return value
        }
        #expect(first == 1)
        cache.update(1) { $0? += 1 }
        #expect(cache.peek(1) == 2)
        let last = cache.update(1) { value in
            defer { value = nil }
            return value
        }
        #expect(last == 2)
        #expect(!cache.contains(1))
        cache.update(1) { #expect($0 == nil) }
        #expect((cache.count, cache.totalCost) == (0, 0))
        #expect((cache.statistics.hits, cache.statistics.misses) == (0, 0))
        #expect((cache.statistics.replacements, cache.statistics.removals) == (1, 1))
    }

    @Test("an update whose closure throws changes nothing, and a load of the key continues")
    func failing() async throws {
        let cache = cache()
        cache.insert(1, for: 1)
        let error = #expect(throws: Failure.self) {
            try cache.update(1) { value throws(Failure) in
                value = 2
                throw Failure()
            }
        }
        #expect(error != nil)
        #expect(cache.peek(1) == 1)
        let value = try await cache.refresh(1) { _ in
            try? cache.update(1) { _ throws(Failure) in throw Failure() }
            cache.update(2) { _ in }
            return 3
        }
        #expect(value == 3)
        #expect(cache.peek(1) == 3)
    }

    @Test("an update keeps a value's cost, priority and expiry, unless it sets others")
    func termsStay() {
        let cache = cache { $0.timeToLive = .seconds(10) }
        cache.insert(1, for: 1, cost: 5, priority: .onScreen, timeToLive: .seconds(3))
        for _ in 0..<2 {
            clock.advance(by: .seconds(1))
            cache.update(1) { $0? += 1 }
        }
        #expect(cache.totalCost == 5)
        #expect(cache.trim(toCost: 0) == 0, "it is on screen")
        clock.advance(by: .milliseconds(999))
        #expect(cache.peek(1) == 3)
        clock.advance(by: .milliseconds(1))
        #expect(cache.peek(1) == nil)
        cache.update(1, cost: 2, priority: .offScreen) { value in
            #expect(value == nil, "its time is up")
            value = 7
        }
        #expect(cache.totalCost == 2)
        clock.advance(by: .seconds(9))
        #expect(cache.peek(1) == 7)
        cache.update(1, timeToLive: .seconds(2)) { $0? += 1 }
        clock.advance(by: .seconds(1))
        #expect(cache.peek(1) == 8)
        #expect(cache.trim(toCost: 0) == 2)
    }

    @Test("a weigher weighs the result of an update, and a value that costs too much is not kept")
    func weighed() {
        let cache = cache(limit: 10) { $0.weigher = { _, value in value } }
        cache.insert(3, for: 1)
        cache.update(1) { $0 = 7 }
        #expect(cache.totalCost == 7)
        cache.update(1) { $0 = 11 }
        #expect(!cache.contains(1))
        #expect(cache.statistics.refusals == 1)
    }

    @Test("an update sees an object that left while in use, and changes it")
    func weaklyHeld() {
        let cache = ResourceCache<Int, LastWords>("K")
        let held = LastWords {}
        cache.insert(held, for: 1, cost: 3)
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        #expect(cache.count == 0)
        reclaimer.pressureDidEnd()
        cache.update(1) { #expect($0 === held) }
        #expect((cache.count, cache.totalCost) == (1, 3))
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        cache.update(1) { $0 = nil }
        #expect(!cache.contains(1))
    }

    /// A change that happens to the key while the closure runs.
    enum Change: CaseIterable {
        case insertion, removal, update, load, eviction, expiry, removalOfAll
    }

    @Test("a change of the key during an update restarts it", arguments: Change.allCases)
    func changedMeanwhile(change: Change) {
        let cache = cache { $0.timeToLive = .seconds(1) }
        if change != .load { cache.insert(10, for: 1) }
        var seen: [Int?] = []
        let clock = clock
        cache.update(1) { value in
            seen.append(value)
            value = (value ?? 0) + 1
            if seen.count > 1 { return }
            onThreads(1) { _ in
                switch change {
                case .insertion: cache.insert(20, for: 1)
                case .removal: cache.remove(1)
                case .update: cache.update(1) { $0? += 5 }
                case .load: _ = cache.value(for: 1) { 30 }
                case .eviction: cache.trim(toCost: 0)
                case .expiry: clock.advance(by: .seconds(1))
                case .removalOfAll: cache.removeAll()
                }
            }
        }
        let second: Int? =
            switch change {
            case .insertion: 20
            case .update: 15
            case .load: 30
            case .removal, .eviction, .expiry, .removalOfAll: nil
            }
        #expect(seen == [change == .load ? nil : 10, second])
        #expect(cache.peek(1) == (second ?? 0) + 1)
    }

    @Test("changes of other keys, and of the key's priority, do not restart an update")
    func othersMeanwhile() {
        let cache = cache()
        var calls = 0
        cache.update(1) { value in
            calls += 1
            value = 1
            for key in 2..<10 { cache.insert(key, for: key) }
            cache.update(2) { $0 = 3 }
            cache.remove(3)
        }
        cache.update(1) { _ in
            calls += 1
            cache.setPriority(.onScreen, for: 1)
            _ = cache.value(for: 1)
        }
        #expect(calls == 2)
        #expect(cache.trim(toFraction: 0) == 7)
        #expect(cache.contains(1))
    }

    @Test("a load of the key under way does not store its result after an update")
    func loadUnderWay() async throws {
        let cache = cache()
        let value = try await cache.load(1) { key in
            cache.update(key) { $0 = 5 }
            return 7
        }
        #expect(value == 7)
        #expect(cache.peek(1) == 5)
    }

    @Test("an update whose closure changes its own key by another call stops the process with a message")
    func recursive() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let cache = ResourceCache<Int, Int>("K")
            cache.update(1) { _ in cache.update(1) { $0 = 1 } }
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("the closure of an update"))
    }

    @Test("a load of a key inside its own update stops the process, even if no value is kept", arguments: [0, 1])
    func loadInside(isKept: Int) async throws {
        let result = try await #require(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [isKept] in
            let cache = ResourceCache<Int, Int>("K")
            cache.update(1) { value in
                value = try? cache.value(for: 1, orRenew: { _ in .value(7, timeToLive: .seconds(isKept)) })
            }
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("the closure of an update"))
    }

    @Test("many threads that count up by updates lose no count")
    func counting() {
        let cache = cache()
        let rounds = isUnderThreadSanitizer ? 200 : 5000
        onThreads(8) { thread in
            for round in 0..<rounds { cache.update((thread + round) % 2) { $0 = ($0 ?? 0) + 1 } }
        }
        #expect((cache.peek(0) ?? 0) + (cache.peek(1) ?? 0) == 8 * rounds)
    }

    @Test("updates lose no count to removals, other updates, limits or warnings either")
    func countingAndTaking() {
        let taken = Locked(0)
        let cache = cache(limit: 20) { options in
            options.onRemoval = { removals in
                let sum = removals.filter { $0.key < 4 && $0.reason != .replaced }.reduce(0) { $0 + $1.value }
                taken.withLock { $0 += sum }
            }
        }
        let rounds = isUnderThreadSanitizer ? 200 : 5000
        let (reclaimer, added) = (reclaimer, Counter())
        onThreads(8) { thread in
            for round in 0..<rounds {
                let key = round % 4
                switch (thread, round % 64) {
                case (0, _): cache.remove(key)
                case (1, _): cache.update(key) { $0 = nil }
                case (2, _): cache.insert(0, for: 4 + round % 60)
                case (3, 0): _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
                case (3, 1): cache.trim(toCost: 3)
                case (3, 2): cache.removeAll()
                default:
                    cache.update(key) { $0 = ($0 ?? 0) + 1 }
                    added.increment()
                }
            }
        }
        let left = (0..<4).reduce(0) { $0 + (cache.peek($1) ?? 0) }
        #expect(taken.withLock { $0 } + left == added.value)
        #expect(cache.totalCost == cache.count)
    }
}
