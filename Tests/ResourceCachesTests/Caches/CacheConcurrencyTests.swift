import CLinux
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct CacheConcurrencyTests {
    /// Notes which values live, in memory that outlives them.
    private final class Registry: Sendable {
        // The memory that it points to is atomic, and lives as long as the registry.
        private nonisolated(unsafe) let lives: UnsafeMutablePointer<Atomic<UInt8>>
        private let capacity: Int
        private let next = Atomic(0)
        private let ended = Atomic(0)
        /// Reads of ended values, and second ends of values.
        let violations = Counter()

        init(capacity: Int) {
            self.capacity = capacity
            lives = .allocate(capacity: capacity)
            for number in 0..<capacity { (lives + number).initialize(to: Atomic(0)) }
        }

        deinit {
            lives.deallocate()
        }

        /// The number of living values.
        var living: Int { next.load(ordering: .sequentiallyConsistent) - ended.load(ordering: .sequentiallyConsistent) }

        func begin() -> Int {
            let number = next.add(1, ordering: .relaxed).oldValue
            precondition(number < capacity, "room for \(capacity) values")
            lives[number].store(1, ordering: .relaxed)
            return number
        }

        func end(_ number: Int) {
            if lives[number].exchange(2, ordering: .relaxed) != 1 { violations.increment() }
            ended.add(1, ordering: .sequentiallyConsistent)
        }

        func check(_ number: Int) {
            if lives[number].load(ordering: .relaxed) != 1 { violations.increment() }
        }
    }

    private final class Value: Sendable {
        let key: Int
        private let number: Int
        private let registry: Registry

        init(_ key: Int, in registry: Registry) {
            self.key = key
            self.registry = registry
            number = registry.begin()
        }

        deinit {
            registry.end(number)
        }

        func check(_ key: Int) {
            if key != self.key { registry.violations.increment() }
            registry.check(number)
        }
    }

    private typealias Cache = ResourceCache<Int, Value>

    private static let steps = isUnderThreadSanitizer ? 3_000 : 20_000
    private let reclaimer = Reclaimer.current

    @Test(
        "values are destroyed once and never during a read, whatever threads do, and the counts are right afterwards",
        arguments: [2, 4, 8],
        [nil, 300]
    )
    func stress(threads: Int, limit: Int?) {
        let steps = Self.steps / threads * 2
        let registry = Registry(capacity: threads * steps * 2)
        do {
            let cache = Cache("K", limit: limit)
            onThreads(threads) { [reclaimer] thread in
                var generator = SeededGenerator(seed: UInt64(thread))
                for _ in 0..<steps { step(cache, registry, reclaimer, &generator) }
            }
            let statistics = cache.statistics
            #expect(statistics.cost == statistics.count, "each costs 1")
            #expect(statistics.cost <= limit ?? .max)
            #expect(statistics.pinnedCost == 0 && statistics.reservedCost == 0)
            #expect((0..<1000).filter { cache.peek($0) != nil }.count == statistics.count)
            for key in 0..<1000 { cache.setPriority(.offScreen, for: key) }
            cache.trim(toCost: 0)
            #expect(cache.count == 0)
            #expect(registry.living == 0)
        }
        #expect(registry.violations.value == 0)
    }

    @Test("reads always find an object in use, also at the instant in which it leaves at a warning or is put back")
    func readsInsideWarnings() {
        let registry = Registry(capacity: 1)
        let cache = Cache("K")
        let held = Value(0, in: registry)
        cache.insert(held, for: 0)
        let isOver = Atomic(false)
        let absences = Counter()
        onThreads(4) { [reclaimer] thread in
            if thread == 0 {
                for _ in 0..<Self.steps / 4 { _ = reclaimer.reclaim(for: ReclaimRequest(level: .critical)) }
                isOver.store(true, ordering: .relaxed)
            }
            while !isOver.load(ordering: .relaxed) {
                if cache.peek(0) == nil { absences.increment() }
                if !cache.contains(0) { absences.increment() }
                if cache.value(for: 0) == nil { absences.increment() }
            }
        }
        #expect(absences.value == 0)
        #expect(cache.peek(0) === held)
    }

    @Test("a destroyed cache destroys its values")
    func end() {
        let registry = Registry(capacity: 2_000)
        do {
            let cache = Cache("K", limit: 90)
            for key in 0..<1000 { cache.insert(Value(key, in: registry), for: key) }
            #expect(registry.living == 90)
        }
        #expect(registry.living == 0)
        #expect(registry.violations.value == 0)
    }

    @Test("a reader keeps only the value that it uses")
    func reader() {
        let registry = Registry(capacity: 2_000)
        let (cache, other) = (Cache("K", limit: 10), Cache("L"))
        for key in 0..<3 {
            cache.insert(Value(key, in: registry), for: key)
            other.insert(Value(key, in: registry), for: key)
        }
        let (inside, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = NewThread {
            cache.withValue(for: 0) { value in
                inside.signal()
                leave.wait()
                value.check(0)
            }
        }
        inside.wait()
        other.remove(1)
        #expect(registry.living == 5)
        other.removeAll()
        #expect(registry.living == 3)
        for key in 3..<1000 { cache.insert(Value(key, in: registry), for: key) }
        #expect(registry.living == 10 + (cache.contains(0) ? 0 : 1), "ten in the cache, and what the reader uses")
        cache.removeAll()
        #expect(registry.living == 1)
        leave.signal()
        thread.join()
        #expect(registry.living == 0)
        #expect(registry.violations.value == 0)
    }

    @Test("a reading closure may change the cache, and its value stays until the closure returns")
    func nesting() {
        let registry = Registry(capacity: 100)
        let cache = Cache("K", limit: 2)
        cache.insert(Value(1, in: registry), for: 1)
        cache.insert(Value(2, in: registry), for: 2)
        let outcome = cache.withValue(for: 1) { first in
            cache.withValue(for: 2) { second in
                cache.removeAll()
                for key in 3..<40 { cache.insert(Value(key, in: registry), for: key) }
                cache.trim(toCost: 0)
                first.check(1)
                second.check(2)
                return registry.living
            }
        }
        #expect(outcome == .some(2))
        #expect(registry.living == 0)
        #expect(registry.violations.value == 0)
    }

    @Test(
        "while a value is replaced, readers find the old or the new value, and never the old one after the new one"
    )
    func replacement() {
        let cache = ResourceCache<Int, Int>("K")
        for key in 0..<8 { cache.insert(0, for: key) }
        let isOver = Atomic(false)
        let (gaps, steps) = (Counter(), Counter())
        onThreads(3) { thread in
            if thread == 0 {
                for value in 1...(Self.steps * 5) { cache.insert(value, for: value % 8) }
                return isOver.store(true, ordering: .releasing)
            }
            var last = [Int](repeating: 0, count: 8)
            while !isOver.load(ordering: .acquiring) {
                for key in 0..<8 {
                    guard let value = cache.value(for: key) else {
                        gaps.increment()
                        continue
                    }
                    if value < last[key] || value % 8 != key && value != 0 { steps.increment() }
                    last[key] = value
                }
            }
        }
        #expect(gaps.value == 0)
        #expect(steps.value == 0)
    }

    @Test("hits and misses are counted exactly, even by more threads than there are counters")
    func counting() {
        let cache = ResourceCache<Int, Int>("K")
        cache.insert(1, for: 1)
        let barrier = Barrier(80)
        onThreads(80) { thread in
            _ = cache.value(for: 1)
            // All threads have a number of their own at the same time.
            barrier.wait()
            for _ in 0..<500 {
                _ = cache.value(for: 1)
                _ = cache.value(for: 2)
            }
        }
        let statistics = cache.statistics
        #expect((statistics.hits, statistics.misses) == (80 * 501, 80 * 500))
    }

    @Test("threads start and end without leaving anything behind")
    func threadsThatEnd() {
        let registry = Registry(capacity: 10_000)
        let cache = Cache("K", limit: 10)
        for round in 0..<50 {
            onThreads(4) { thread in
                for key in 0..<20 {
                    cache.insert(Value(key, in: registry), for: key)
                    cache.withValue(for: (key + thread) % 20) { $0.check((key + thread) % 20) }
                }
                if round % 10 == 0 { cache.removeAll() }
            }
        }
        cache.trim(toCost: 0)
        #expect(registry.living == 0)
        #expect(registry.violations.value == 0)
    }

    private func step(_ cache: Cache, _ registry: Registry, _ reclaimer: Reclaimer, _ generator: inout SeededGenerator)
    {
        let key = Int.random(in: 0..<1000, using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<25: cache.insert(Value(key, in: registry), for: key)
        case 25..<50: cache.withValue(for: key) { $0.check(key) }
        case 50..<70: cache.value(for: key)?.check(key)
        case 70..<75: cache.peek(key)?.check(key)
        case 75..<80:
            cache.withValue(for: key) { value in
                cache.withValue(for: key / 2) { $0.check(key / 2) }
                if key % 3 == 0 { cache.remove(key) }
                if key % 7 == 0 { cache.insert(Value(key, in: registry), for: key) }
                value.check(key)
            }
        case 80..<88: cache.remove(key)?.check(key)
        case 88..<92: cache.value(for: key) { Value(key, in: registry) }.check(key)
        case 92..<94: _ = cache.trim(toCost: 200)
        case 94: if key < 200 { cache.removeAll() }
        case 95: if key < 300 { _ = reclaimer.reclaim(for: ReclaimRequest(level: .warning)) }
        case 96: reclaimer.pressureDidEnd()
        case 97: cache.setPriority(CachePriority.allCases[key % 3], for: key)
        case 98: if let pin = cache.pin(key, owner: "o") { pin.value.check(key) }
        default: _ = cache.reserve(cost: key % 5)
        }
    }
}
