import TestSupport
import Testing

@testable import ResourceCaches

/// Loaders that request the value that they are loading.
@Suite(.ownCaches, .timeLimit(.minutes(1)))
struct CacheCircleTests {
    private typealias Cache = ResourceCache<Int, Int>

    private let clock = ManualClock()

    private func cache(_ change: (inout Cache.Options) -> Void = { _ in }) -> Cache {
        var options = Cache.Options()
        options.useClock(clock)
        change(&options)
        return Cache("K", options: options)
    }

    /// The place in a loader from which it requests a value.
    enum Place: CaseIterable {
        case itself, asyncLet, group, discardingGroup, nestedGroup, task, immediateTask, actor
    }

    /// The call by which it requests the value.
    enum Form: CaseIterable {
        case load, renewal, refresh, many, manyRenewals
    }

    private actor Somewhere {
        func run(_ body: @Sendable () async throws -> Void) async throws { try await body() }
    }

    /// Whether a load of the key is refused as a circle.
    private static func isRefused(_ key: Int, _ form: Form, _ cache: Cache) async throws {
        await #expect(throws: CacheLoadError.circular) {
            switch form {
            case .load: _ = try await cache.load(key) { _ in 99 }
            case .renewal: _ = try await cache.load(key) { _, _ in .value(99) }
            case .refresh: _ = try await cache.refresh(key) { _ in 99 }
            case .many: _ = try await cache.load([key]) { _ in [:] }
            case .manyRenewals: _ = try await cache.load([key]) { _, _ in [:] }
            }
        }
    }

    private static func ask(from place: Place, _ body: @escaping @Sendable () async throws -> Void) async throws {
        switch place {
        case .itself: try await body()
        case .asyncLet:
            async let child: Void = body()
            try await child
        case .group:
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask(operation: body) }
                try await group.waitForAll()
            }
        case .discardingGroup: try await withThrowingDiscardingTaskGroup { $0.addTask(operation: body) }
        case .nestedGroup:
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await ask(from: .group, body) }
                try await group.waitForAll()
            }
        case .task: try await Task { try await body() }.valueInTime
        case .immediateTask: try await Task.immediate { try await body() }.valueInTime
        case .actor: try await Somewhere().run(body)
        }
    }

    @Test(
        "a loader that requests its own key gets an error, from any place and by any call",
        arguments: Place.allCases,
        Form.allCases
    )
    func circle(place: Place, form: Form) async throws {
        let cache = cache()
        let value = try await cache.load(1) { key in
            try await Self.ask(from: place) { try await Self.isRefused(key, form, cache) }
            return 7
        }
        #expect(value == 7)
        let values = try await cache.load([2, 3]) { keys in
            for key in keys { try await Self.ask(from: place) { try await Self.isRefused(key, form, cache) } }
            return [2: 2, 3: 3]
        }
        #expect(values == [2: 2, 3: 3])
        let refreshed = try await cache.refresh(4) { key, _ in
            try await Self.ask(from: place) { try await Self.isRefused(key, form, cache) }
            return .value(4)
        }
        #expect(refreshed == 4)
        #expect(cache.statistics.joinedLoads == 0)
    }

    @Test("a circle through the loader of another key is detected too", arguments: Place.allCases)
    func overAnother(place: Place) async throws {
        let cache = cache()
        let value = try await cache.load(1) { _ in
            try await cache.load(2) { _ in
                try await Self.ask(from: place) { try await Self.isRefused(1, .load, cache) }
                return try await cache.load([3]) { _ in
                    try await Self.ask(from: place) { try await Self.isRefused(2, .many, cache) }
                    return [3: 5]
                }[3] ?? 0
            }
        }
        #expect(value == 5)
    }

    @Test("a loader that renews a value gets the old one from a load, and a refresh by it is a circle")
    func refreshing() async throws {
        let cache = cache { $0.refreshAfter = .seconds(1) }
        cache.insert(1, for: 1)
        let value = try await cache.refresh(1) { key in
            try await Self.isRefused(key, .refresh, cache)
            return try await cache.load(key) { _ in 99 } + 1
        }
        #expect(value == 2)
        clock.advance(by: .seconds(1))
        let stale = try await cache.load(1) { key in
            try await Self.isRefused(key, .refresh, cache)
            return try await cache.load(key) { _ in 99 } + 1
        }
        #expect(stale == 2)
        await until { cache.statistics.loads == 2 }
        #expect(cache.peek(1) == 3)
    }

    @Test("after a load has ended, a task that its loader made may load the key again")
    func afterwards() async throws {
        let cache = cache()
        let mayGoOn = EventStream<Void>()
        let late = Locked<Task<Int, any Error>?>(nil)
        _ = try await cache.load(1) { key in
            let task = Task {
                _ = await mayGoOn.next()
                return try await cache.refresh(key) { _ in 8 }
            }
            late.withLock { $0 = task }
            return 7
        }
        mayGoOn.send(())
        #expect(try await late.withLock { $0 }?.valueInTime == 8)
    }

    @Test("a detached task is not recognised as part of a loader: it waits for the load, or until it is cancelled")
    func detached() async throws {
        let cache = cache()
        let outside = Locked<Task<Int, any Error>?>(nil)
        let value = try await cache.load(1) { key in
            let waiting = Task.detached { try await cache.load(key) { _ in 99 } }
            let cancelled = Task.detached { try await cache.load(key) { _ in 99 } }
            await until { cache.statistics.joinedLoads == 2 }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            outside.withLock { $0 = waiting }
            return 7
        }
        #expect(value == 7)
        #expect(try await outside.withLock { $0 }?.valueInTime == 7)
    }

    @Test("the loader of a task that requests its own key in the blocking form makes a separate value")
    func blocking() async throws {
        let cache = cache()
        let value = try await cache.load(1) { key in Self.block(key, cache) + 1 }
        #expect(value == 6)
        #expect(cache.peek(1) == 6)
        #expect(cache.statistics.loads == 2)
    }

    private static func block(_ key: Int, _ cache: Cache) -> Int {
        cache.value(for: key) { 5 }
    }

    @Test("a task that the loader of a thread makes gets an error for that loader's key")
    func taskOfThread() {
        let cache = cache()
        let outcome = ThreadGate<CacheLoadError?>()
        onThreads(1) { _ in
            _ = cache.value(for: 1) {
                let inner = ThreadGate<CacheLoadError?>()
                Task {
                    do throws {
                        _ = try await cache.load(1) { _ in 99 }
                        inner.open(with: nil)
                    } catch {
                        inner.open(with: error as? CacheLoadError)
                    }
                }
                outcome.open(with: inner.wait())
                return 7
            }
        }
        #expect(outcome.wait() == .circular)
        #expect(cache.peek(1) == 7)
    }
}
