import MemoryPressure
import Testing

struct PressureJudgeTests {
    /// A cgroup with a limit of 10 000 bytes, of whose state only the remaining bytes are known.
    private static func usage(left: UInt64, at now: MonotonicInstant) -> SensorReadings {
        var readings = SensorReadings(at: now)
        readings.headroom = Headroom(limit: BindingLimit(.max, bytes: 10_000, path: "/a"), used: 10_000 - left)
        return readings
    }

    /// The totals of stalls, in microseconds, of a cgroup whose averages are zero.
    private static func stalls(some: UInt64, full: UInt64 = 0) -> PressureStall {
        PressureStall(some: .init(average10: .zero, total: some), full: .init(average10: .zero, total: full))
    }

    /// A judge with a clock that advances from tick to tick.
    private final class Clock {
        private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        private var judge: PressureJudge

        init(left: UInt64) {
            judge = PressureJudge(
                rung: .events,
                window: .seconds(1),
                policy: SensorPolicy(),
                first: PressureJudgeTests.usage(left: left, at: now)
            )
        }

        var level: PressureLevel { judge.machine.level }
        var pause: Duration? { judge.pause }

        /// Advances to the next tick; `left` computes the remaining bytes from the seconds since the last one.
        func tick(left: (Double) -> UInt64) throws {
            let last = now
            now = try #require(judge.due, "it is not looked at any more")
            let readings = PressureJudgeTests.usage(left: left(last.duration(to: now) / .seconds(1)), at: now)
            _ = judge.handle(.tick, at: now) { _ in readings }
        }

        /// Advances to the next tick, at which nothing can be read.
        func fail() throws {
            now = try #require(judge.due, "it is not looked at any more")
            var readings = SensorReadings(at: now)
            readings.failed = .headroom
            _ = judge.handle(.tick, at: now) { [readings] _ in readings }
        }

        /// Advances from tick to tick until the level is this one.
        /// - Returns: the seconds that it took.
        func wait(for wanted: PressureLevel, left: (Double) -> UInt64) throws -> Double {
            let begin = now
            repeat {
                try tick { _ in left(begin.duration(to: judge.due ?? now) / .seconds(1)) }
            } while level != wanted && begin.duration(to: now) < .seconds(60)
            #expect(level == wanted)
            return begin.duration(to: now) / .seconds(1)
        }
    }

    @Test(
        "caches that load a third of the limit again within a second are noticed in time",
        arguments: [1_800, 6_000]
    )
    func loadsAgain(calm: UInt64) throws {
        let clock = Clock(left: 4_000)
        // At 3 % a second memory runs short for the first time, and the hosts release their caches.
        _ = try clock.wait(for: .warning) { 4_000 - UInt64(min(3_500, $0 * 300)) }
        _ = try clock.wait(for: .normal) { _ in calm }
        // From a standstill.
        var left = calm
        _ = try clock.wait(for: .warning) { seconds in
            left = calm - UInt64(min(Double(calm), seconds * 3_100))
            return left
        }
        #expect(left >= 600, "so that what is left lasts for 0.2 s")
    }

    @Test("at warning, headroom that shrinks fast is read before the window is over, and critical comes in time")
    func glance() throws {
        let clock = Clock(left: 2_000)
        var left = 2_000.0
        // A twentieth of the limit a second: critical after 1.2 s at warning, and the limit 0.8 s later.
        func shrink(_ seconds: Double) -> UInt64 {
            left -= seconds * 500
            return UInt64(max(0, left))
        }
        while clock.level == .normal { try clock.tick(left: shrink) }
        while clock.level == .warning { try clock.tick(left: shrink) }
        #expect(clock.level == .critical)
        #expect(left >= 340)
    }

