import MemoryPressure
import Testing

@testable import memwarnctl

struct TriggerModelTests {
    private static func instant(_ milliseconds: UInt64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: (10_000 + milliseconds) * 1_000_000)
    }

    @Test("a trigger fires if the growth within a window reaches the threshold, at most once per window")
    func threshold() {
        var model = TriggerModel(threshold: .milliseconds(200), window: .seconds(2), rung: .privileged)
        var total: UInt64 = 5_000_000
        var fired: [UInt64] = []
        for step in 0..<20 as Range<UInt64> {
            // 100 ms in each half second from 2 s to 4 s.
            if (5...8).contains(step) { total += 100_000 }
            if model.fires(total, at: Self.instant(step * 500), isPeriod: false) { fired.append(step * 500) }
        }
        #expect(fired == [3_000, 5_000])
    }

    @Test("without privilege the kernel checks only when it updates its averages")
    func period() {
        var model = TriggerModel(threshold: .milliseconds(200), window: .seconds(2), rung: .unprivileged)
        var fired: [UInt64] = []
        for step in 0..<12 as Range<UInt64> {
            let total: UInt64 = step >= 5 ? 300_000 : 0
            if model.fires(total, at: Self.instant(step * 500), isPeriod: step % 4 == 0) { fired.append(step * 500) }
        }
        #expect(fired == [4_000])
    }

    @Test("the kernel's clock runs while a scope is active, and stops while it is idle")
    func clock() {
        var clock = PeriodClock()
        let periods = (0..<40 as Range<UInt64>).filter { step in
            // It stalls from 3 s to 7 s, and again at 12 s.
            let total = min(max(step, 6), 14) + (step >= 24 ? 1 : 0)
            return clock.isPeriod(total, at: Self.instant(step * 500), tolerance: .milliseconds(250))
        }
        #expect(periods.map { $0 * 500 } == [5_500, 7_500, 9_500, 14_000, 16_000])
    }

    @Test("an event of the kernel shows when it checked, and when it will check again")
    func knownPeriod() {
        var clock = PeriodClock()
        let periods = (0..<12 as Range<UInt64>).filter { step in
            clock.isPeriod(step, at: Self.instant(step * 500), tolerance: .milliseconds(250), isKnown: step == 2)
        }
        #expect(periods.map { $0 * 500 } == [1_000, 3_000, 5_000])
    }

    @Test("stalls from before the window do not count")
    func trickle() {
        var model = TriggerModel(threshold: .milliseconds(200), window: .seconds(2), rung: .privileged)
        // 50 ms each second are 100 ms per window, whatever the sum.
        let fired = (0..<120 as Range<UInt64>).filter { step in
            model.fires(step * 25_000, at: Self.instant(step * 500), isPeriod: false)
        }
        #expect(fired.isEmpty)
    }

    @Test("the average over 10 s is the same as the kernel's")
    func average() {
        var average = StallAverage()
        average.update(0, at: Self.instant(0))
        average.update(2_000_000, at: Self.instant(2_000))
        // One period of stalls: 1 − e^(−2/10).
        #expect((1_800...1_820).contains(average.share.basisPoints))
        for step in 2...6 as ClosedRange<UInt64> { average.update(2_000_000, at: Self.instant(step * 2_000)) }
        #expect((650...680).contains(average.share.basisPoints))
    }
}
