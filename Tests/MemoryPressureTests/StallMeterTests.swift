import MemoryPressure
import Testing

struct StallMeterTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    private func stall(some: UInt64, full: UInt64 = 0, average10: Share = .zero) -> PressureStall {
        PressureStall(some: .init(average10: average10, total: some), full: .init(average10: average10, total: full))
    }

    private func meter(_ rung: Rung = .unprivileged, total: UInt64 = 0, full: UInt64 = 0) -> StallMeter {
        StallMeter(
            rung: rung,
            window: .seconds(2),
            plan: StallPlan(),
            first: stall(some: total, full: full),
            at: start
        )
    }

    @Test("an event is believed if the total has grown by the threshold since the last reading")
    func realEvent() {
        var meter = meter(total: 5_000_000)
        let sample = meter.event(.some, stall(some: 5_300_000), at: start.advanced(by: .seconds(2)))
        #expect(sample?.some == .percent(15))
        #expect(sample?.full == .zero)
        #expect(meter.suppressed == 0)
    }

    @Test("the kernel's first event may count earlier stalls, so it is not believed")
    func falseFirstEvent() {
        var meter = meter(total: 5_000_000)
        #expect(meter.event(.some, stall(some: 5_000_300), at: start.advanced(by: .seconds(2))) == nil)
        #expect(meter.suppressed == 1)
    }

    @Test("stalls that accumulated over an hour are not an event, even if they add up to the threshold")
    func trickle() {
        var meter = meter()
        let later = start.advanced(by: .seconds(3600))
        #expect(meter.event(.some, stall(some: 900_000, average10: .percent(0.1)), at: later) == nil)
        #expect(meter.suppressed == 1)
    }

    @Test("after a long calm period an event counts as the threshold, not as all earlier stalls")
    func afterALongCalm() {
        var meter = meter()
        let later = start.advanced(by: .seconds(3600))
        let sample = meter.event(.some, stall(some: 1_900_000, average10: .percent(3)), at: later)
        #expect(sample?.some == .percent(10))
    }

    @Test("between one window and two an event counts as the share of the time since the last reading")
    func afterMoreThanAWindow() {
        var meter = meter()
        #expect(meter.event(.some, stall(some: 900_000), at: start.advanced(by: .seconds(3)))?.some == .percent(30))
    }

    @Test("an event soon after the last reading counts as the share of a whole window")
    func withinAWindow() {
        var meter = meter()
        let sample = meter.event(.some, stall(some: 200_000), at: start.advanced(by: .milliseconds(500)))
        #expect(sample?.some == .percent(10), "0.2 s of the window's 2 s")
    }

    @Test("stalls that were counted in one event are not counted in the next")
    func countedOnce() {
        var meter = meter()
        #expect(meter.event(.some, stall(some: 300_000), at: start.advanced(by: .seconds(2)))?.some == .percent(15))
        #expect(meter.event(.some, stall(some: 300_000), at: start.advanced(by: .seconds(3))) == nil)
        #expect(meter.event(.some, stall(some: 500_000), at: start.advanced(by: .seconds(4)))?.some == .percent(10))
    }

    @Test("a privileged trigger is initialised correctly, so its event is believed after a long calm period")
    func privilegedAfterALongCalm() {
        var meter = meter(.privileged)
        let sample = meter.event(.full, stall(some: 0, full: 200_000), at: start.advanced(by: .seconds(60)))
        #expect(sample?.full == .percent(10))
        #expect(sample?.some == .percent(10), "every task stalled: at least one did")
    }

    @Test("the lines are judged separately: an event on one does not use up the stalls of the other")
    func bothLinesAtOnce() {
        var meter = meter()
        let later = start.advanced(by: .seconds(2))
        let reading = stall(some: 1_000_000, full: 800_000)
        #expect(meter.event(.some, reading, at: later)?.some == .percent(50))
        #expect(meter.event(.full, reading, at: later)?.full == .percent(40))
    }

    @Test func aTickIsExact() {
        var meter = meter()
        let first = meter.tick(stall(some: 500_000, full: 100_000), at: start.advanced(by: .seconds(2)))
        #expect(first?.some == .percent(25))
        #expect(first?.full == .percent(5))
        let second = meter.tick(stall(some: 500_000, full: 100_000), at: start.advanced(by: .seconds(4)))
        #expect(second?.some == .zero)
    }

    @Test func aCounterThatRestartsAtZeroIsNoStall() {
        var meter = meter(total: 9_000_000)
        #expect(meter.tick(stall(some: 10), at: start.advanced(by: .seconds(2)))?.some == .zero)
        #expect(meter.event(.some, stall(some: 20), at: start.advanced(by: .seconds(3))) == nil)
    }
}