    @Test("while nothing shrinks there is one reading per window at warning, and no more at critical")
    func standing() throws {
        let clock = Clock(left: 2_000)
        try clock.tick { _ in 950 }
        #expect(clock.level == .warning)
        for _ in 0..<300 { try clock.tick { _ in 950 } }
        let calm = clock.now
        try clock.tick { _ in 950 }
        #expect(calm.duration(to: clock.now) == .seconds(1))
        try clock.tick { _ in 200 }
        #expect(clock.level == .critical)
        let critical = clock.now
        try clock.tick { _ in 100 }
        #expect(critical.duration(to: clock.now) == .seconds(1))
    }

    @Test("a scope that has been calm for a while is not read any more")
    func calm() throws {
        let clock = Clock(left: 4_000)
        _ = try clock.wait(for: .warning) { 4_000 - UInt64(min(3_500, $0 * 300)) }
        _ = try clock.wait(for: .normal) { _ in 6_000 }
        let relieved = clock.now
        while let pause = clock.pause, relieved.duration(to: clock.now) < .seconds(60) {
            #expect(pause < .seconds(1), "a third of the limit may go in a second")
            try clock.tick { _ in 6_000 }
        }
        #expect(clock.pause == nil)
        #expect(relieved.duration(to: clock.now) >= .seconds(10))
        #expect(relieved.duration(to: clock.now) < .seconds(11))
    }

    @Test("a failed reading is repeated, and then finds short memory")
    func failedLook() throws {
        let clock = Clock(left: 4_000)
        for _ in 0..<5 { try clock.fail() }
        #expect(clock.level == .normal)
        try clock.tick { _ in 500 }
        #expect(clock.level == .warning)
    }

    @Test("a level neither falls nor rises by a headroom that cannot be read, but does not last for ever by it")
    func failedAtALevel() throws {
        let clock = Clock(left: 4_000)
        _ = try clock.wait(for: .warning) { _ in 500 }
        let raised = clock.now
        while raised.duration(to: clock.now) < .seconds(60) { try clock.fail() }
        #expect(clock.level == .warning)
        // Read once more, the headroom counts again.
        _ = try clock.wait(for: .normal) { _ in 4_000 }
        _ = try clock.wait(for: .critical) { _ in 100 }
        let critical = clock.now
        while clock.level == .critical { try clock.fail() }
        #expect(clock.level == .normal)
        #expect(critical.duration(to: clock.now) >= LevelPolicy().hold)
    }

    @Test("a scope whose first reading fails is read again")
    func failedFirstLook() {
        var first = SensorReadings(at: MonotonicInstant(nanoseconds: 1_000_000_000))
        first.failed = .headroom
        let judge = PressureJudge(rung: .events, window: .seconds(1), policy: SensorPolicy(), first: first)
        #expect(judge.pause == .seconds(1))
    }

    @Test("an event that is not believed does not delay the reading of a limit")
    func disbelieved() throws {
        var readings = SensorReadings(at: MonotonicInstant(nanoseconds: 1_000_000_000))
        readings.stalls = Self.stalls(some: 0)
        readings.headroom = Headroom(limit: BindingLimit(.max, bytes: 10_000, path: "/a"), used: 7_000)
        var judge = PressureJudge(
            rung: .unprivileged,
            window: .seconds(2),
            policy: SensorPolicy(),
            first: readings
        )
        let due = try #require(judge.due)
        readings.at = due.advanced(by: .milliseconds(-1))
        _ = judge.handle(.event(.stalls(.full)), at: readings.at) { [readings] _ in readings }
        #expect(judge.suppressed == 1)
        #expect(judge.due == due)
    }

    @Test("if both lines rise after a calm hour, the first exact reading announces critical")
    func criticalAfterCalm() throws {
        var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        func readings(some: UInt64, full: UInt64) -> SensorReadings {
            var readings = SensorReadings(at: now)
            readings.stalls = Self.stalls(some: some, full: full)
            readings.reclaim = ReclaimCounters(scanned: some, refaulted: 0)
            return readings
        }
        var policy = SensorPolicy()
        policy.levels.warningWindows = 1
        var judge = PressureJudge(
            rung: .privileged,
            window: .milliseconds(500),
            policy: policy,
            first: readings(some: 0, full: 0)
        )
        now = now.advanced(by: .seconds(3600))
        _ = judge.handle(.event(.stalls(.some)), at: now) { _ in readings(some: 60_000, full: 40_000) }
        #expect(judge.machine.level == .warning)
        now = now.advanced(by: .milliseconds(500))
        _ = judge.handle(.tick, at: now) { _ in readings(some: 160_000, full: 140_000) }
        #expect(judge.machine.level == .critical)
    }

