import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct CacheBulkLoadTests {
    private struct Failure: Error {}

    private let cache = ResourceCache<Int, Int>("K")

    /// The keys that loaders were called with.
    private final class Calls: Sendable {
        private let calls = Locked<[[Int]]>([])

        var all: [[Int]] { calls.withLock { $0 } }
        func note(_ keys: [Int]) { calls.withLock { $0.append(keys.sorted()) } }
    }

    private let calls = Calls()

    @Test("many keys take one call of the loader, which gets the missing ones")
    func oneCall() async throws {
        cache.insert(2, for: 2)
        let values = try await cache.load([1, 2, 3, 3, 4]) { [calls] keys in
            calls.note(keys)
            return Dictionary(uniqueKeysWithValues: keys.filter { $0 != 4 }.map { ($0, $0 * 10) })
        }
        #expect(values == [1: 10, 2: 2, 3: 30])
        #expect(calls.all == [[1, 3, 4]])
        #expect(cache.count == 3)
        #expect((cache.statistics.loads, cache.statistics.failedLoads) == (2, 1))
        #expect(try await cache.load([1, 3]) { _ in [:] } == [1: 10, 3: 30])
    }

    @Test("additional values from the loader are ignored")
    func surplus() async throws {
        #expect(try await cache.load([1]) { _ in [1: 10, 2: 20] } == [1: 10])
        #expect(!cache.contains(2))
    }

    @Test("a bulk load waits for keys that another task loads, and others wait for the keys of the bulk load")
    func joining() async throws {
        let first = EventStream<Int>()
        let second = EventStream<Void>()
        let begun = EventStream<Void>()
        let single = Task { [cache] in
            try await cache.load(1) { _ in
                begun.send(())
                return await first.next() ?? 0
            }
        }
        _ = await begun.next()
        let bulk = Task { [cache, calls] in
            try await cache.load([1, 2, 3]) { keys in
                calls.note(keys)
                begun.send(())
                _ = await second.next()
                return [2: 20]
            }
        }
        _ = await begun.next()
        let waiter = Task { [cache] in try await cache.load(2) { _ in 99 } }
        let disappointed = Task { [cache] in try await cache.load(3) { _ in 99 } }
        await until { [cache] in cache.statistics.joinedLoads == 2 }
        second.send(())
        #expect(try await waiter.value == 20)
        await #expect(throws: CacheLoadError.noValue) { try await disappointed.value }
        first.send(10)
        #expect(try await single.value == 10)
        #expect(try await bulk.value == [1: 10, 2: 20])
        #expect(calls.all == [[2, 3]])
    }

    @Test("in a bulk load, keys whose loads are joined count as joined, and not as misses")
    func joinsAreNoMisses() async throws {
        cache.insert(0, for: 0)
        let gate = EventStream<Void>()
        let begun = EventStream<Void>()
        let first = Task { [cache] in
            try await cache.load([1, 2]) { _ in
                begun.send(())
                _ = await gate.next()
                return [1: 1, 2: 2]
            }
        }
        _ = await begun.next()
        let second = Task { [cache] in
            try await cache.load([0, 1, 3]) { keys in
                begun.send(())
                return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
            }
        }
        _ = await begun.next()
        let single = Task { [cache] in try await cache.load(2) { _ in 99 } }
        let refresh = Task { [cache] in try await cache.refresh(2) { _, _ in .value(99) } }
        await until { [cache] in cache.statistics.joinedLoads == 3 }
        gate.send(())
        #expect(try await first.value == [1: 1, 2: 2])
        #expect(try await second.value == [0: 0, 1: 1, 3: 3])
        #expect(try await (single.value, refresh.value) == (2, 2))
        let statistics = cache.statistics
        #expect((statistics.hits, statistics.misses, statistics.joinedLoads) == (1, 3, 3))
        #expect(statistics.loads == 3)
    }

    @Test("an error goes to all tasks that wait for one of the keys, and nothing is stored")
    func failure() async {
        let gate = EventStream<Void>()
        let begun = EventStream<Void>()
        let bulk = Task { [cache] in
            try await cache.load([1, 2]) { _ in
                begun.send(())
                _ = await gate.next()
                throw Failure()
            }
        }
        _ = await begun.next()
        let waiter = Task { [cache] in try await cache.load(2) { _ in 99 } }
        await until { [cache] in cache.statistics.joinedLoads == 1 }
        gate.send(())
        await #expect(throws: Failure.self) { try await bulk.value }
        await #expect(throws: Failure.self) { try await waiter.value }
        #expect(cache.count == 0)
    }

    @Test("tasks that load overlapping keys do not wait for each other in a circle, and load each key once")
    func overlapping() async throws {
        try await withThrowingTaskGroup(of: Void.self) { [cache, calls] group in
            for task in 0..<50 {
                group.addTask {
                    let keys = (0..<20).map { (task * 7 + $0) % 60 }
                    let values = try await cache.load(task % 2 == 0 ? keys : keys.reversed()) { keys in
                        calls.note(keys)
                        await Task.yield()
                        return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
                    }
                    #expect(values == Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) }))
                }
            }
            try await group.waitForAll()
        }
        #expect(calls.all.joined().sorted() == Array(0..<60))
    }

    @Test("warming loads missing keys until the cache is full, skips failures, and limits concurrent loads")
    func warming() async {
        let cache = ResourceCache<Int, Int>("K", limit: 20)
        cache.insert(100, for: 0)
        let running = Locked((now: 0, most: 0))
        let count = await cache.warm(Array(0..<100), atOnce: 3) { key in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            defer { running.withLock { $0.now -= 1 } }
            await Task.yield()
            if key % 4 == 1 { throw Failure() }
            return key
        }
        #expect(cache.peek(0) == 100)
        #expect(running.withLock { $0.most } <= 3)
        #expect(count == 20)
        #expect(cache.totalCost == 20)
        #expect(!cache.contains(1) && !cache.contains(99))
        #expect(cache.statistics.evictions == 0)
        cache.insert(7, for: 1000, cost: 20)
        #expect(cache.totalCost == 20 && cache.contains(1000), "what was only fetched ahead leaves first")
    }

    @Test("warming keeps the most important keys, whatever the costs and the number of concurrent loads")
    func warmingInOrder() async {
        for (cost, atOnce) in [(1, 1), (1, 8), (3, 4), (4, 30)] {
            var options = ResourceCache<Int, Int>.Options()
            options.weigher = { _, _ in cost }
            let cache = ResourceCache<Int, Int>("K", limit: 10, options: options)
            let count = await cache.warm(0..<20, atOnce: atOnce) { key in
                await Task.yield()
                return key
            }
            #expect(count == 10 / cost)
            #expect((0..<20).filter { cache.contains($0) } == Array(0..<10 / cost))
        }
    }

    @Test("warming continues if a key is changed manually meanwhile, and counts values that do not fit as refused")
    func warmingBesideChanges() async {
        let cache = ResourceCache<Int, Int>("K", limit: 100)
        let count = await cache.warm(0..<10, atOnce: 1) { key in
            if key == 2 { cache.remove(2) }
            return key
        }
        #expect(count == 9)
        #expect(cache.statistics.refusals == 0)
        var options = ResourceCache<Int, Int>.Options()
        options.weigher = { _, _ in 500 }
        let small = ResourceCache<Int, Int>("K", limit: 100, options: options)
        #expect(await small.warm(0..<10) { $0 } == 0)
        #expect((small.statistics.loads, small.statistics.refusals) == (1, 1))
    }

    @Test("warming counts no misses, and a load that it joins stays one load")
    func warmingIsNoMiss() async throws {
        let gate = EventStream<Void>()
        let begun = EventStream<Void>()
        let load = Task { [cache] in
            try await cache.load(1) { _ in
                begun.send(())
                _ = await gate.next()
                return 1
            }
        }
        _ = await begun.next()
        let warming = Task { [cache] in await cache.warm([1, 2]) { $0 } }
        await until { [cache] in cache.statistics.joinedLoads == 1 }
        gate.send(())
        #expect(try await load.value == 1)
        #expect(await warming.value == 2)
        #expect((cache.statistics.misses, cache.statistics.loads) == (1, 2))
    }

    @Test("a prefetched value that does not fit displaces no other value, unless it was requested meanwhile")
    func warmingTooDear() async throws {
        var options = ResourceCache<Int, Int>.Options()
        options.weigher = { _, value in value }
        let cache = ResourceCache<Int, Int>("K", limit: 10, options: options)
        #expect(await cache.warm([1, 9, 10]) { $0 } == 2)
        #expect(await cache.warm([1, 2, 3]) { $0 } == 1)
        #expect(cache.contains(1) && cache.contains(9) && cache.count == 2)
        cache.remove(9)
        let gate = EventStream<Void>()
        let begun = EventStream<Void>()
        async let warmed = cache.warm([8]) { _ in
            begun.send(())
            _ = await gate.next()
            return 10
        }
        _ = await begun.next()
        async let loaded = cache.load(8) { _ in 0 }
        await until { cache.statistics.joinedLoads == 1 }
        gate.send(())
        #expect(try await loaded == 10)
        #expect(await warmed == 1)
        #expect(cache.totalCost == 10 && cache.contains(8))
    }
}
