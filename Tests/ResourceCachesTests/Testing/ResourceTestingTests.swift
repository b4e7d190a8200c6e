import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

/// A service that makes its caches itself, so that a test cannot pass them in.
private final class Service: Sendable {
    let pages = ResourceCache<Int, Int>("pages")
    let index = Reloadable("index", cost: { _ in 10 }, load: { 7 })

    init() {
        for key in 0..<100 { pages.insert(key, for: key, cost: 1) }
        _ = index.value()
    }
}

/// A global cache, as in many services.
///
/// It is first used outside of any scope.
private let globalCache = {
    let cache = ResourceCache<Int, Int>("global")
    for key in 0..<100 { cache.insert(key, for: key, cost: 1) }
    return cache
}()

@Suite(.timeLimit(.minutes(1)))
struct ResourceTestingTests {
    @Test("a simulated warning reaches everything made in the scope, also in child tasks, and nothing else")
    func belongs() async {
        let outside = Service()
        await ResourceTesting.scope { scope in
            let inside = Service()
            async let child = Service()
            let task = await Task { Service() }.value
            let detached = await Task.detached { Service() }.value
            let services = await [inside, child, task]
            #expect(await scope.simulateMemoryWarning() == 3 * 60)
            #expect(services.map(\.pages.count) == [50, 50, 50])
            #expect(services.map(\.index.isLoaded) == [false, false, false])
            #expect((detached.pages.count, outside.pages.count) == (100, 100))
        }
        #expect(outside.index.isLoaded)
    }

    @Test("a synchronous test has a scope as well, with its results and errors")
    func synchronous() throws {
        struct Failure: Error {}
        let count = ResourceTesting.scope { scope in
            let service = Service()
            #expect(scope.simulateMemoryWarning(.critical, bytesWanted: 105) == 105)
            return service.pages.count
        }
        #expect(count == 5)
        #expect(throws: Failure.self) { try ResourceTesting.scope { _ in throw Failure() } }
    }

    @Test("scopes may be nested, and each has its own")
    func nested() {
        ResourceTesting.scope { outer in
            let service = Service()
            ResourceTesting.scope { inner in
                let other = Service()
                inner.simulateMemoryWarning()
                #expect((service.pages.count, other.pages.count) == (100, 50))
            }
            #expect(outer.simulateMemoryWarning() == 60)
        }
    }

