import MemoryPressure
import Testing

struct PressureJudgeTests {
    /// A cgroup of which nothing is known but how much of its 10 000 bytes is used.
    private struct Usage: PressureSource {
        var left: UInt64

        func stalls() throws(KernelError) -> PressureStall? { nil }
        func limitEvents() throws(KernelError) -> MemoryEvents? { nil }
        func headroom() -> Headroom? {
            Headroom(limit: BindingLimit(.max, bytes: 10_000, path: "/a"), used: 10_000 - left)
        }
        func reclaim() -> ReclaimCounters? { nil }
    }

    /// A judge on a clock that goes from tick to tick.
    private final class Clock {
        private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
        private var judge: PressureJudge

        init(left: UInt64) {
            var first = SensorReadings(at: now)
            first.headroom = Usage(left: left).headroom()
            judge = PressureJudge(rung: .events, window: .seconds(1), policy: SensorPolicy(), first: first)
        }

        var level: PressureLevel { judge.machine.level }
        var pause: Duration? { judge.pause }

        /// Lets the next tick come due, at which so much is left as is told by the seconds it took.
        func tick(left: (Double) -> UInt64) throws {
            let pause = try #require(judge.pause, "nobody looks any more")
            now = now.advanced(by: pause)
            _ = try judge.tick(from: Usage(left: left(pause / .seconds(1))), at: now)
        }

        /// Lets ticks come due until the level is this one.
        ///
        /// - Returns: the seconds that it took.
        func wait(for wanted: PressureLevel, left: (Double) -> UInt64) throws -> Double {
            let begin = now
            repeat {
                try tick { _ in left(begin.duration(to: now.advanced(by: judge.pause ?? .zero)) / .seconds(1)) }
            } while level != wanted && begin.duration(to: now) < .seconds(60)
            #expect(level == wanted)
            return begin.duration(to: now) / .seconds(1)
        }
    }

    @Test(
        "what was given and is loaded again, a third of the limit in a second, is seen in time",
        arguments: [1_800, 6_000]
    )
    func loadsAgain(calm: UInt64) throws {
        let clock = Clock(left: 4_000)
        // At 3 % a second it is short for the first time, and hosts give what they have.
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

    @Test("a scope that has been calm for a while is let alone again")
    func calm() throws {
        let clock = Clock(left: 4_000)
        _ = try clock.wait(for: .warning) { 4_000 - UInt64(min(3_500, $0 * 300)) }
        _ = try clock.wait(for: .normal) { _ in 6_000 }
        #expect(clock.pause == .milliseconds(100))
        for _ in 0..<99 { try clock.tick { _ in 6_000 } }
        #expect(clock.pause == .milliseconds(100))
        try clock.tick { _ in 6_000 }
        #expect(clock.pause == nil)
    }
}