    @Test("a reading that comes early, since a limit moved, judges headroom alone; stalls are judged by whole windows")
    func earlyReading() throws {
        var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        func readings(some: UInt64, left: UInt64) -> SensorReadings {
            var readings = Self.usage(left: left, at: now)
            readings.stalls = Self.stalls(some: some)
            readings.reclaim = ReclaimCounters(scanned: some, refaulted: 0)
            return readings
        }
        var judge = PressureJudge(
            rung: .polling,
            window: .seconds(2),
            policy: SensorPolicy(),
            first: readings(some: 0, left: 7_000)
        )
        func tick(after pause: Duration, some: UInt64, left: UInt64 = 7_000) -> LevelMachine.Change? {
            now = now.advanced(by: pause)
            return judge.handle(.tick, at: now) { _ in readings(some: some, left: left) }
        }
        #expect(tick(after: .seconds(2), some: 0) == nil)
        let due = try #require(judge.due)
        #expect(tick(after: .milliseconds(134), some: 60_000) == nil, "45 % of 134 ms, and 3 % of the window")
        #expect(judge.due == due)
        #expect(tick(after: .milliseconds(134), some: 60_000, left: 900) == .rose(from: .normal))
        #expect(judge.machine.reason.source == .headroom)
        #expect(tick(after: .milliseconds(1_712), some: 1_260_000) == .rose(from: .warning), "20 ms before its time")
        #expect(judge.machine.reason.source == .someStall)
        #expect(judge.reading?.stalls?.some == Share(1_260_000, of: 1_980_000), "of all since the last tick")
    }

    /// A judge at critical, and its clock, for readings of headroom within windows of 2 s.
    private struct Windows {
        private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        private(set) var judge: PressureJudge

        init() {
            judge = PressureJudge(
                rung: .polling,
                window: .seconds(2),
                policy: SensorPolicy(),
                first: PressureJudgeTests.usage(left: 7_000, at: now)
            )
            #expect(tick(after: .seconds(2), left: 300) == .rose(from: .normal))
        }

        mutating func tick(after pause: Duration, left: UInt64) -> LevelMachine.Change? {
            now = now.advanced(by: pause)
            return judge.handle(.tick, at: now) { [now] _ in PressureJudgeTests.usage(left: left, at: now) }
        }
    }

    @Test("short memory within windows holds the level, though there is plenty whenever a window ends")
    func shortWithinWindows() {
        var windows = Windows()
        for _ in 0..<15 {
            #expect(windows.tick(after: .seconds(1), left: 300)?.isRepeat ?? true)
            #expect(windows.tick(after: .seconds(1), left: 7_000)?.isRepeat ?? true)
        }
        #expect(windows.judge.machine.level == .critical)
    }

    @Test("memory that is free within a window and taken at its end has come back")
    func easedWithinAWindow() {
        var windows = Windows()
        #expect(windows.tick(after: .seconds(1), left: 7_000) == nil)
        #expect(windows.tick(after: .seconds(1), left: 300) == nil)
        #expect(windows.tick(after: .seconds(2), left: 300) == nil)
        #expect(windows.tick(after: .seconds(2), left: 300) == .returned)
    }

