import MemoryPressure
import TestSupport
import Testing

struct LevelMachineTests {
    private let start = MonotonicInstant(nanoseconds: 5_000_000_000)

    private func reading(
        at seconds: Double,
        some: Double = 0,
        full: Double = 0,
        headroom: Double? = nil
    ) -> PressureReading {
        PressureReading(
            at: start.advanced(by: .seconds(seconds)),
            stalls: StallShares(some: .percent(some), full: .percent(full)),
            headroom: headroom.map { Headroom(limit: Self.limit, used: 10_000 - UInt64($0 * 100)) }
        )
    }

    /// With 10 000 bytes, so that one byte is a hundredth of a percent.
    private static let limit = BindingLimit(.max, bytes: 10_000, path: "/a")

    @Test func startsAtNormalAndNeedsNothing() {
        let machine = LevelMachine(at: start)
        #expect(machine.level == .normal)
        #expect(!machine.needsReadings)
    }

    @Test("one window of stalls causes no warning, two do")
    func warningNeedsTwoWindows() {
        var machine = LevelMachine(at: start)
        #expect(machine.feed(reading(at: 2, some: 12)) == nil)
        #expect(machine.needsReadings)
        #expect(machine.feed(reading(at: 4, some: 11)) == .rose(from: .normal))
        #expect(machine.level == .warning)
        #expect(machine.reason == PressureReason(.someStall, figure: .percent(11), threshold: .percent(10)))
    }

    @Test("one window causes a warning if less than half is left")
    func littleLeft() {
        var machine = LevelMachine(at: start)
        #expect(machine.feed(reading(at: 2, some: 12, headroom: 50)) == nil)
        machine = LevelMachine(at: start)
        #expect(machine.feed(reading(at: 2, some: 12, headroom: 49)) == .rose(from: .normal))
        #expect(machine.reason.source == .someStall)
    }

    @Test("a value equal to the threshold reaches it")
    func atTheThreshold() {
        var machine = LevelMachine(at: start)
        #expect(machine.feed(reading(at: 2, some: 10)) == nil)
        #expect(machine.needsReadings)
        #expect(machine.feed(reading(at: 4, some: 10)) == .rose(from: .normal))
    }

    @Test func aBurstBetweenCalmWindowsIsForgotten() {
        var machine = LevelMachine(at: start)
        for second in stride(from: 2.0, to: 60, by: 4) {
            #expect(machine.feed(reading(at: second, some: 30)) == nil)
            #expect(machine.feed(reading(at: second + 2, some: 1)) == nil)
        }
        #expect(machine.level == .normal)
        #expect(!machine.needsReadings)
    }

    @Test(
        "critical is reached at once",
        arguments: [
            (40, 0, PressureReason(.someStall, figure: .percent(40), threshold: .percent(40))),
            (10, 10, PressureReason(.fullStall, figure: .percent(10), threshold: .percent(10))),
        ] as [(Double, Double, PressureReason)]
    )
    func critical(some: Double, full: Double, reason: PressureReason) {
        var machine = LevelMachine(at: start)
        #expect(machine.feed(reading(at: 2, some: some, full: full)) == .rose(from: .normal))
        #expect(machine.level == .critical)
        #expect(machine.reason == reason)
    }

