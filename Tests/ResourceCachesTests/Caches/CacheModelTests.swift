import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct CacheModelTests {
    /// Fewer seeds under the thread sanitizer, where everything takes ten times as long.
    private static let seeds: Range<UInt64> = 0..<(isUnderThreadSanitizer ? 20 : 400)

    @Test(
        "after any sequence of calls, a cache has the last stored values, respects limits and counts, and reports removals"
    )
    func randomCalls() {
        for seed in Self.seeds {
            let subject = CacheSubject(seed: seed)
            defer { subject.end() }
            for step in 0..<150 {
                subject.step()
                guard subject.problems.isEmpty else {
                    Issue.record("seed \(seed), step \(step): \(subject.problems)")
                    return
                }
            }
        }
    }

    // Without a handler, a cache has a shorter path for stores that change only the value.
    @Test("the same calls have the same effect on a cache with a removal handler and on one without")
    func withAndWithoutHandler() {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let clock = ManualClock()
            var options = ResourceCache<Int, Int>.Options()
            options.useClock(clock)
            let silent = ResourceCache<Int, Int>("silent", options: options)
            options.onRemoval = { _ in }
            let heard = ResourceCache<Int, Int>("heard", options: options)
            for step in 0..<100 {
                let call = RandomCall(using: &generator)
                if call.kind == .wait { clock.advance(by: .seconds(1)) }
                call.perform(on: silent, value: step)
                call.perform(on: heard, value: step)
                let (found, wanted) = (Contents(of: silent), Contents(of: heard))
                guard found == wanted else {
                    Issue.record("seed \(seed), step \(step), \(call): \(found) and not \(wanted)")
                    return
                }
            }
        }
    }

    private struct RandomCall {
        enum Kind: CaseIterable {
            case store, storeAgain, storeOnceMore, read, remove, setPriority, pin, trim, limit, wait
        }

        let kind: Kind
        private let key: Int
        private let cost: Int?
        private let priority: CachePriority?
        private let timeToLive: Duration?

        init(using generator: inout SeededGenerator) {
            func isOne(of number: Int) -> Bool { Int.random(in: 0..<number, using: &generator) == 0 }
            kind = Kind.allCases[Int.random(in: 0..<Kind.allCases.count, using: &generator)]
            key = Int.random(in: 0..<6, using: &generator)
            cost = isOne(of: 6) ? Int.random(in: 0..<4, using: &generator) : nil
            priority = isOne(of: 6) ? CachePriority.allCases[Int.random(in: 0..<3, using: &generator)] : nil
            timeToLive = isOne(of: 40) ? .seconds(5) : nil
        }

        func perform(on cache: ResourceCache<Int, Int>, value: Int) {
            switch kind {
            case .store, .storeAgain, .storeOnceMore:
                cache.insert(value, for: key, cost: cost, priority: priority, timeToLive: timeToLive)
            case .read: _ = cache.value(for: key)
            case .remove: cache.remove(key)
            case .setPriority: cache.setPriority(priority ?? .offScreen, for: key)
            case .pin:
                let pin = cache.pin(key, owner: "test")
                cache.insert(value, for: key, cost: cost)
                withExtendedLifetime(pin) {}
            case .trim: cache.trim(toCost: cache.totalCost - 2)
            case .limit: cache.limit = cache.limit == nil ? 8 : nil
            case .wait: break
            }
        }
    }

    private struct Contents: Equatable {
        let values: [Int: Int]
        let hottest: [Int]
        let cost: Int
        let replacements: Int

        init(of cache: ResourceCache<Int, Int>) {
            values = (0..<6).reduce(into: [:]) { $0[$1] = cache.peek($1) }
            hottest = cache.hottest()
            cost = cache.totalCost
            replacements = cache.statistics.replacements
        }
    }

    @Test("after pressure a cache grows back slowly, and in the end to its limit")
    func recovery() {
        let clock = ManualClock()
        let reclaimer = Reclaimer.current
        var options = ResourceCache<Int, Int>.Options()
        options.useClock(clock)
        let cache = ResourceCache<Int, Int>("K", limit: 1000 << 20, options: options)
        func fill() -> Int {
            for key in 0..<2000 { cache.insert(key, for: key, cost: 1 << 20) }
            return cache.totalCost >> 20
        }
        func reclaim(_ level: PressureLevel) -> UInt64 { reclaimer.reclaim(for: ReclaimRequest(level: level)) >> 20 }
        #expect(fill() == 1000)
        #expect(reclaim(.warning) == 500)
        #expect(fill() == 500)
        clock.advance(by: .milliseconds(60_000))
        #expect(fill() == 500, "no host has said that it is over")
        reclaimer.pressureDidEnd()
        clock.advance(by: .milliseconds(2_000))
        #expect(fill() == 500)
        clock.advance(by: .milliseconds(4_000))
        #expect(fill() == 800, "4 s of 7.5 % each")
        #expect(reclaim(.critical) == 720)
        #expect(fill() == 80)
        reclaimer.pressureDidEnd()
        clock.advance(by: .milliseconds(2_000 + 14_000))
        #expect(fill() == 1000)
    }

    @Test("values on screen stay at a warning, and after it")
    func onScreenUnderPressure() {
        let reclaimer = Reclaimer.current
        let cache = ResourceCache<Int, Int>("K", limit: 100 << 20)
        for key in 0..<60 { cache.insert(key, for: key, cost: 1 << 20, priority: .onScreen) }
        for key in 60..<100 { cache.insert(key, for: key, cost: 1 << 20) }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) == 40 << 20)
        cache.insert(100, for: 100, cost: 1 << 20)
        #expect(cache.count == 60)
        #expect((0..<60).allSatisfy { cache.contains($0) })
        for key in 200..<300 { cache.insert(key, for: key, cost: 1 << 20, priority: .onScreen) }
        #expect(cache.count == 100, "for the limit it leaves all the same")
    }

    @Test("a value that was refused beside a pinned one is stored once the pin has expired")
    func forgottenPin() {
        let clock = ManualClock()
        var options = ResourceCache<Int, Int>.Options()
        options.useClock(clock)
        let cache = ResourceCache<Int, Int>("K", limit: 10, options: options)
        cache.insert(1, for: 1, cost: 8)
        let pin = cache.pin(1, owner: "forgotten", for: .seconds(1))
        cache.insert(2, for: 2, cost: 5)
        #expect(cache.contains(1) && !cache.contains(2))
        clock.advance(by: .milliseconds(1_000))
        cache.insert(2, for: 2, cost: 5, priority: .onScreen)
        #expect(!cache.contains(1) && cache.contains(2))
        _ = consume pin
    }

    @Test("a load whose value costs more than the limit displaces no other value")
    func tooDearToReserve() {
        let cache = ResourceCache<Int, Int>("K", limit: 10)
        for key in 0..<10 { cache.insert(key, for: key) }
        let value = cache.value(for: 99, cost: 11) {
            cache.insert(0, for: 0)
            return 99
        }
        #expect(value == 99 && !cache.contains(99))
        #expect(cache.count == 10)
    }

    @Test("all prefetched values leave before others, whatever their number")
    func manySpares() {
        let reclaimer = Reclaimer.current
        let ahead = ResourceCache<Int, Int>("ahead")
        let other = ResourceCache<Int, Int>("other")
        for key in 0..<3000 { ahead.insert(key, for: key, priority: .prefetched) }
        for key in 0..<3000 { other.insert(key, for: key) }
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 3000)) == 3000)
        #expect(ahead.count == 0)
        #expect(other.count == 3000)
    }
}
