import CLinux
import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct CacheLoadTests {
    private typealias Cache = ResourceCache<Int, Int>

    private struct Failure: Error, Equatable {
        var number = 0
    }

    /// A loader that ends when the test tells it to, and counts its calls.
    private final class Loader: Sendable {
        private let outcomes = EventStream<Result<Int, Failure>>()
        private let begun = EventStream<Void>()
        let calls = Counter()

        func load(_: Int) async throws -> Int {
            calls.increment()
            begun.send(())
            guard let outcome = await outcomes.next() else { throw CancellationError() }
            return try outcome.get()
        }

        /// Waits until a load has begun.
        func begin() async { _ = await begun.next() }
        func end(_ outcome: Result<Int, Failure>) { outcomes.send(outcome) }
    }

    private let reclaimer = Reclaimer.current
    private let clock = ManualClock()

    private func cache(limit: Int? = nil, _ change: (inout Cache.Options) -> Void = { _ in }) -> Cache {
        var options = Cache.Options()
        options.useClock(clock)
        change(&options)
        return Cache("K", limit: limit, options: options)
    }

    // Joining.

    @Test("a thousand tasks that miss the same key wait for one load", arguments: [true, false])
    func crowd(succeeds: Bool) async {
        let (cache, loader) = (cache(), Loader())
        let values = Counter()
        let errors = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    do {
                        if try await cache.load(1, using: loader.load) == 7 { values.increment() }
                    } catch let error as Failure where error.number == 8 {
                        errors.increment()
                    } catch {}
                }
            }
            await until { cache.statistics.joinedLoads == 999 }
            loader.end(succeeds ? .success(7) : .failure(Failure(number: 8)))
        }
        #expect((values.value, errors.value) == (succeeds ? 1000 : 0, succeeds ? 0 : 1000))
        #expect(loader.calls.value == 1)
        #expect(cache.peek(1) == (succeeds ? 7 : nil))
        let statistics = cache.statistics
        #expect((statistics.loads, statistics.failedLoads) == (succeeds ? 1 : 0, succeeds ? 0 : 1))
        #expect((statistics.hits, statistics.misses, statistics.joinedLoads) == (0, 1, 999))
    }

    @Test("a thousand threads that miss the same key wait for one load", arguments: [true, false])
    func crowdOfThreads(succeeds: Bool) {
        let cache = cache()
        let count = isUnderThreadSanitizer ? 50 : 1000
        let calls = Counter()
        let outcomes = Counter()
        onThreads(count) { _ in
            do throws(Failure) {
                let value = try cache.value(for: 1) { () throws(Failure) in
                    calls.increment()
                    // Waits until all others are waiting.
                    while cache.statistics.joinedLoads < count - 1 { sched_yield() }
                    if !succeeds { throw Failure() }
                    return 7
                }
                if succeeds, value == 7 { outcomes.increment() }
            } catch {
                if !succeeds { outcomes.increment() }
            }
        }
        #expect(outcomes.value == count)
        #expect(calls.value == 1)
        let statistics = cache.statistics
        #expect((statistics.hits, statistics.misses, statistics.joinedLoads) == (0, 1, count - 1))
        #expect(cache.peek(1) == (succeeds ? 7 : nil))
    }

    @Test("the load of a cancelled leader is handed over once")
    func cancelledLeader() async throws {
        let cache = cache()
        let started = EventStream<Void>()
        let leader = Task {
            try await cache.load(1) { _ in
                started.send(())
                while !Task.isCancelled { await Task.yield() }
                throw CancellationError()
            }
        }
        _ = await started.next()
        let loader = Loader()
        let waiting = (0..<5).map { _ in Task { try await cache.load(1, using: loader.load) } }
        await until { cache.statistics.joinedLoads == 5 }
        leader.cancel()
        await #expect(throws: CancellationError.self) { try await leader.value }
        loader.end(.success(7))
        for task in waiting { #expect(try await task.value == 7) }
        #expect(loader.calls.value == 1)
        #expect(cache.peek(1) == 7)
        #expect(cache.statistics.failedLoads == 0)
    }

    @Test("a waiting task that is cancelled leaves at once, and the load continues")
    func cancelledWaiter() async throws {
        let (cache, loader) = (cache(), Loader())
        let leader = Task { try await cache.load(1, using: loader.load) }
        await loader.begin()
        let waiter = Task { try await cache.load(1, using: loader.load) }
        await until { cache.statistics.joinedLoads == 1 }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        loader.end(.success(7))
        #expect(try await leader.value == 7)
        #expect(cache.peek(1) == 7)
        #expect(loader.calls.value == 1)
    }

    @Test("a thread does not wait for a task's load, but loads the value itself")
    func threadBesideTask() async throws {
        let (cache, loader) = (cache(), Loader())
        let task = Task { try await cache.load(1, using: loader.load) }
        await loader.begin()
        #expect(load(1, of: cache) == 5)
        #expect(cache.peek(1) == 5)
        loader.end(.success(7))
        #expect(try await task.value == 7)
        #expect(cache.statistics.loads == 2)
    }

    private func load(_ key: Int, of cache: Cache) -> Int {
        cache.value(for: key) { 5 }
    }

    @Test(
        "a loader that requests its own value gets an error, in its child tasks and other tasks too",
        .timeLimit(.minutes(1))
    )
    func ownKey() async throws {
        let cache = cache()
        let value = try await cache.load(1) { key in
            await #expect(throws: CacheLoadError.circular) { try await cache.load(key) { _ in 2 } }
            await #expect(throws: CacheLoadError.circular) { try await cache.refresh(key) { _ in 2 } }
            await #expect(throws: CacheLoadError.circular) { try await cache.load([key]) { _ in [key: 2] } }
            await #expect(throws: CacheLoadError.circular) {
                async let child = cache.load(key) { _ in 2 }
                _ = try await child
            }
            let task = Task { try await cache.load(key) { _ in 2 } }
            await #expect(throws: CacheLoadError.circular) { try await task.valueInTime }
            return try await cache.load(key + 1) { _ in
                await #expect(throws: CacheLoadError.circular) { try await cache.load(key) { _ in 2 } }
                return 7
            }
        }
        #expect(value == 7)
        #expect(cache.statistics.joinedLoads == 0)
        #expect(
            try await cache.load([3, 4]) { keys in
                await #expect(throws: CacheLoadError.circular) { try await cache.load(4) { _ in 2 } }
                return [3: 3, 4: 4]
            } == [3: 3, 4: 4]
        )
    }

    @Test("the loader of a thread that requests its own value traps")
    func ownKeyOfThread() async {
        await #expect(processExitsWith: .failure) {
            let cache = ResourceCache<Int, Int>("K")
            _ = cache.value(for: 1) { cache.value(for: 1) { 1 } }
        }
    }

    // Manual changes.

    @Test("a value that was stored or removed manually during a load is not overwritten by the load", arguments: 0..<5)
    func changeMeanwhile(change: Int) async throws {
        let (cache, loader) = (cache(), Loader())
        cache.insert(0, for: 2)
        let task = Task { try await cache.load(1, using: loader.load) }
        await loader.begin()
        switch change {
        case 0: cache.insert(3, for: 1)
        case 1: cache.remove(1)
        case 2: cache.removeAll()
        case 3: cache.removeAll { key, _ in key == 2 }
        default: cache[1] = nil
        }
        loader.end(.success(7))
        #expect(try await task.value == 7, "the task that waited gets the loaded value")
        #expect(cache.peek(1) == (change == 0 ? 3 : nil))
        let next = Task { try await cache.load(1, using: loader.load) }
        loader.end(.success(8))
        #expect(try await next.value == (change == 0 ? 3 : 8))
    }

    @Test("the same holds when a thread loads")
    func changeMeanwhileOfThread() {
        let cache = cache()
        let value = cache.value(for: 1) {
            cache.insert(3, for: 1)
            return 7
        }
        #expect(value == 7)
        #expect(cache.peek(1) == 3)
        _ = cache.value(for: 2) {
            cache.remove(2)
            return 7
        }
        #expect(cache.peek(2) == nil)
    }

    // Failures.

    @Test("a failure is remembered for a time that doubles with each further failure, up to 32 times")
    func failures() async {
        let cache = cache { $0.failureTimeToLive = .seconds(1) }
        let calls = Counter()
        func load() async -> Failure? {
            do {
                _ = try await cache.load(1) { _ in
                    calls.increment()
                    throw Failure(number: calls.value)
                }
                return nil
            } catch {
                return error as? Failure
            }
        }
        for (index, seconds) in [1, 2, 4, 8, 16, 32, 32, 32].enumerated() {
            #expect(await load() == Failure(number: index + 1))
            clock.advance(by: .milliseconds(seconds * 1000 - 1))
            #expect(await load() == Failure(number: index + 1), "remembered for \(seconds) s")
            #expect(throws: Failure(number: index + 1)) {
                _ = try cache.value(for: 1) { () throws(Failure) in throw Failure(number: -1) }
            }
            clock.advance(by: .milliseconds(1))
        }
        #expect(calls.value == 8)
        #expect(cache.count == 0)
    }

    @Test("of more failures than it remembers, a cache forgets those that expire first")
    func manyFailures() async {
        let cache = cache { $0.failureTimeToLive = .seconds(60) }
        let calls = Counter()
        func loads(_ keys: some Sequence<Int>) async -> Int {
            let before = calls.value
            for key in keys {
                _ = try? await cache.load(key) { _ in
                    calls.increment()
                    throw Failure()
                }
                clock.advance(by: .milliseconds(1))
            }
            return calls.value - before
        }
        #expect(await loads(0..<1024) == 1024)
        #expect(await loads(1024..<1026) == 2)
        #expect(await loads(128..<1026) == 0)
        #expect(await loads(0..<128) == 128)
    }

    @Test(
        "without a configured time no failure is remembered, and a success or a manual change ends a remembered failure",
        arguments: 0..<4
    )
    func forgottenFailures(change: Int) async throws {
        let cache = cache { $0.failureTimeToLive = change == 0 ? nil : .seconds(60) }
        await #expect(throws: Failure.self) { try await cache.load(1) { _ in throw Failure() } }
        switch change {
        case 0: break
        case 1: cache.remove(1)
        case 2: cache.removeAll()
        default: #expect(try await cache.refresh(1) { _ in 6 } == 6)
        }
        #expect(try await cache.load(1) { _ in 7 } == (change == 3 ? 6 : 7))
    }

    // Refreshing.

    @Test("a refresh leaves the old value until it ends, or permanently if it fails", arguments: [true, false])
    func refresh(succeeds: Bool) async throws {
        let (cache, loader) = (cache(), Loader())
        cache.insert(1, for: 1)
        let task = Task { try await cache.refresh(1, using: loader.load) }
        await loader.begin()
        #expect(cache.value(for: 1) == 1)
        #expect(try await cache.load(1) { _ in 9 } == 1)
        let joining = Task { try await cache.refresh(1) { _ in 9 } }
        await until { cache.statistics.joinedLoads == 1 }
        loader.end(succeeds ? .success(2) : .failure(Failure()))
        let outcomes = [await task.result, await joining.result].map { try? $0.get() }
        #expect(outcomes == (succeeds ? [2, 2] : [nil, nil]))
        #expect(cache.peek(1) == (succeeds ? 2 : 1))
    }

    @Test("a refresh, also one in the background, keeps the value's priority unless it is given another")
    func refreshedPriority() async throws {
        let cache = cache { $0.refreshAfter = .seconds(1) }
        func releasable() -> Int { cache.releasableCost }
        cache.insert(1, for: 1, cost: 5, priority: .onScreen)
        _ = try await cache.refresh(1, cost: 5) { _ in 2 }
        #expect(cache.peek(1) == 2 && releasable() == 0)
        _ = try await cache.refresh(1, cost: 5) { _, _ in .value(3) }
        #expect(cache.peek(1) == 3 && releasable() == 0)
        clock.advance(by: .seconds(1))
        #expect(try await cache.load(1, cost: 5) { _ in 4 } == 3)
        await until { cache.peek(1) == 4 }
        #expect(releasable() == 0)
        _ = try await cache.refresh(1, cost: 5, priority: .offScreen) { _ in 5 }
        #expect(releasable() == 5)
        clock.advance(by: .seconds(1))
        #expect(try await cache.load(1, cost: 5, priority: .onScreen) { _ in 6 } == 5)
        await until { cache.peek(1) == 6 }
        #expect(releasable() == 5)
        _ = try await cache.refresh(2, cost: 7) { _ in 1 }
        #expect(releasable() == 12)
    }

    @Test("a joined refresh gives the value the highest priority that was asked for, or that of the present one")
    func joinedPriority() async throws {
        let cache = cache { $0.timeToLive = .seconds(10) }
        /// Joins a refresh of key 1 by another, and returns the releasable cost and the cost of prefetched values.
        func refreshTwice(
            _ first: CachePriority?,
            _ second: CachePriority?,
            expiring: Bool = false
        ) async throws -> (Int, Int) {
            let loader = Loader()
            let task = Task { try await cache.refresh(1, cost: 5, priority: first, using: loader.load) }
            await loader.begin()
            let joined = cache.statistics.joinedLoads
            let joining = Task { try await cache.refresh(1, cost: 5, priority: second) { _ in 9 } }
            await until { cache.statistics.joinedLoads > joined }
            if expiring { clock.advance(by: .seconds(11)) }
            loader.end(.success(2))
            _ = try await (task.value, joining.value)
            return cache.withCore { ($0.pointee.releasable.cost, $0.pointee.queues.prefetched.cost) }
        }
        cache.insert(1, for: 1, cost: 5, priority: .onScreen)
        #expect(try await refreshTwice(.prefetched, nil) == (5, 5))
        cache.insert(1, for: 1, cost: 5, priority: .onScreen)
        #expect(try await refreshTwice(nil, nil) == (0, 0))
        #expect(try await refreshTwice(nil, nil, expiring: true) == (0, 0), "it has expired meanwhile")
        cache.insert(1, for: 1, cost: 5, priority: .prefetched)
        #expect(try await refreshTwice(nil, .offScreen) == (5, 0))
        #expect(try await refreshTwice(.offScreen, .onScreen) == (0, 0))
    }

    @Test(
        "a value that is removed with all others during its load is not stored, whenever the load began",
        arguments: [false, true]
    )
    func loadDuringRemoveAll(isConfirmed: Bool) async throws {
        let gate = EventStream<Void>()
        let began = Locked<[Task<Int, any Error>]>([])
        let box = Locked<Cache?>(nil)
        let cache = cache {
            $0.onRemoval = { _ in
                guard began.withLock({ $0.isEmpty }), let cache = box.withLock({ $0 }) else { return }
                // The first 64 values have left, and this one not yet.
                let load = Task.immediate {
                    try await cache.refresh(200) { _, _ in
                        _ = await gate.next()
                        return isConfirmed ? .unchanged() : .value(777)
                    }
                }
                began.withLock { $0.append(load) }
            }
        }
        box.withLock { $0 = cache }
        for key in 0..<300 { cache.insert(key, for: key) }
        cache.removeAll()
        let load = try #require(began.withLock { $0.first })
        gate.send(())
        #expect(try await load.value == (isConfirmed ? 200 : 777))
        #expect(cache.peek(200) == nil)
        box.withLock { $0 = nil }
    }

    @Test("tasks that wait for loads of changed keys can be cancelled, and the loads end", arguments: [false, true])
    func cancelledAfterChanges(isRemovingAll: Bool) async throws {
        let (cache, loader) = (cache(), Loader())
        let leader = Task { try await cache.load(1, using: loader.load) }
        await loader.begin()
        let waiter = Task { try await cache.load(1) { _ in 9 } }
        await until { cache.statistics.joinedLoads == 1 }
        if isRemovingAll { cache.removeAll() } else { cache.insert(7, for: 1) }
        if isRemovingAll { #expect(try await cache.load(1) { _ in 8 } == 8) }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        loader.end(.success(2))
        #expect(try await leader.value == 2)
        #expect(cache.peek(1) == (isRemovingAll ? 8 : 7))
    }

    @Test("a stale value is returned while one load in the background renews it", arguments: [true, false])
    func stale(succeeds: Bool) async throws {
        let loader = Loader()
        let cache = cache {
            $0.refreshAfter = .seconds(1)
            $0.timeToLive = .seconds(10)
        }
        cache.insert(1, for: 1)
        clock.advance(by: .milliseconds(999))
        #expect(try await cache.load(1, using: loader.load) == 1)
        #expect(loader.calls.value == 0)
        clock.advance(by: .milliseconds(1))
        for _ in 0..<10 { #expect(try await cache.load(1, using: loader.load) == 1) }
        await loader.begin()
        #expect(loader.calls.value == 1)
        loader.end(succeeds ? .success(2) : .failure(Failure()))
        await until { cache.statistics.loads + cache.statistics.failedLoads == 1 }
        #expect(cache.peek(1) == (succeeds ? 2 : 1))
        clock.advance(by: .milliseconds(9_000))
        #expect(cache.peek(1) == (succeeds ? 2 : nil), "the old one's time is up")
    }

    // Limits.

    /// A cache under pressure, in which one load runs at a time.
    private func limitedCache() -> Cache {
        let limiter = LoadLimiter(limits: LoadLimits(atOnce: 1), clock: clock)
        let reclaimer = Reclaimer(loadLimiter: limiter)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) == 0)
        return reclaimer.use { Cache("K") }
    }

    @Test("after a warning the number of concurrent loads is limited")
    func limited() async throws {
        let cache = limitedCache()
        let (first, second) = (Loader(), Loader())
        let running = Task { try await cache.load(1, using: first.load) }
        await first.begin()
        let waiting = Task.immediate { try await cache.load(2, using: second.load) }
        let cancelled = Task.immediate { try await cache.load(3, using: second.load) }
        #expect(second.calls.value == 0)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(load(4, of: cache) == 5, "a thread does not wait")
        first.end(.success(1))
        #expect(try await running.value == 1)
        second.end(.success(2))
        #expect(try await waiting.value == 2)
        #expect(second.calls.value == 1)
    }

    @Test("loads inside another load do not wait for a permit", .timeLimit(.minutes(1)))
    func nested() async throws {
        let cache = limitedCache()
        let values = try await cache.load(1) { _ in
            async let child = cache.load(2) { _ in 2 }
            let task = Task { try await cache.load(3) { _ in try await cache.load(4) { _ in 3 } } }
            let many = try await cache.load([5, 6]) { keys in Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) }) }
            return try await child + task.value + many.count
        }
        #expect(values == 7)
        let reloadable = AsyncReloadable("R") { try await cache.load(7) { _ in 7 } }
        let blocked = Loader()
        let running = Task { try await cache.load(8, using: blocked.load) }
        await blocked.begin()
        #expect(try await reloadable.value() == 7)
        blocked.end(.success(8))
        #expect(try await running.value == 8)
    }

    @Test("a load that waits for a permit continues when a running load needs its value", .timeLimit(.minutes(1)))
    func needed() async throws {
        let cache = limitedCache()
        let begun = EventStream<Void>()
        let mayGoOn = EventStream<Void>()
        let outer = Task {
            try await cache.load(1) { _ in
                begun.send(())
                _ = await mayGoOn.next()
                return try await cache.load(2) { _ in 99 }
            }
        }
        _ = await begun.next()
        let waiting = Task.immediate { try await cache.load(2, priority: .prefetched) { _ in 2 } }
        mayGoOn.send(())
        #expect(try await outer.valueInTime == 2)
        #expect(try await waiting.valueInTime == 2)
    }

    @Test(
        "a prefetch that is joined on screen runs before other loads on screen, and its value stays like theirs"
    )
    func joinedOnScreen() async throws {
        let cache = limitedCache()
        let blocked = Loader()
        let order = SharedTrace()
        let running = Task { try await cache.load(0, using: blocked.load) }
        await blocked.begin()
        let ahead = Task.immediate {
            try await cache.load(1, priority: .prefetched) { _ in
                order.record("ahead")
                return 1
            }
        }
        let joining = Task.immediate { try await cache.load(1, priority: .onScreen) { _ in 99 } }
        let other = Task.immediate {
            try await cache.load(2, priority: .onScreen) { _ in
                order.record("other")
                return 2
            }
        }
        blocked.end(.success(0))
        #expect(try await (running.value, ahead.value, joining.value, other.value) == (0, 1, 1, 2))
        #expect(order.take() == ["ahead", "other"])
        cache.insert(3, for: 3, priority: .offScreen)
        cache.trim(toCost: 2)
        #expect([1, 2, 3].map(cache.contains) == [true, true, false])
    }

    @Test("a load reserves its cost from its beginning until it ends")
    func reserved() async throws {
        let (cache, loader) = (cache(limit: 10), Loader())
        for key in 0..<10 { cache.insert(key, for: key) }
        let task = Task { try await cache.load(99, cost: 4, using: loader.load) }
        await loader.begin()
        #expect((cache.totalCost, cache.statistics.reservedCost) == (6, 4))
        loader.end(.failure(Failure()))
        _ = await task.result
        #expect((cache.totalCost, cache.statistics.reservedCost) == (6, 0))
    }
}
