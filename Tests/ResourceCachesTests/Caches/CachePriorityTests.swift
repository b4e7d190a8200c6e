import CLinux
import TestSupport
import Testing

@testable import ResourceCaches

/// The priority of a value that replaces another one.
@Suite(.ownCaches)
struct CachePriorityTests {
    private typealias Cache = ResourceCache<Int, Int>

    private let clock = ManualClock()
    private let reclaimer = Reclaimer.current

    private func cache() -> Cache {
        var options = Cache.Options()
        options.useClock(clock)
        return Cache("K", options: options)
    }

    @Test(
        "an insertion over a value sets its priority, up or down; without a priority it keeps the old one",
        arguments: CachePriority.allCases,
        [nil, CachePriority.prefetched, .offScreen, .onScreen]
    )
    func replacing(before: CachePriority, given: CachePriority?) {
        let cache = cache()
        cache.insert(0, for: 0)
        cache.insert(1, for: 1, priority: before)
        cache.insert(2, for: 1, priority: given)
        #expect(cache.peek(1) == 2)
        check(given ?? before, of: 1, in: cache)
    }

    private func check(_ priority: CachePriority, of key: Int, in cache: Cache) {
        switch priority {
        case .onScreen:
            cache.trim(toCost: 0)
            #expect(cache.contains(key))
        case .offScreen:
            #expect(cache.trim(toCost: cache.totalCost - 1) == 1)
            #expect(cache.contains(key), "the older one leaves first")
            cache.trim(toCost: 0)
            #expect(!cache.contains(key))
        case .prefetched:
            #expect(cache.trim(toCost: cache.totalCost - 1) == 1)
            #expect(!cache.contains(key), "it leaves before the older one")
        }
    }

    @Test("the same holds for an insertion over a value that was read often", arguments: CachePriority.allCases)
    func replacingRead(given: CachePriority) {
        let cache = cache()
        cache.insert(0, for: 0)
        cache.insert(1, for: 1)
        for _ in 0..<10 { _ = cache.value(for: 1) }
        cache.insert(2, for: 1, priority: given)
        check(given, of: 1, in: cache)
    }

    @Test(
        "a value that replaces a pinned one has its own priority after the pin",
        arguments: CachePriority.allCases
    )
    func replacingPinned(given: CachePriority) {
        let cache = cache()
        cache.insert(0, for: 0)
        cache.insert(1, for: 1, priority: .onScreen)
        do {
            let pin = cache.pin(1, owner: "test")
            cache.insert(2, for: 1)
            cache.insert(3, for: 1, priority: given)
            cache.trim(toCost: 0)
            #expect(cache.peek(1) == 3, "it is pinned")
            cache.insert(0, for: 0)
            _ = consume pin
        }
        check(given, of: 1, in: cache)
    }

    @Test(
        "an expired value does not pass its priority on, whether or not it has left",
        arguments: CachePriority.allCases,
        [true, false]
    )
    func replacingExpired(before: CachePriority, hasLeft: Bool) {
        let cache = cache()
        cache.insert(0, for: 0)
        for (key, given) in [(1, CachePriority?.none), (2, .onScreen)] {
            cache.insert(1, for: key, priority: before, timeToLive: .seconds(1))
            clock.advance(by: .seconds(1))
            if hasLeft { #expect(cache.value(for: key) == nil) }
            cache.insert(2, for: key, priority: given)
        }
        cache.trim(toCost: 2)
        #expect((0...2).map(cache.contains) == [false, true, true], "it is not the first to leave")
        cache.trim(toCost: 0)
        #expect((0...2).map(cache.contains) == [false, false, true])
    }

    @Test("an object that left while in use does not pass its priority on", arguments: [nil, CachePriority.onScreen])
    func replacingWeaklyHeld(given: CachePriority?) {
        let cache = ResourceCache<Int, LastWords>("K")
        let held = LastWords {}
        cache.insert(held, for: 1, priority: .prefetched)
        _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
        #expect(cache.count == 0 && cache.contains(1))
        reclaimer.pressureDidEnd()
        cache.insert(LastWords {}, for: 0)
        let new = LastWords {}
        cache.insert(new, for: 1, priority: given)
        #expect(cache.peek(1) === new)
        cache.trim(toCost: 1)
        #expect([0, 1].map(cache.contains) == [false, true], "it is not the first to leave")
        cache.trim(toCost: 0)
        #expect(cache.contains(1) == (given == .onScreen))
    }

    @Test("a thread that joins another thread's load on screen makes the value stay like those on screen")
    func joined() {
        let cache = cache()
        onThreads(2) { thread in
            if thread == 1 { while cache.statistics.misses == 0 { sched_yield() } }
            _ = cache.value(for: 1, priority: thread == 0 ? .prefetched : .onScreen) {
                while cache.statistics.joinedLoads == 0 { sched_yield() }
                return 7
            }
        }
        cache.trim(toCost: 0)
        #expect(cache.contains(1))
    }
}