    // Runs in its own process, in which no other test runs.
    @Test("tests that simulate warnings in parallel do not disturb one that uses global caches, or each other")
    func parallel() async {
        await #expect(processExitsWith: .success) {
            #expect(globalCache.count == 100)
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<100 {
                            await ResourceTesting.scope { scope in
                                let service = Service()
                                #expect(await scope.simulateMemoryWarning(.critical) == 100)
                                #expect(service.pages.count == 10)
                            }
                        }
                    }
                    group.addTask {
                        for key in 0..<10_000 {
                            #expect(globalCache.value(for: key % 100) == key % 100)
                            await Task.yield()
                        }
                    }
                }
            }
            #expect(globalCache.statistics.pressureRemovals == 0)
            #expect(!LoadLimiter.shared.isActive)
            #expect(Reclaimer.shared.reclaim(for: ReclaimRequest(level: .warning)) == 50)
        }
    }

    @Test("times to live follow the scope's clock, except in a cache with its own clock")
    func timeToLive() {
        ResourceTesting.scope { scope in
            var options = ResourceCache<Int, Int>.Options()
            options.timeToLive = .seconds(60)
            let cache = ResourceCache<Int, Int>("K", options: options)
            options.useClock(ContinuousClock())
            let other = ResourceCache<Int, Int>("L", options: options)
            cache.insert(1, for: 1)
            other.insert(1, for: 1)
            scope.advance(by: .seconds(59))
            #expect(cache.peek(1) == 1)
            scope.advance(by: .seconds(1))
            #expect(cache.peek(1) == nil)
            #expect(other.peek(1) == 1)
        }
    }

    @Test("after a warning a background load needs no advance of the clock")
    func backgroundLoad() async throws {
        try await ResourceTesting.scope { scope in
            var options = ResourceCache<Int, Int>.Options()
            options.refreshAfter = .seconds(1)
            let cache = ResourceCache<Int, Int>("K", options: options)
            for key in 0..<4 { cache.insert(key, for: key) }
            scope.advance(by: .seconds(2))
            await scope.simulateMemoryWarning()
            for key in 0..<4 {
                _ = try await cache.load(key) { _ in 5 }
                #expect(try await cache.refresh(key) { _ in 5 } == 5)
            }
        }
    }

    @Test("after a warning caches grow again as the test advances the clock")
    func recovery() {
        ResourceTesting.scope { scope in
            let cache = ResourceCache<Int, Int>("K", limit: 1 << 30)
            func fill() { for key in 0..<100 { cache.insert(key, for: key, cost: 1 << 20) } }
            fill()
            scope.simulateMemoryWarning()
            fill()
            #expect(cache.totalCost == 50 << 20)
            scope.advance(by: .seconds(9))
            fill()
            #expect(cache.totalCost == 100 << 20)
        }
    }

    @Test("a scope has its own load limits, by its clock, and waiting loads run at its end")
    func loads() async throws {
        let limits = LoadLimits.process
        let (first, second) = (EventStream<Void>(), EventStream<Void>())
        let (running, waiting, cache) = ResourceTesting.scope { scope in
            LoadLimits.process = LoadLimits(atOnce: 1)
            let cache = ResourceCache<Int, Int>("K")
            scope.simulateMemoryWarning()
            let running = Task.immediate {
                try await cache.load(1) { _ in
                    _ = await first.next()
                    return 1
                }
            }
            let waiting = Task.immediate {
                try await cache.load(2) { _ in
                    second.send(())
                    return 2
                }
            }
            #expect(cache.statistics.loads == 0)
            scope.advance(by: .seconds(19))
            #expect(Reclaimer.current.loadLimiter.isActive)
            return (running, waiting, cache)
        }
        #expect(try await waiting.value == 2)
        first.send(())
        #expect(try await running.value == 1)
        #expect(cache.statistics.loads == 2)
        #expect(LoadLimits.process == limits)
    }

    @Test("objects that outlive a scope recover, belong to the surrounding scope, and their clock runs again by itself")
    func outlives() {
        ResourceTesting.scope { outer in
            var cache: ResourceCache<Int, Int>?
            ResourceTesting.scope { inner in
                cache = ResourceCache<Int, Int>("K", limit: 1 << 30)
                cache?.insert(1, for: 1, cost: 100 << 20)
                inner.simulateMemoryWarning(.critical)
            }
            cache?.insert(1, for: 1, cost: 100 << 20)
            #expect(cache?.totalCost == 100 << 20)
            #expect(outer.simulateMemoryWarning(bytesWanted: 1) == 100 << 20)
        }
        let clock = ManualClock()
        clock.run()
        let start = clock.now
        while clock.now == start {}
    }

    @Test("objects that a remaining task makes in an ended scope belong to the surrounding scope")
    func straggler() async {
        await ResourceTesting.scope { outer in
            let hasEnded = EventStream<Void>()
            let straggler = ResourceTesting.scope { _ in
                Task {
                    _ = await hasEnded.next()
                    return Service()
                }
            }
            hasEnded.send(())
            let service = await straggler.value
            #expect(await outer.simulateMemoryWarning() == 60)
            #expect(service.pages.count == 50)
        }
    }

    @Test("a warning that suspends waits for an actor that a test makes in a scope")
    func actors() async {
        actor Pages: AsyncReclaimable {
            nonisolated var reclaimableBytes: Int { 100 }
            init() { registerForMemoryWarnings() }
            func reclaim(_ bytes: Int) -> Int { bytes }
        }
        await ResourceTesting.scope { scope in
            let pages = Pages()
            #expect(await scope.simulateMemoryWarning() == 50)
            withExtendedLifetime(pages) {}
        }
    }

    @Test("a cache whose scope ends while a warning runs in it grows again")
    func leftDuringWarning() {
        final class Gate: Reclaimable {
            let (isIn, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            var reclaimableBytes: Int { 1 }

            func reclaim(_ bytes: Int) -> Int {
                isIn.signal()
                mayGoOn.wait()
                return 0
            }
        }
        let (thread, clock) = (WorkThread(), ManualClock())
        let (cache, gate) = ResourceTesting.scope { scope in
            let gate = Gate()
            gate.registerForMemoryWarnings()
            var options = ResourceCache<Int, Int>.Options()
            options.useClock(clock)
            let cache = ResourceCache<Int, Int>("pages", options: options)
            for key in 0..<100 { cache.insert(key, for: key, cost: 1 << 20) }
            thread.perform { scope.simulateMemoryWarning(.critical) }
            gate.isIn.wait()
            return (cache, gate)
        }
        let hasEnded = DispatchSemaphore(value: 0)
        gate.mayGoOn.signal()
        thread.perform { hasEnded.signal() }
        hasEnded.wait()
        #expect(cache.count == 10)
        clock.advance(by: .seconds(60))
        for key in 0..<100 { cache.insert(key, for: key, cost: 1 << 20) }
        #expect(cache.count == 100)
    }
}
