import MemoryPressure
import TestSupport
import Testing

struct SamplingPolicyTests {
    private let policy = SamplingPolicy()

    /// The pause with `percent` left while `pace` percent are lost each second.
    private func pause(_ percent: Double, pace: Double = 0) -> Duration? {
        policy.pause(at: .percent(percent), pace: pace * 100)
    }

    @Test("far from the limit there are no readings, however fast memory shrinks", arguments: [50, 50.01, 80, 100])
    func far(percent: Double) {
        #expect(pause(percent) == nil)
        #expect(pause(percent, pace: 100) == nil)
    }

    @Test(
        "below that point the pause is proportional to the headroom above the rise point",
        arguments: [(50 - 0.01, 1_999.525), (40, 1_525), (30, 1_050), (20, 575), (12.51, 219.225)]
            as [(Double, Double)]
    )
    func proportion(percent: Double, milliseconds: Double) {
        #expect(pause(percent) == .nanoseconds(Int64((milliseconds * 1_000_000).rounded())))
    }

    @Test(
        "while memory shrinks the pause is half the time until the rise point, and at least a tenth of a second",
        arguments: [
            // The share that is left and the loss per second in percent; the pause in milliseconds.
            (30, 10, 1_000), (30, 12.5, 800), (30, 1, 1_050), (20, 25, 200), (12, 1, 1_000), (12, 2, 500),
            (11, 31, 100),
            (10, 1, 100), (8, 0.1, 100), (0, 9, 100),
        ] as [(Double, Double, Int)]
    )
    func pace(percent: Double, pace: Double, milliseconds: Int) {
        #expect(pause(percent, pace: pace) == .milliseconds(milliseconds))
    }

    @Test("at or below the fall point the pause is a second while nothing shrinks", arguments: [12.5, 11, 10, 5, 0])
    func standing(percent: Double) {
        #expect(pause(percent) == .seconds(1))
    }

    @Test(
        "for ten seconds after a level has ended, the pace is assumed to be a third of the limit a second",
        arguments: [(5, 100), (11, 100), (30, 300), (60, 750), (100, 1_350)] as [(Double, Int)]
    )
    func settling(percent: Double, milliseconds: Int) throws {
        for seconds in [0, 9.9] {
            let pause = try #require(policy.pause(at: .percent(percent), relief: .seconds(seconds)))
            #expect(pause >= .milliseconds(milliseconds))
            #expect(pause < .milliseconds(milliseconds + 1))
        }
        #expect(policy.pause(at: .percent(percent), relief: .seconds(10)) == pause(percent))
    }

    @Test("if the rise point is above the far point, headroom below the fall point is still read")
    func riseAboveFar() {
        var policy = SamplingPolicy()
        policy.rise = .percent(60)
        #expect(policy.fall == .percent(75))
        #expect(policy.pause(at: .percent(76)) == nil)
        #expect(policy.pause(at: .percent(75)) == .seconds(1))
        #expect(policy.pause(at: .percent(61), pace: 100) == .milliseconds(500))
        #expect(policy.pause(at: .percent(20)) == .seconds(1))
        #expect(policy.pause(at: .percent(20), pace: 7_000) == .milliseconds(100))
    }

    @Test("the pause is half the time until a rise point; below it, or while nothing shrinks, there is no pause")
    func towardsAPoint() {
        func pause(_ share: Double, pace: Double) -> Duration? {
            policy.pause(from: .percent(share), to: .percent(4), pace: pace)
        }
        #expect(pause(14, pace: 500) == .seconds(1))
        #expect(pause(14, pace: 1) == .seconds(500))
        #expect(pause(4.1, pace: 500) == .milliseconds(100))
        #expect(pause(4, pace: 1) == .milliseconds(100))
        #expect(pause(3.99, pace: 500) == nil)
        #expect(pause(14, pace: 0) == nil)
    }

    @Test("the pause is between the shortest and the longest at any pace")
    func bounds() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<10_000 {
            let now = Share(basisPoints: .random(in: 0..<5_000, using: &generator))
            let pace = Double.random(in: 0...100_000, using: &generator)
            let pause = try #require(policy.pause(at: now, pace: pace))
            #expect(pause >= policy.often && pause <= policy.seldom)
        }
    }
}
