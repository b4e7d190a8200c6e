import Canaries
import ResourceCaches
import ResourceManager
import Synchronization

/// Counts the loads of each key.
private final class Loads: Sendable {
    private let counts: [Atomic<Int>.Box]

    init(keys: Int) {
        counts = (0..<keys).map { _ in Atomic<Int>.Box() }
    }

    func note(_ key: Int) -> Canary {
        Canary(key: key, number: counts[key].value.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    func count(_ key: Int) -> Int { counts[key].value.load(ordering: .relaxed) }
}

extension Atomic where Value == Int {
    fileprivate final class Box: Sendable {
        let value = Atomic<Int>(0)
    }
}

/// Threads that miss the same key wait for one load.
func loadOnThreads(_ seconds: Double) {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        let keys = 200
        let (cache, loads) = (ResourceCache<Int, Canary>("loads"), Loads(keys: keys))
        let threads = (0..<4).map { place in
            SystemThread {
                var chance = Chance(place)
                for _ in 0..<2000 {
                    let key = chance.below(keys)
                    cache.value(for: key, orLoad: { loads.note(key) }).check(key)
                }
            }
        }
        for thread in threads { thread.join() }
        for key in 0..<keys {
            expect(loads.count(key) <= 1, "key \(key) was loaded \(loads.count(key)) times, and nothing has left")
        }
    }
}

/// Tasks that load, refresh, cancel loads and remove values, beside threads.
func loadInTasks(_ seconds: Double) async {
    let keys = 300
    let end = ContinuousClock.now + .seconds(seconds)
    let cache = ResourceCache<Int, Canary>("loads", limit: 200)
    let loads = Loads(keys: keys)
    let thread = SystemThread {
        var chance = Chance(99)
        while ContinuousClock.now < end {
            let key = chance.below(keys)
            cache.value(for: key, orLoad: { loads.note(key) }).check(key)
            let other = chance.below(keys)
            cache.remove(other)?.check(other)
        }
    }
    await withDiscardingTaskGroup { group in
        for place in 0..<6 {
            group.addTask {
                var chance = Chance(place)
                while ContinuousClock.now < end { await loadSome(cache, loads, keys, &chance) }
            }
        }
    }
    thread.join()
    expect(cache.totalCost <= 200, "the cache holds \(cache.totalCost) with a limit of 200")
}

private func loadSome(
    _ cache: ResourceCache<Int, Canary>,
    _ loads: Loads,
    _ keys: Int,
    _ chance: inout Chance
) async {
    let key = chance.below(keys)
    do {
        switch chance.below(20) {
        case 0..<8:
            try await cache.load(key) { key in
                await Task.yield()
                return loads.note(key)
            }.check(key)
        case 8..<13:
            let isKept = chance.below(2) == 0
            let lifetime = Duration.milliseconds(chance.below(4))
            let renew: @Sendable (Int, Canary?) async throws -> ResourceCache<Int, Canary>.Loaded = { key, old in
                old?.check(key)
                await Task.yield()
                if isKept, old != nil { return .unchanged(timeToLive: lifetime) }
                return .value(loads.note(key), timeToLive: lifetime)
            }
            if chance.below(2) == 0 {
                try await cache.load(key, renewing: renew).check(key)
            } else {
                try await cache.refresh(key, renewing: renew).check(key)
            }
        case 13:
            try await cache.refresh(key) { loads.note($0) }.check(key)
        case 14..<16:
            let wanted = [key, (key + 1) % keys, (key + 7) % keys]
            let values = try await cache.load(wanted) { missing in
                await Task.yield()
                return Dictionary(uniqueKeysWithValues: missing.map { ($0, loads.note($0)) })
            }
            for key in wanted { values[key]?.check(key) }
        case 16..<18:
            let task = Task {
                try await cache.load(key) { key in
                    await Task.yield()
                    try Task.checkCancellation()
                    return loads.note(key)
                }
            }
            task.cancel()
            if let value = try? await task.value { value.check(key) }
        case 18:
            cache.remove(key)?.check(key)
        default:
            cache.removeAll()
        }
    } catch {
        // The task of the load that this one joined was cancelled.
        expect(error is CancellationError, "a load failed with \(error)")
    }
}

/// Warnings while caches are in use and their values are held.
func warnings(_ seconds: Double) {
    let keys = 20_000
    let (objects, blocks) = (ResourceCache<Int, Canary>("objects"), ResourceCache<Int, Block>("blocks", limit: 8000))
    let reporter = SystemThread {
        let host = ControllerHost("hammer")
        var chance = Chance(1)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            _ = host.simulateMemoryWarning(chance.below(3) == 0 ? .critical : .warning)
            _ = host.releasableBytes
        }
    }
    onThreads(4, for: seconds) { place, chance in
        let key = chance.below(keys)
        // Held while other values leave, so that the cache keeps weak references.
        let held = objects.value(for: key)
        blocks.value(for: key)?.check(key)
        for _ in 0..<4 {
            let other = chance.below(keys)
            objects.insert(Canary(key: other, number: place), for: other)
            blocks.insert(Block(key: other, number: place), for: other, cost: 2)
        }
        _ = (objects.contains(key), objects.peek(key)?.check(key))
        held?.check(key)
    }
    reporter.join()
    objects.removeAll()
    blocks.removeAll()
    expect(objects.count == 0 && objects.totalCost == 0, "\(objects.count) objects are left of all that were removed")
    expect(blocks.count == 0 && blocks.totalCost == 0, "\(blocks.count) blocks are left of all that were removed")
}
