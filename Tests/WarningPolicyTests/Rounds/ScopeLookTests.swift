import MemoryPressure
import Testing

@testable import WarningPolicy

struct ScopeLookTests {
    private static func look(at microseconds: Int64, some: UInt64, full: UInt64) -> ScopeLook {
        let start = MonotonicInstant(nanoseconds: 1_000_000_000)
        func line(_ total: UInt64) -> PressureStall.Line { PressureStall.Line(average10: .zero, total: total) }
        return ScopeLook(
            at: start.advanced(by: .microseconds(microseconds)),
            stalls: PressureStall(some: line(some), full: line(full))
        )
    }

    @Test("the stalls between two looks are shares of the time between them")
    func shares() {
        let before = Self.look(at: 0, some: 100, full: 300)
        let reading = Self.look(at: 4_000, some: 1_100, full: 500).reading(since: before)
        #expect(reading.stalls == StallShares(some: .percent(25), full: .percent(5)))
    }

    @Test("totals that fall, as in a cgroup that was created again, and looks at one instant show no stalls")
    func none() {
        let before = Self.look(at: 0, some: 100, full: 300)
        let reading = Self.look(at: 4_000, some: 90, full: 0).reading(since: before)
        #expect(reading.stalls == StallShares(some: .zero, full: .zero))
        let again = Self.look(at: 0, some: 200, full: 400).reading(since: before)
        #expect(again.stalls == StallShares(some: .zero, full: .zero))
    }
}
