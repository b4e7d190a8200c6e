import TestSupport
import Testing

@testable import ResourceCaches

struct RecoveringLimitTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("there is no limit until the first event, which applies at once")
    func fallsAtOnce() {
        var limit = RecoveringLimit()
        #expect(limit.limit(at: 0) == nil)
        limit.recover(at: 0)
        #expect(limit.limit(at: 5) == nil)
        limit.shrink(to: 50, from: 100)
        #expect(limit.limit(at: 5) == 50)
        #expect(limit.limit(at: .max) == 50)
    }

    @Test("while pressure lasts the smallest limit applies")
    func smallest() {
        var limit = RecoveringLimit()
        limit.shrink(to: 50, from: 100)
        limit.shrink(to: 25, from: 50)
        limit.shrink(to: 40, from: 45)
        #expect(limit.limit(at: 0) == 25)
        limit.recover(at: 0)
        #expect(limit.limit(at: 11 * Self.second) == 92)
    }

    @Test("2 s after the end, the limit grows by 7.5 % of the former cost per second, until there is no limit")
    func comesBack() {
        var limit = RecoveringLimit()
        limit.shrink(to: 500, from: 1000)
        limit.recover(at: 10 * Self.second)
        let limits = [10, 11, 12, 13, 14, 18, 19].map { limit.limit(at: $0 * Self.second) }
        #expect(limits == [500, 500, 500, 575, 650, 950, nil])
        #expect(limit.limit(at: 0) == 500, "a clock that goes back does no harm")
    }

    @Test("what could not leave may stay, up to the former cost, and the growth begins there")
    func staying() {
        var limit = RecoveringLimit()
        limit.keep(10)
        #expect(limit.limit(at: 0) == nil)
        limit.shrink(to: 100, from: 1000)
        limit.keep(400)
        limit.keep(300)
        #expect(limit.limit(at: 0) == 400)
        limit.recover(at: 0)
        #expect(limit.limit(at: 4 * Self.second) == 550)
        limit.shrink(to: 0, from: 500)
        limit.keep(2000)
        #expect(limit.limit(at: 0) == 500)
    }

    @Test("ending twice has the effect of ending once")
    func endsOnce() {
        var limit = RecoveringLimit()
        limit.shrink(to: 0, from: 1000)
        limit.recover(at: 0)
        limit.recover(at: 10 * Self.second)
        #expect(limit.limit(at: 6 * Self.second) == 300)
    }

    @Test("a new event during recovery lowers the limit at once, from the present cost")
    func againOnTheWayBack() {
        var limit = RecoveringLimit()
        limit.shrink(to: 500, from: 1000)
        limit.recover(at: 0)
        limit.shrink(to: 280, from: 560)
        #expect(limit.limit(at: 100 * Self.second) == 280)
        limit.recover(at: 100 * Self.second)
        #expect(limit.limit(at: 103 * Self.second) == 322)
    }

    @Test("an empty cache is not limited, and a cache that keeps everything may not grow")
    func edges() {
        var limit = RecoveringLimit()
        limit.shrink(to: 0, from: 0)
        #expect(limit.limit(at: 0) == nil)
        limit.shrink(to: 100, from: 100)
        #expect(limit.limit(at: 0) == 100)
        limit.recover(at: 0)
        #expect(limit.limit(at: 2 * Self.second) == 100)
        #expect(limit.limit(at: 2 * Self.second + 1) == nil)
        limit.shrink(to: .max, from: .max)
        limit.recover(at: .max)
        #expect(limit.limit(at: .max) == .max)
    }

    @Test("the limit never exceeds the former cost, falls at once, and rises only in recovery", arguments: 1...100)
    func anySequence(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var limit = RecoveringLimit()
        var now: UInt64 = 0
        /// The cost of a cache that respects the limit and fills it.
        var held = 1_000_000
        var isUnderPressure = false
        var last: Int?
        for _ in 0..<200 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                let kept = Int.random(in: 0...held, using: &generator)
                limit.shrink(to: kept, from: held)
                if held > 0 {
                    #expect((limit.limit(at: now) ?? .max) <= kept)
                    isUnderPressure = true
                }
                held = min(held, limit.limit(at: now) ?? .max)
            case 1:
                let before = limit.limit(at: now)
                limit.recover(at: now)
                isUnderPressure = false
                #expect(limit.limit(at: now) == before, "nothing jumps at the end")
            default:
                now += UInt64.random(in: 0...2 * Self.second, using: &generator)
                let limit = limit.limit(at: now)
                if isUnderPressure {
                    #expect(limit == last)
                } else {
                    #expect((limit ?? .max) >= (last ?? .max))
                }
                held = min(1_000_000, limit ?? .max)
            }
            last = limit.limit(at: now)
            #expect((last ?? 0) <= 1_000_000)
        }
    }
}
