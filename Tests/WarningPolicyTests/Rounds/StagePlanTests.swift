import MemoryPressure
import TestSupport
import Testing

@testable import WarningPolicy

struct StagePlanTests {
    private static func candidate(
        _ ring: StagePlan.Ring = .inside,
        priority: UInt8 = 128,
        _ releasable: UInt64 = 0
    ) -> StagePlan.Candidate {
        StagePlan.Candidate(ring: ring, priority: priority, releasable: releasable)
    }

    @Test("a warning spreads outwards, and within a stage follows priority and releasable bytes")
    func order() {
        let candidates = [
            Self.candidate(.rest, priority: 0, 900), Self.candidate(.inside, 10), Self.candidate(.beside, 5),
            Self.candidate(.inside, 20), Self.candidate(.inside, priority: 0, 1), Self.candidate(.inside, 20),
            Self.candidate(.inside, priority: 255, 99),
        ]
        let plan = StagePlan(candidates, level: .warning, wanted: 0)
        #expect(plan.stages == [[4, 3, 5, 1, 6], [2], [0]])
    }

    @Test("all hosts are told at once at critical, and at the end", arguments: [PressureLevel.critical, .normal])
    func atOnce(level: PressureLevel) {
        let candidates = [Self.candidate(.rest, 3), Self.candidate(.inside, 2), Self.candidate(.beside, 9)]
        #expect(StagePlan(candidates, level: level, wanted: 0).stages == [[2, 0, 1]])
    }

    @Test func withoutHostsThereIsNoStage() {
        #expect(StagePlan([], level: .warning, wanted: 5).stages.isEmpty)
        #expect(StagePlan([], level: .critical, wanted: 5).stages.isEmpty)
        #expect(StagePlan([Self.candidate(.rest)], level: .warning, wanted: 0).stages == [[0]])
    }

    @Test(
        "the wanted bytes are divided in proportion to releasable bytes, and no host is asked for more than it has",
        arguments: [
            (100, [100, 300], [25, 75]),
            (400, [100, 300], [100, 300]),
            (4_000, [100, 300], [100, 300]),
            (0, [100, 300], [0, 0]),
            (100, [0, 0], [0, 0]),
            (90, [0, 30, 60], [0, 30, 60]),
            (.max, [.max, .max], [1 << 63, 1 << 63]),
            (1 << 40, [.max, 0], [1 << 40, 0]),
        ] as [(UInt64, [UInt64], [UInt64])]
    )
    func shares(wanted: UInt64, releasable: [UInt64], expected: [UInt64]) {
        let plan = StagePlan(releasable.map { Self.candidate(.inside, $0) }, level: .critical, wanted: wanted)
        #expect(plan.bytesWanted == expected)
    }

    @Test("thousands of hosts are warned with pauses in between, but without pauses at critical")
    func slices() {
        let stage = Array(0..<150)
        #expect(StagePlan.slices(of: stage, level: .warning).map(\.count) == [64, 64, 22])
        #expect(StagePlan.slices(of: stage, level: .warning).flatMap(\.self) == stage)
        #expect(StagePlan.slices(of: stage, level: .critical) == [stage])
        var generator = SeededGenerator(seed: 1)
        let pauses = (0..<100).map { _ in StagePlan.pause(using: &generator) }
        #expect(pauses.allSatisfy { $0 >= .milliseconds(2) && $0 <= .milliseconds(6) })
        #expect(Set(pauses).count > 50)
    }
}

struct AnswerTimesTests {
    @Test("the median is accurate to an eighth, and never above the slowest")
    func median() {
        var times = AnswerTimes()
        #expect(times.median == .zero)
        for milliseconds in [1, 2, 3, 100, 900] { times.add(.milliseconds(milliseconds)) }
        #expect(times.median >= .milliseconds(3))
        #expect(times.median < .microseconds(3_400))
        #expect(times.slowest == .milliseconds(900))
        var one = AnswerTimes()
        one.add(.microseconds(700))
        #expect(one.median == .microseconds(700))
    }

    @Test("every duration has a bucket", arguments: [0, 7, 8, 15, 16, 1_000, 1_048_575, 60_000_000, Int64.max / 1_000])
    func anyTime(microseconds: Int64) {
        var times = AnswerTimes()
        times.add(.microseconds(microseconds))
        times.add(.microseconds(microseconds))
        #expect(times.median <= .microseconds(microseconds))
        #expect(times.median.microseconds >= min(UInt64(microseconds), 80_000_000) / 9 * 8)
    }
}
