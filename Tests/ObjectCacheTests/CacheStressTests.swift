import Synchronization
import TestSupport
import Testing

@testable import ObjectCache
@testable import ResourceCaches

@Suite(.ownCaches)
struct CacheStressTests {
    @Test("several threads at once: every object leaves once, is reported once, and its content is discarded")
    func hammering() async {
        let reclaimer = Reclaimer.current
        let cache = Cache<Int, Leaf>()
        cache.totalCostLimit = 500
        let census = Census()
        cache.delegate = census
        await withTaskGroup(of: Void.self) { group in
            for seed in 1...4 as ClosedRange<UInt64> {
                group.addTask { hammer(cache, reclaimer, census, seed: seed) }
            }
        }
        #expect(cache.releasableCost <= 500)
        #expect(cache.base.hasNoPendingNotices)
        cache.totalCostLimit = 0
        cache.removeAllObjects()
        #expect(cache.releasableCost == 0)
        #expect(census.made.value > 10_000)
        #expect(census.told.value == census.made.value)
        #expect(census.ended.value == census.made.value)
        #expect(census.mistakes.value == 0)
    }

    @Test("an object that a read no longer finds is not found later, while the delegate is being told of it")
    func leavingAtOneInstant() async {
        let cache = Cache<Int, Leaf>()
        cache.countLimit = 1
        let census = Census()
        cache.delegate = census
        let stored = Counter()
        let returns = Counter()
        let last = isUnderThreadSanitizer ? 5_000 : 50_000
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for key in 1...last {
                    cache.setObject(Leaf(key, census), forKey: key)
                    stored.increment()
                }
            }
            for _ in 1...2 {
                group.addTask {
                    while true {
                        let key = stored.value
                        if key == last { break }
                        let isGone = key > 0 && cache.object(forKey: key) == nil
                        if isGone, cache.object(forKey: key) != nil { returns.increment() }
                    }
                }
            }
        }
        #expect(returns.value == 0)
        #expect(census.told.value == last - 1)
        cache.removeAllObjects()
        #expect(census.mistakes.value == 0)
    }

    @Test("reads find an object in use at every instant of a warning that the delegate is told of (7.10)")
    func inUseAtWarnings() async {
        let reclaimer = Reclaimer.current
        let cache = Cache<Int, Page>()
        let listener = Listener()
        cache.delegate = listener
        let held = Page()
        cache.setObject(held, forKey: 0)
        let ends = Counter()
        let misses = Counter()
        let warnings = isUnderThreadSanitizer ? 1_000 : 10_000
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<warnings { _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical)) }
                ends.increment()
            }
            group.addTask {
                while ends.value == 0 {
                    if cache.object(forKey: 0) !== held { misses.increment() }
                }
            }
        }
        #expect(misses.value == 0)
        #expect(listener.told.value > 0)
    }
}

/// An object without discardable content.
private final class Page: Sendable {}

private final class Listener: CacheDelegate {
    let told = Counter()

    func cache(_ cache: Cache<Int, Page>, willEvictObject page: Page) { told.increment() }
}

/// Counts objects and errors.
private final class Census: CacheDelegate {
    let made = Counter()
    let told = Counter()
    let ended = Counter()
    let mistakes = Counter()

    func cache(_ cache: Cache<Int, Leaf>, willEvictObject leaf: Leaf) {
        told.increment()
        if !leaf.isToldFirst() { mistakes.increment() }
        if let found = cache.object(forKey: leaf.key), found.key != leaf.key { mistakes.increment() }
    }
}

/// Content that is never accessed.
///
/// It notes an error if its object was not reported, or it was not discarded, before its deinit.
private final class Leaf: DiscardableContent {
    let key: Int
    let census: Census
    private let isTold = Atomic(false)
    private let isDiscarded = Atomic(false)

    init(_ key: Int, _ census: Census) {
        self.key = key
        self.census = census
        census.made.increment()
    }

    deinit {
        if !isTold.load(ordering: .acquiring) || !isContentDiscarded { census.mistakes.increment() }
        census.ended.increment()
    }

    func isToldFirst() -> Bool {
        !isContentDiscarded && !isTold.exchange(true, ordering: .acquiringAndReleasing)
    }

    func beginContentAccess() -> Bool { false }
    func endContentAccess() {}
    func discardContentIfPossible() { isDiscarded.store(true, ordering: .releasing) }
    var isContentDiscarded: Bool { isDiscarded.load(ordering: .acquiring) }
    var isContentBeingAccessed: Bool { false }
}

/// A number that several threads may increase.
private final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    func increment() {
        count.add(1, ordering: .sequentiallyConsistent)
    }
}

/// Makes various calls, on keys from a linear congruential generator.
private func hammer(_ cache: Cache<Int, Leaf>, _ reclaimer: Reclaimer, _ census: Census, seed: UInt64) {
    var state = seed
    for step in 0..<20_000 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let key = Int(state >> 33) % 1000
        switch step % 16 {
        case 0: cache.removeObject(forKey: key)
        case 1: cache.totalCostLimit = 400 + key % 100
        case 2: cache.countLimit = 300 + key % 100
        case 3...8: cache.setObject(Leaf(key, census), forKey: key, cost: key % 4)
        case 9 where step % 500 == 9: _ = reclaimer.reclaim(for: ReclaimRequest(level: .warning))
        case 10 where step % 5000 == 10: cache.removeAllObjects()
        default:
            if let leaf = cache.object(forKey: key), leaf.key != key { census.mistakes.increment() }
        }
    }
}