    @Test("the counts of stalls within a window are none of a window, while events of limits are ignored")
    func mutedWithinAWindow() {
        var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        var judge = Self.calm(.unprivileged)
        func readings(some: UInt64) -> SensorReadings {
            var readings = Self.usage(left: 7_000, at: now)
            readings.stalls = Self.stalls(some: some)
            readings.limitEvents = MemoryEvents(high: some, max: some)
            return readings
        }
        func handle(_ occasion: PressureJudge.Occasion, after pause: Duration, some: UInt64) -> LevelMachine.Change? {
            now = now.advanced(by: pause)
            return judge.handle(occasion, at: now) { _ in readings(some: some) }
        }
        #expect(handle(.event(.limits), after: .seconds(1), some: 0) == nil)
        #expect(handle(.tick, after: .milliseconds(500), some: 0) == nil)
        #expect(handle(.event(.limits), after: .milliseconds(10), some: 1) == nil)
        #expect(handle(.tick, after: .milliseconds(120), some: 60_000) == nil, "46 % of 130 ms")
        #expect(judge.reading?.stalls?.some == .zero, "as at the event before")
        #expect(handle(.event(.limits), after: .milliseconds(10), some: 60_001) == nil)
        #expect(handle(.tick, after: .milliseconds(360), some: 60_001) == nil)
        #expect(judge.reading?.stalls?.some == Share(60_001, of: 500_000))
    }

    @Test("hits of limits without stalls are no pressure in a scope without a limit, also at ticks within a window")
    func hitsWithoutStalls() {
        var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        var hits: UInt64 = 0
        func readings() -> SensorReadings {
            var readings = SensorReadings(at: now)
            readings.stalls = Self.stalls(some: 0)
            readings.limitEvents = MemoryEvents(high: hits, max: hits)
            return readings
        }
        var judge = PressureJudge(rung: .unprivileged, window: .seconds(2), policy: SensorPolicy(), first: readings())
        for _ in 0..<20 {
            for (occasion, pause) in [
                (PressureJudge.Occasion.event(.limits), Duration.milliseconds(300)), (.tick, .seconds(1)),
            ] {
                now = now.advanced(by: pause)
                hits += 1
                #expect(judge.handle(occasion, at: now) { _ in readings() } == nil)
            }
        }
    }

    @Test("a hit that was not believed does not raise a level with the headroom of a reading within the window")
    func oldHit() {
        var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        var judge = PressureJudge(
            rung: .polling,
            window: .seconds(2),
            policy: SensorPolicy(),
            first: Self.usage(left: 7_000, at: now)
        )
        for (pause, left) in [(2_000, 7_000), (500, 1_150)] as [(Int, UInt64)] {
            now = now.advanced(by: .milliseconds(pause))
            let change = judge.handle(.tick, at: now) { _ in
                var readings = Self.usage(left: left, at: now)
                readings.limitEvents = MemoryEvents(high: 1, max: 1)
                return readings
            }
            #expect(change == nil)
        }
    }

    @Test("counts of limit hits that restart at zero are not hits")
    func limitCountsStartAnew() {
        let start = MonotonicInstant(nanoseconds: 1_000_000_000)
        var first = SensorReadings(at: start)
        first.limitEvents = MemoryEvents(high: 9, max: 9)
        var judge = PressureJudge(rung: .events, window: .seconds(1), policy: SensorPolicy(), first: first)
        for (step, count) in [(1, 2 as UInt64), (2, 5)] {
            let now = start.advanced(by: .seconds(step))
            _ = judge.handle(.tick, at: now) { _ in
                var readings = SensorReadings(at: now)
                readings.limitEvents = MemoryEvents(high: count, max: count)
                return readings
            }
            #expect(judge.reading?.hits == (step == 1 ? LimitHits() : LimitHits(high: 3, max: 3)))
        }
    }

