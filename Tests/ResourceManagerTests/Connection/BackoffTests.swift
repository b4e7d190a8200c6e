import MemoryPressure
import TestSupport
import Testing

@testable import ResourceManager

struct BackoffTests {
    @Test("waits are random, within a bound that doubles from half a second to half a minute")
    func bounds() {
        var generator = SeededGenerator(seed: 1)
        var longest = [Duration](repeating: .zero, count: 9)
        for _ in 0..<500 {
            var backoff = Backoff()
            for index in longest.indices {
                longest[index] = max(longest[index], backoff.next(using: &generator))
            }
        }
        let bounds: [Double] = [0.5, 1, 2, 4, 8, 16, 30, 30, 30]
        for (wait, bound) in zip(longest, bounds) {
            #expect(wait <= .seconds(bound))
            #expect(wait > .seconds(bound * 0.9), "of 500 waits one comes near the bound")
        }
    }

    @Test func startsAnewAfterASuccess() {
        var generator = SeededGenerator(seed: 2)
        var backoff = Backoff()
        for _ in 0..<10 { _ = backoff.next(using: &generator) }
        backoff.reset()
        #expect(backoff.next(using: &generator) <= Backoff.first)
    }
}
