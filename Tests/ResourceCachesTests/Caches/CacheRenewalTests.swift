import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct CacheRenewalTests {
    private typealias Cache = ResourceCache<Int, Int>

    private struct Failure: Error {}

    private let clock = ManualClock()
    private let reclaimer = Reclaimer.current
    private let removals = Locked<[RemovalReason]>([])

    private func cache(limit: Int? = nil, _ change: (inout Cache.Options) -> Void = { _ in }) -> Cache {
        var options = Cache.Options()
        options.useClock(clock)
        options.onRemoval = { [removals] gone in removals.withLock { $0 += gone.map(\.reason) } }
        change(&options)
        return Cache("K", limit: limit, options: options)
    }

    /// The calls by which a loader sets the lifetime of its value.
    enum Way: CaseIterable {
        case load, refresh, many, thread
    }

    private func load(
        _ way: Way,
        _ cache: Cache,
        _ make: @escaping @Sendable (Int?) throws -> Cache.Loaded
    ) async throws
        -> Int?
    {
        switch way {
        case .load: try await cache.load(1) { _, old in try make(old) }
        case .refresh: try await cache.refresh(1) { try make($1) }
        case .many: try await cache.load([1]) { keys, old in [1: try make(old[1])] }[1]
        case .thread: try onThread(cache) { try make($0) }
        }
    }

    private func onThread(_ cache: Cache, _ make: (Int?) throws -> Cache.Loaded) throws -> Int {
        try cache.value(for: 1) { try make($0) }
    }

    @Test("a loader sets the lifetime and cost of its value, instead of the options", arguments: Way.allCases)
    func lifetime(way: Way) async throws {
        let cache = cache { $0.timeToLive = .seconds(10) }
        #expect(try await load(way, cache) { _ in .value(7, cost: 3, timeToLive: .seconds(2)) } == 7)
        #expect(cache.totalCost == 3)
        clock.advance(by: .milliseconds(1999))
        #expect(cache.peek(1) == 7)
        clock.advance(by: .milliseconds(1))
        #expect(cache.peek(1) == nil)
        #expect(try await load(way, cache) { _ in .value(8, timeToLive: .seconds(20)) } == 8)
        clock.advance(by: .seconds(19))
        #expect(cache.peek(1) == 8)
        clock.advance(by: .seconds(1))
        #expect(try await load(way, cache) { _ in .value(9) } == 9)
        clock.advance(by: .seconds(9))
        #expect(cache.peek(1) == 9)
        clock.advance(by: .seconds(1))
        #expect(cache.peek(1) == nil, "the options say how long if the loader does not")
    }

    @Test("a time to idle counts in addition to the lifetime that a loader sets")
    func idle() async throws {
        let cache = cache { $0.timeToIdle = .seconds(1) }
        for key in 1...2 { _ = try await cache.load(key) { key, _ in .value(key, timeToLive: .seconds(3)) } }
        clock.advance(by: .milliseconds(999))
        #expect(cache.value(for: 1) == 1)
        clock.advance(by: .milliseconds(1))
        #expect(cache.value(for: 2) == nil)
        for _ in 0..<2 {
            #expect(cache.value(for: 1) == 1)
            clock.advance(by: .milliseconds(999))
        }
        clock.advance(by: .milliseconds(2))
        #expect(cache.value(for: 1) == nil)
    }

    @Test("a value with no lifetime goes to all waiting tasks, but is not stored", arguments: [0, -1])
    func noLifetime(seconds: Int) async throws {
        let cache = cache()
        let gate = EventStream<Void>()
        let tasks = (0..<5).map { _ in
            Task {
                try await cache.load(1) { _, _ in
                    _ = await gate.next()
                    return .value(7, timeToLive: .seconds(seconds))
                }
            }
        }
        await until { cache.statistics.joinedLoads == 4 }
        gate.send(())
        for task in tasks { #expect(try await task.value == 7) }
        #expect(cache.count == 0)
        #expect((cache.statistics.loads, cache.statistics.refusals) == (1, 0))
        cache.insert(1, for: 1)
        #expect(try await cache.refresh(1) { _, _ in .value(8, timeToLive: .seconds(seconds)) } == 8)
        #expect(!cache.contains(1), "the old value is out of date")
        #expect(removals.withLock { $0 } == [.replaced])
        for way in [Way.many, .thread] {
            #expect(try await load(way, cache) { _ in .value(9, timeToLive: .seconds(seconds)) } == 9)
            #expect(!cache.contains(1))
        }
    }

    // Old values.

    @Test("an expired value is passed to its loader, and kept with a new lifetime", arguments: Way.allCases)
    func unchanged(way: Way) async throws {
        let cache = cache()
        cache.insert(7, for: 1, cost: 3, priority: .onScreen, timeToLive: .seconds(1))
        for _ in 0..<3 {
            clock.advance(by: .seconds(1))
            #expect(cache.peek(1) == nil)
            let value = try await load(way, cache) { old in
                #expect(old == 7)
                return .unchanged(timeToLive: .seconds(1))
            }
            #expect(value == 7)
            clock.advance(by: .milliseconds(999))
            #expect(cache.peek(1) == 7)
            clock.advance(by: .milliseconds(1))
        }
        #expect((cache.count, cache.totalCost) == (1, 3))
        #expect(removals.withLock { $0 } == [], "it is the same entry")
        #expect(cache.trim(toCost: 0) == 0, "it is on screen as before")
        #expect(cache.statistics.loads == 3)
        #expect(cache.value(for: 1) == nil)
        #expect(removals.withLock { $0 } == [.expired])
    }

    @Test("a loader without an old value cannot keep it", arguments: Way.allCases)
    func nothingToKeep(way: Way) async throws {
        let cache = cache()
        @Sendable func keep(_ old: Int?) -> Cache.Loaded {
            #expect(old == nil)
            return .unchanged()
        }
        if way == .many {
            #expect(try await load(way, cache, keep) == nil)
        } else {
            await #expect(throws: CacheLoadError.noValue) { try await load(way, cache, keep) }
        }
        #expect(cache.statistics.failedLoads == 1)
        #expect(cache.count == 0)
    }

    @Test("an old value stays unchanged if its loader fails", arguments: Way.allCases)
    func failure(way: Way) async throws {
        let cache = cache()
        cache.insert(7, for: 1, timeToLive: .seconds(1))
        clock.advance(by: .seconds(1))
        for _ in 0..<2 {
            await #expect(throws: Failure.self) { try await load(way, cache) { _ in throw Failure() } }
        }
        #expect(cache.peek(1) == nil)
        #expect(try await load(way, cache) { .value(($0 ?? 0) + 1, timeToLive: .seconds(1)) } == 8)
        #expect(removals.withLock { $0 } == [.replaced])
    }

    @Test("a stale value is passed to its loader in the background, which keeps it", arguments: [true, false])
    func stale(isKept: Bool) async throws {
        let cache = cache { $0.refreshAfter = .seconds(1) }
        cache.insert(7, for: 1, timeToLive: .seconds(10))
        clock.advance(by: .seconds(1))
        for _ in 0..<2 {
            let value = try await cache.load(1) { _, old in
                #expect(old == 7)
                return isKept
                    ? .unchanged(timeToLive: .seconds(30), refreshAfter: .seconds(20))
                    : .value(8, timeToLive: .seconds(30), refreshAfter: .seconds(20))
            }
            // The second time, the load may have ended.
            #expect(value == 7 || !isKept && value == 8)
        }
        let removed: [RemovalReason] = isKept ? [] : [.replaced]
        // The cache counts the load first. It reports removals later, outside of its lock.
        await until { cache.statistics.loads == 1 && removals.withLock { $0.count } == removed.count }
        #expect(removals.withLock { $0 } == removed)
        clock.advance(by: .milliseconds(19_999))
        #expect(try await cache.load(1) { _, _ in .value(9) } == (isKept ? 7 : 8), "it is not stale yet")
        #expect(cache.statistics.loads == 1)
        clock.advance(by: .milliseconds(1))
        _ = try await cache.load(1) { _, _ in .value(9) }
        await until { cache.statistics.loads == 2 }
        #expect(cache.peek(1) == 9)
    }

    @Test("a value that left while its loader kept it is stored again at its old cost")
    func keptAfterEviction() async throws {
        let cache = cache()
        cache.insert(7, for: 1, cost: 3)
        let value = try await cache.refresh(1) { _, _ in
            cache.trim(toCost: 0)
            return .unchanged(timeToLive: .seconds(1))
        }
        #expect(value == 7)
        #expect((cache.peek(1), cache.totalCost) == (7, 3))
        clock.advance(by: .seconds(1))
        #expect(cache.peek(1) == nil)
    }

    @Test("a manual change wins over a value that its loader keeps", arguments: [true, false])
    func keptAfterChange(isRemoved: Bool) async throws {
        let cache = cache()
        cache.insert(7, for: 1)
        let value = try await cache.refresh(1) { _, _ in
            if isRemoved { cache.remove(1) } else { cache.insert(8, for: 1) }
            return .unchanged(timeToLive: .zero)
        }
        #expect(value == 7)
        #expect(cache.peek(1) == (isRemoved ? nil : 8))
    }

    @Test("a newer value that a thread has loaded meanwhile is not replaced by one that a loader keeps")
    func keptAfterLoad() async throws {
        let cache = cache()
        cache.insert(7, for: 1, timeToLive: .seconds(1))
        let value = try await cache.refresh(1) { [clock] _, _ in
            clock.advance(by: .seconds(1))
            let newer = try onThread(cache) { _ in .value(8, timeToLive: .seconds(5)) }
            #expect(newer == 8)
            return .unchanged(timeToLive: .seconds(1))
        }
        #expect(value == 7)
        clock.advance(by: .seconds(4))
        #expect(cache.peek(1) == 8)
    }

    @Test("a value that its loader keeps with no lifetime leaves")
    func keptForNoTime() async throws {
        let cache = cache()
        cache.insert(7, for: 1)
        #expect(try await cache.refresh(1) { _, _ in .unchanged(timeToLive: .zero) } == 7)
        #expect(!cache.contains(1))
        #expect(removals.withLock { $0 } == [.expired])
    }

    @Test("an object that left while in use is passed to its loader")
    func weaklyHeld() async throws {
        let cache = ResourceCache<Int, LastWords>("K")
        let held = LastWords {}
        cache.insert(held, for: 1)
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        reclaimer.pressureDidEnd()
        let value = try await cache.refresh(1) { _, old in
            #expect(old === held)
            return .unchanged()
        }
        #expect(value === held)
        #expect(cache.count == 1)
    }

    @Test("an object that left while in use is not found any more once its refresh was not kept")
    func weaklyHeldAndRefused() async throws {
        let cache = ResourceCache<Int, LastWords>("K", limit: 100)
        let held = LastWords {}
        cache.insert(held, for: 1, cost: 10)
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        reclaimer.pressureDidEnd()
        let new = LastWords {}
        #expect(cache.contains(1))
        #expect(try await cache.refresh(1) { _, _ in .value(new, cost: 200) } === new)
        #expect(cache.statistics.refusals == 1)
        #expect(!cache.contains(1))
        withExtendedLifetime(held) {}
    }

    @Test("in a bulk load each key has its own lifetime and its own old value")
    func many() async throws {
        let cache = cache()
        cache.insert(10, for: 1, timeToLive: .seconds(1))
        cache.insert(20, for: 2, timeToLive: .seconds(9))
        clock.advance(by: .seconds(1))
        let values = try await cache.load([1, 2, 3, 4, 5]) { keys, old in
            #expect(Set(keys) == [1, 3, 4, 5])
            #expect(old == [1: 10])
            return [1: .unchanged(timeToLive: .seconds(1)), 3: .value(30, timeToLive: .seconds(2)), 4: .unchanged()]
        }
        #expect(values == [1: 10, 2: 20, 3: 30])
        clock.advance(by: .seconds(1))
        #expect([1, 2, 3].map(cache.contains) == [false, true, true])
        #expect((cache.statistics.loads, cache.statistics.failedLoads) == (2, 2))
    }

    @Test("the closures of the two kinds of loads differ by their parameters")
    func overloads() async throws {
        let cache = cache()
        #expect(try await cache.load(1) { $0 } == 1)
        #expect(try await cache.load(2) { .value($0 + ($1 ?? 5)) } == 7)
        let third = try await cache.load(3) { key in
            if key == 0 { throw Failure() }
            return key
        }
        let fourth = try await cache.load(4) { key, old in
            guard let old else { return .value(key) }
            return .value(old)
        }
        #expect((third, fourth) == (3, 4))
        #expect(cache.value(for: 5) { 5 } == 5)
        #expect(try cache.value(for: 6) { .value($0 ?? 6) } == 6)
        #expect(throws: Failure.self) { try cache.value(for: 7) { () throws(Failure) in throw Failure() } }
        #expect(try await cache.load([8]) { _ in [:] } == [:])
        #expect(try await cache.load([8]) { _, _ in [:] } == [:])
        await #expect(throws: Failure.self) { try await cache.load(9) { _ in throw Failure() } }
        await #expect(throws: Failure.self) { try await cache.refresh(9) { _, _ in throw Failure() } }
    }
}
