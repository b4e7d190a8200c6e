import MemoryPressure
import TestSupport
import Testing

struct SamplingPolicyTests {
    private let policy = SamplingPolicy()

    private func pause(_ percent: Double, from last: Double? = nil, over seconds: Double = 1) -> Duration? {
        policy.pause(at: .percent(percent), last: last.map { (.percent($0), .seconds(seconds)) })
    }

    @Test("far from the limit nobody looks, growing or shrinking", arguments: [50, 50.01, 80, 100])
    func far(percent: Double) {
        #expect(pause(percent) == nil)
        #expect(pause(percent, from: 100) == nil)
        #expect(pause(percent, from: 0) == nil)
    }

    @Test(
        "below it, in proportion to what is left above the rise point",
        arguments: [(50 - 0.01, 9_997.5625), (40, 7_562.5), (30, 5_125), (20, 2_687.5), (12.51, 861.8125)]
            as [(Double, Double)]
    )
    func proportion(percent: Double, milliseconds: Double) {
        let expected = Duration.nanoseconds(Int64((milliseconds * 1_000_000).rounded()))
        #expect(pause(percent) == expected, "the first look")
        #expect(pause(percent, from: percent) == expected, "equal looks")
        #expect(pause(percent, from: percent - 1) == expected, "growing")
        #expect(pause(percent, from: 100, over: 0) == expected, "no time has passed, so that there is no pace")
        #expect(pause(percent, from: 100, over: -1) == expected)
    }

    @Test(
        "half the time until the rise point at the pace of the last look, and never more often than every 250 ms",
        arguments: [
            // What was left before and is left now, in percent, and the seconds between.
            (31, 30, 0.1, 1_000), (40, 30, 4, 4_000), (30.01, 30, 1, 5_125), (45, 20, 1, 250), (12, 11, 0.9, 450),
            (10.5, 10, 1, 250), (9, 8, 10, 250), (9, 0, 1, 250),
        ] as [(Double, Double, Double, Int)]
    )
    func pace(before: Double, now: Double, seconds: Double, milliseconds: Int) {
        #expect(pause(now, from: before, over: seconds) == .milliseconds(milliseconds))
    }

    @Test("at or below the fall point every second while nothing shrinks", arguments: [12.5, 11, 10, 5, 0])
    func standing(percent: Double) {
        #expect(pause(percent) == .seconds(1))
        #expect(pause(percent, from: percent) == .seconds(1))
        #expect(pause(percent, from: percent - 0.01 < 0 ? 0 : percent - 0.01) == .seconds(1))
        #expect(pause(percent, from: 100, over: 0) == .seconds(1))
    }

    @Test("with a rise point above far, what is below the fall point is looked after all the same")
    func riseAboveFar() {
        var policy = SamplingPolicy()
        policy.rise = .percent(60)
        #expect(policy.fall == .percent(75))
        #expect(policy.pause(at: .percent(76)) == nil)
        #expect(policy.pause(at: .percent(75)) == .seconds(1))
        #expect(policy.pause(at: .percent(75), last: (.percent(76), .seconds(1))) == .milliseconds(250))
        #expect(policy.pause(at: .percent(20)) == .seconds(1))
        #expect(policy.pause(at: .percent(20), last: (.percent(90), .seconds(1))) == .milliseconds(250))
    }

    @Test("a pace of any size gives a pause between the shortest and the longest")
    func bounds() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<10_000 {
            let now = Share(basisPoints: .random(in: 0..<5_000, using: &generator))
            let before = Share(basisPoints: .random(in: 0...10_000, using: &generator))
            let elapsed = Duration.nanoseconds(Int64.random(in: -1...Int64.max, using: &generator))
            let pause = try #require(policy.pause(at: now, last: (before, elapsed)))
            #expect(pause >= policy.often && pause <= policy.seldom)
        }
    }
}