    @Test("reclaim counts from more than two windows ago are ignored")
    func oldReclaim() {
        var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        func readings() -> SensorReadings {
            var readings = SensorReadings(at: now)
            readings.stalls = Self.stalls(some: 0)
            readings.reclaim = ReclaimCounters(scanned: 7, refaulted: 0)
            return readings
        }
        var judge = PressureJudge(rung: .polling, window: .seconds(2), policy: SensorPolicy(), first: readings())
        func isReclaiming(after pause: Duration) -> Bool? {
            now = now.advanced(by: pause)
            _ = judge.handle(.tick, at: now) { _ in readings() }
            return judge.reading?.isReclaiming
        }
        #expect(isReclaiming(after: .seconds(2)) == nil, "there is nothing yet to compare with")
        #expect(isReclaiming(after: .seconds(4)) == false)
        #expect(isReclaiming(after: .milliseconds(4_001)) == nil)
        #expect(isReclaiming(after: .seconds(2)) == false)
    }

    // MARK: The readings of a calm scope

    /// A judge of a calm scope with three tenths of its limit left.
    private static func calm(_ rung: Rung = .privileged) -> PressureJudge {
        var first = usage(left: 3_000, at: MonotonicInstant(nanoseconds: 1_000_000_000))
        first.stalls = Self.stalls(some: 0)
        return PressureJudge(rung: rung, window: .milliseconds(500), policy: SensorPolicy(), first: first)
    }

    private static let everything: SensorReads = [.limitEvents, .stalls, .headroom, .reclaim]

    @Test("in a calm scope with triggers only headroom is read, and everything else once headroom is short")
    func calmLook() throws {
        var judge = Self.calm()
        let calm = try #require(judge.due)
        #expect(judge.begin(.tick, at: calm) == .headroom)
        _ = judge.take(Self.usage(left: 2_000, at: calm))
        let short = try #require(judge.due)
        #expect(judge.begin(.tick, at: short) == .headroom)
        guard case .done(.rose(from: .normal)?) = judge.take(Self.usage(left: 900, at: short)) else {
            Issue.record("9 % left are no warning")
            return
        }
        #expect(judge.machine.reason.source == .headroom)
        #expect(judge.begin(.tick, at: short.advanced(by: judge.window)) == Self.everything)
    }

    @Test(
        "a calm scope is read in full without triggers, after a pause in polling, and if headroom cannot be read",
        arguments: [Rung.privileged, .unprivileged, .events]
    )
    func fullLook(rung: Rung) throws {
        var judge = Self.calm(rung)
        let due = try #require(judge.due)
        #expect(judge.begin(.tick, at: due) == (rung == .events ? Self.everything : .headroom))
        #expect(judge.begin(.deafTick, at: due) == Self.everything)
        var failed = SensorReadings(at: due)
        failed.failed = .headroom
        _ = judge.take(failed)
        #expect(judge.begin(.tick, at: try #require(judge.due)) == Self.everything)
    }

    @Test("at a hit of a limit the kernel's average of the stalls decides, as the totals are not compared then")
    func hitWithStalls() {
        let met = MonotonicInstant(nanoseconds: 1_100_000_000)
        let levels = [0, 90].map { (percent: UInt32) in
            var judge = Self.calm()
            _ = judge.handle(.event(.limits), at: met) { _ in
                var readings = Self.usage(left: 3_000, at: met)
                readings.limitEvents = MemoryEvents(high: 1, max: 0)
                readings.stalls = PressureStall(
                    some: PressureStall.Line(average10: Share(basisPoints: percent * 100), total: 0),
                    full: PressureStall.Line(average10: Share(basisPoints: percent * 100), total: 0)
                )
                return readings
            }
            return judge.machine.level
        }
        #expect(levels == [.normal, .critical])
    }

    @Test("after a pause in polling the limits are read before they are polled again")
    func mutedLimits() throws {
        var judge = Self.calm()
        let met = MonotonicInstant(nanoseconds: 1_100_000_000)
        _ = judge.handle(.event(.limits), at: met) { _ in
            var readings = Self.usage(left: 3_000, at: met)
            readings.limitEvents = MemoryEvents(high: 1, max: 0)
            return readings
        }
        #expect(judge.wanted(among: .all) == [.some, .full])
        #expect(judge.begin(.tick, at: try #require(judge.due)) == Self.everything)
        #expect(judge.wanted(among: .all) == .all)
    }
}
