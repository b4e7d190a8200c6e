import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct CacheReentrancyTests {
    private typealias Cache = ResourceCache<Int, LastWords>

    /// The call for which values leave.
    enum Origin: CaseIterable { case insertion, thread, task }

    /// A reference to the cache, for closures that are made before the cache.
    private final class Late: Sendable {
        private let cache = Locked<ResourceCache<Int, LastWords>?>(nil)

        func set(_ cache: ResourceCache<Int, LastWords>?) { self.cache.withLock { $0 = cache } }
        func use() { _ = cache.withLock(\.self)?.count }
    }

    @Test("a refused value is destroyed outside the lock, so its deinit may use the cache")
    func refused() {
        let cache = Cache("K", limit: 1)
        let ended = Counter()
        cache.insert(
            LastWords { [unowned cache] in
                _ = cache.count
                ended.increment()
            },
            for: 1,
            cost: 2
        )
        #expect(ended.value == 1)
    }

    @Test("the cache calls the closures for shares, costs and removals outside the lock")
    func closures() {
        let late = Late()
        defer { late.set(nil) }
        var options = Cache.Options()
        options.keptShare = { _ in
            late.use()
            return 0.25
        }
        options.weigher = { _, _ in
            late.use()
            return 1
        }
        options.onRemoval = { _ in late.use() }
        let reclaimer = Reclaimer.current
        let cache = Cache("K", options: options)
        late.set(cache)
        let ended = Counter()
        for key in 0..<8 { cache.insert(LastWords { ended.increment() }, for: key) }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) == 6)
        #expect(ended.value == 6)
        cache.removeAll()
        #expect(ended.value == 8)
    }

    @Test(
        "a removal handler or destructor gets a value of the key that its thread is loading",
        .timeLimit(.minutes(1)),
        arguments: [true, false],
        Origin.allCases
    )
    func loadOfLoadedKey(isHandler: Bool, origin: Origin) async throws {
        let late = Locked<Cache?>(nil)
        let loaded = Counter()
        let load: @Sendable () -> Void = {
            _ = late.withLock(\.self)?.value(for: -1, cost: 1) {
                loaded.increment()
                return LastWords {}
            }
        }
        var options = Cache.Options()
        if isHandler { options.onRemoval = { _ in load() } }
        let cache = Cache("K", limit: 20_000, options: options)
        late.withLock { $0 = cache }
        for key in 0..<20_000 { cache.insert(LastWords { if !isHandler { load() } }, for: key, cost: 1) }
        switch origin {
        case .insertion: cache.insert(LastWords {}, for: -2, cost: 1)
        case .thread: _ = cache.value(for: -1, cost: 1) { LastWords {} }
        case .task: _ = try await cache.load(-1, cost: 1) { _ in LastWords {} }
        }
        #expect(loaded.value == (origin == .insertion ? 2 : 1), "in an insertion one load begins inside the other")
        #expect(cache.peek(-1) != nil && cache.count > 19_990)
        // The values that are destroyed with the cache find none.
        withExtendedLifetime(cache) { late.withLock { $0 = nil } }
    }

    @Test("a handler may change the cache, and is also told of the values that leave because of its change")
    func listenerChanges() {
        let cache = Locked<ResourceCache<Int, Int>?>(nil)
        defer { cache.withLock { $0 = nil } }
        let told = Locked<[Int]>([])
        var options = ResourceCache<Int, Int>.Options()
        options.onRemoval = { removals in
            told.withLock { $0 += removals.map(\.key) }
            for removal in removals where removal.key < 10 {
                cache.withLock(\.self)?.insert(0, for: removal.key + 10, cost: 2)
            }
        }
        let subject = ResourceCache<Int, Int>("K", limit: 2, options: options)
        cache.withLock { $0 = subject }
        for key in 0..<3 { subject.insert(0, for: key, cost: 2) }
        #expect(told.withLock(\.count) == subject.statistics.evictions)
        #expect(told.withLock { Set($0).count == $0.count })
        #expect(subject.totalCost == 2)
    }

    @Test("a trim ends, however many values are stored in place of the removed ones")
    func trimAndStore() {
        let cache = Locked<ResourceCache<Int, Int>?>(nil)
        var options = ResourceCache<Int, Int>.Options()
        options.onRemoval = { removals in
            for removal in removals where removal.reason == .evicted {
                cache.withLock { $0 }?.insert(removal.value, for: removal.key + 1000, cost: 1)
            }
        }
        let numbers = ResourceCache<Int, Int>("numbers", options: options)
        for key in 0..<1000 { numbers.insert(key, for: key, cost: 1) }
        cache.withLock { $0 = numbers }
        #expect(numbers.trim(toCost: 400) == 600)
        #expect(numbers.trim(toCost: 0) == 1000)
        #expect(numbers.totalCost == 1000)
        cache.withLock { $0 = nil }
    }

    @Test("a trim beside values on screen also ends if values without a cost are stored")
    func trimAndStoreNothing() {
        let cache = Locked<ResourceCache<Int, Int>?>(nil)
        var options = ResourceCache<Int, Int>.Options()
        options.onRemoval = { removals in
            for removal in removals where removal.reason == .evicted {
                cache.withLock { $0 }?.insert(1, for: removal.key + 1000, cost: 0)
            }
        }
        let numbers = ResourceCache<Int, Int>("numbers", options: options)
        numbers.insert(1, for: 0, cost: 100, priority: .onScreen)
        for key in 1...100 { numbers.insert(key, for: key, cost: 0) }
        cache.withLock { $0 = numbers }
        #expect(numbers.trim(toCost: 10) == 0)
        #expect(numbers.count == 101)
        cache.withLock { $0 = nil }
    }
}