    @Test func littleHeadroomWarnsWithoutStalls() {
        var machine = LevelMachine(at: start)
        #expect(machine.feed(reading(at: 2, headroom: 9.9)) == .rose(from: .normal))
        #expect(
            machine.reason
                == PressureReason(.headroom, figure: .percent(9.9), threshold: .percent(10), limit: Self.limit)
        )
        #expect(machine.feed(reading(at: 4, headroom: 12)) == nil, "between rise and fall point")
        #expect(machine.feed(reading(at: 6, headroom: 13)) == nil, "the dwell begins")
        #expect(machine.feed(reading(at: 16, headroom: 13)) == .fell(from: .warning))
    }

    @Test("the level falls after ten calm seconds, not before")
    func fall() {
        var machine = LevelMachine(at: start)
        _ = machine.feed(reading(at: 2, some: 50))
        for second in stride(from: 4.0, to: 14, by: 2) {
            #expect(machine.feed(reading(at: second, some: 2)) == nil)
        }
        #expect(machine.feed(reading(at: 13.9, some: 2)) == nil)
        #expect(machine.feed(reading(at: 14, some: 2)) == .fell(from: .critical))
        #expect(machine.level == .normal)
        #expect(machine.since == start.advanced(by: .seconds(14)))
        #expect(!machine.needsReadings)
    }

    @Test("a rise during the dwell restarts it")
    func relapse() {
        var machine = LevelMachine(at: start)
        _ = machine.feed(reading(at: 2, some: 50))
        #expect(machine.feed(reading(at: 4, some: 1)) == nil)
        #expect(machine.feed(reading(at: 12, some: 25)) == nil, "above the fall point of 20 %")
        #expect(machine.feed(reading(at: 14, some: 1)) == nil)
        #expect(machine.feed(reading(at: 22, some: 1)) == nil)
        #expect(machine.feed(reading(at: 24, some: 1)) == .fell(from: .critical))
    }

    @Test("the level falls only as far as the worst moment of the dwell allows")
    func fallsInSteps() {
        var machine = LevelMachine(at: start)
        _ = machine.feed(reading(at: 2, some: 50))
        _ = machine.feed(reading(at: 4, some: 8))
        _ = machine.feed(reading(at: 8, some: 0))
        #expect(machine.feed(reading(at: 14, some: 0)) == .fell(from: .critical))
        #expect(machine.level == .warning)
        #expect(machine.feed(reading(at: 16, some: 0)) == nil)
        #expect(machine.feed(reading(at: 26, some: 0)) == .fell(from: .warning))
        #expect(machine.level == .normal)
    }

    @Test func persistingPressureIsAnnouncedAgain() {
        var machine = LevelMachine(at: start)
        _ = machine.feed(reading(at: 2, some: 50))
        var announcements: [Double] = []
        for second in stride(from: 4.0, through: 40, by: 2)
        where machine.feed(reading(at: second, some: 45)) == .persists {
            announcements.append(second)
        }
        #expect(announcements == [18, 34])
        #expect(machine.reason.figure == .percent(45), "the figure is a live one")
    }

    @Test("between its rise and fall points a level stays, and is announced again")
    func hysteresis() {
        var machine = LevelMachine(at: start)
        _ = machine.feed(reading(at: 2, some: 12))
        _ = machine.feed(reading(at: 4, some: 12))
        #expect(machine.feed(reading(at: 10, some: 7)) == nil)
        #expect(machine.feed(reading(at: 18.9, some: 7)) == nil)
        #expect(machine.feed(reading(at: 19, some: 7)) == .persists)
        #expect(machine.level == .warning)
        #expect(machine.since == start.advanced(by: .seconds(4)))
        #expect(machine.reason.figure == .percent(7), "what holds the level")
        #expect(machine.reason.threshold == .percent(10))
    }

    @Test("the reason of a repeated level is what holds it, with the level's own threshold")
    func heldReason() {
        var machine = LevelMachine(at: start)
        #expect(machine.feed(reading(at: 1, headroom: 3)) == .rose(from: .normal))
        #expect(machine.feed(reading(at: 16, headroom: 4.5)) == .persists)
        #expect(machine.reason.source == .headroom && machine.reason.figure == .percent(4.5))
        #expect(machine.reason.threshold == .percent(4), "not the one of warning")
        #expect(machine.feed(reading(at: 31, some: 30, headroom: 30)) == .persists)
        #expect(machine.reason.source == .someStall && machine.reason.figure == .percent(30))
        #expect(machine.reason.threshold == .percent(40))
    }

    @Test("a shortage that comes back within the dwell is announced again after a third of the repeat interval")
    func recurs() {
        var machine = LevelMachine(at: start)
        #expect(machine.feed(reading(at: 1, headroom: 9)) == .rose(from: .normal))
        #expect(machine.feed(reading(at: 2, headroom: 18)) == nil, "released; the level waits for its dwell")
        #expect(machine.feed(reading(at: 3, headroom: 12)) == nil, "this holds the level, and raises none")
        #expect(machine.feed(reading(at: 5.9, headroom: 9)) == nil, "back, and too early: hosts have just been told")
        #expect(machine.feed(reading(at: 6, headroom: 8)) == .returned)
        #expect(machine.reason.figure == .percent(8))
        #expect(machine.since == start.advanced(by: .seconds(1)))
        #expect(machine.feed(reading(at: 12, headroom: 8)) == nil, "announced: it has not come back a second time")
        #expect(machine.feed(reading(at: 21, headroom: 8)) == .persists, "it lasts")
    }

    @Test("a shortage that has not reached the level's own rise point again has not come back")
    func recursAtItsOwnLevel() {
        var machine = LevelMachine(at: start)
        #expect(machine.feed(reading(at: 1, headroom: 3)) == .rose(from: .normal))
        _ = machine.feed(reading(at: 2, headroom: 18))
        #expect(machine.feed(reading(at: 8, headroom: 5)) == nil, "held at critical, risen only to warning")
        #expect(machine.feed(reading(at: 9, headroom: 3)) == .returned)
    }

    @Test("what came back before the level changed has not come back since")
    func recursAnew() {
        var machine = LevelMachine(at: start)
        #expect(machine.feed(reading(at: 1, headroom: 9)) == .rose(from: .normal))
        _ = machine.feed(reading(at: 2, headroom: 18))
        #expect(machine.feed(reading(at: 3, headroom: 3)) == .rose(from: .warning))
        #expect(machine.feed(reading(at: 9, headroom: 3)) == nil)
        #expect(machine.feed(reading(at: 18, headroom: 3)) == .persists)
    }

    @Test("stalls that come back are not announced before the repeat interval")
    func stallsComeAndGo() {
        var machine = LevelMachine(at: start)
        #expect(machine.feed(reading(at: 2, some: 50, headroom: 30)) == .rose(from: .normal))
        for second in stride(from: 4.0, to: 16, by: 4) {
            #expect(machine.feed(reading(at: second, headroom: 30)) == nil)
            #expect(machine.feed(reading(at: second + 2, some: 50, headroom: 30)) == nil)
        }
        #expect(machine.feed(reading(at: 18, some: 50, headroom: 30)) == .returned)
    }

    @Test func aFallingLevelIsNotAnnouncedAgain() {
        var machine = LevelMachine(at: start)
        _ = machine.feed(reading(at: 2, some: 50))
        _ = machine.feed(reading(at: 16, some: 1))
        #expect(machine.feed(reading(at: 18, some: 1)) == nil)
    }

    @Test("after the longest hold the level is derived again, even if it never went below its fall point")
    func hold() {
        var machine = LevelMachine(at: start)
        _ = machine.feed(reading(at: 2, some: 50))
        for second in stride(from: 4.0, to: 302, by: 2) {
            _ = machine.feed(reading(at: second, some: 25))
            #expect(machine.level == .critical)
        }
        #expect(machine.feed(reading(at: 301.9, some: 25)) == nil)
        #expect(machine.feed(reading(at: 302, some: 25)) == .fell(from: .critical))
        #expect(machine.level == .warning)
    }

    @Test("a level that is derived again without a change is held for the same time again")
    func holdAgain() {
        var machine = LevelMachine(at: start)
        _ = machine.feed(reading(at: 2, some: 50))
        for second in stride(from: 14.0, to: 302, by: 12) { _ = machine.feed(reading(at: second, some: 45)) }
        #expect(machine.feed(reading(at: 302, some: 45)) != .fell(from: .critical))
        for second in stride(from: 314.0, to: 602, by: 12) { _ = machine.feed(reading(at: second, some: 25)) }
        #expect(machine.level == .critical)
        #expect(machine.feed(reading(at: 602, some: 25)) == .fell(from: .critical))
    }

    @Test func escalates() {
        var machine = LevelMachine(at: start)
        _ = machine.feed(reading(at: 2, some: 12))
        _ = machine.feed(reading(at: 4, some: 12))
        #expect(machine.feed(reading(at: 6, some: 12, full: 11)) == .rose(from: .warning))
        #expect(machine.level == .critical)
    }

    @Test("in random readings every reported change is a real one, and calm always ends in normal")
    func invariants() {
        var generator = SeededGenerator(seed: 42)
        for _ in 0..<200 {
            var machine = LevelMachine(at: start)
            var second = 0.0
            for _ in 0..<200 {
                second += Double.random(in: 0...5, using: &generator)
                let before = machine.level
                let some = Double.random(in: 0...60, using: &generator)
                let change = machine.feed(reading(at: second, some: some, full: some / 10))
                switch change {
                case .rose(let from): #expect(from == before && machine.level > before)
                case .fell(let from): #expect(from == before && machine.level < before)
                case .persists, .returned: #expect(machine.level == before && before > .normal)
                case nil: #expect(machine.level == before)
                }
            }
            for _ in 0..<20 {
                second += 2
                _ = machine.feed(reading(at: second))
            }
            #expect(machine.level == .normal)
            #expect(!machine.needsReadings)
        }
    }
}
