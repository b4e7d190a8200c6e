import MemoryPressure
import Testing

struct LevelVerdictTests {
    private static let limit = BindingLimit(.max, bytes: 10_000, path: "/a")

    private static func reading(
        some: Double? = nil,
        full: Double = 0,
        left: Double? = nil,
        high: UInt64 = 0,
        max: UInt64 = 0,
        reclaiming: Bool? = nil
    ) -> PressureReading {
        PressureReading(
            at: MonotonicInstant(nanoseconds: 1),
            stalls: some.map { StallShares(some: .percent($0), full: .percent(full)) },
            headroom: left.map { Headroom(limit: limit, used: 10_000 - UInt64($0 * 100)) },
            hits: LimitHits(high: high, max: max),
            isReclaiming: reclaiming
        )
    }

    @Test(
        "the level to which a reading raises, and the reason",
        arguments: [
            (reading(), .normal, .someStall),
            (reading(some: 10), .warning, .someStall),
            (reading(some: 9.9), .normal, .someStall),
            (reading(some: 39.9), .warning, .someStall),
            (reading(some: 40), .critical, .someStall),
            (reading(some: 10, full: 9.9), .warning, .someStall),
            (reading(some: 10, full: 10), .critical, .fullStall),
            (reading(some: 40, full: 10, reclaiming: false), .normal, .someStall),
            (reading(some: 40, reclaiming: true), .critical, .someStall),
            (reading(left: 10), .normal, .someStall),
            (reading(left: 9.9), .warning, .headroom),
            (reading(left: 4), .warning, .headroom),
            (reading(left: 3.9), .critical, .headroom),
            (reading(some: 40, left: 3.9), .critical, .someStall),
            (reading(some: 40, left: 3.9, reclaiming: false), .critical, .headroom),
        ] as [(PressureReading, PressureLevel, PressureReason.Source)]
    )
    func rise(reading: PressureReading, level: PressureLevel, source: PressureReason.Source) {
        let verdict = LevelPolicy().rise(by: reading, isSustained: true)
        #expect(verdict.level == level)
        #expect(verdict.reason.source == source)
        #expect(verdict.reason.limit == reading.headroom?.limit)
    }

    @Test(
        "hits of a limit count if memory is short, but not if files are being read",
        arguments: [
            // Stalls and headroom are unknown: the hits are the only evidence.
            (reading(high: 1), .warning, .highEvents),
            (reading(max: 1), .critical, .maxEvents),
            // Little is left, apart from pages that could be dropped.
            (reading(left: 12, high: 7), .warning, .highEvents),
            (reading(left: 12, max: 1), .critical, .maxEvents),
            // Tasks stall.
            (reading(some: 6, left: 60, high: 7), .warning, .highEvents),
            (reading(some: 6, left: 60, max: 7), .critical, .maxEvents),
            // A file cache that hits its limit a thousand times a second.
            (reading(some: 1, left: 60, high: 1_000), .normal, .someStall),
            (reading(some: 1, left: 60, max: 1_000), .normal, .someStall),
            (reading(left: 60, max: 1_000), .normal, .someStall),
            (reading(left: 12.5, max: 1_000), .normal, .someStall),
            (reading(some: 5, left: 60, high: 7), .normal, .someStall),
            (reading(some: 1, max: 1_000), .normal, .someStall),
        ] as [(PressureReading, PressureLevel, PressureReason.Source)]
    )
    func hits(reading: PressureReading, level: PressureLevel, source: PressureReason.Source) {
        let verdict = LevelPolicy().rise(by: reading, isSustained: false)
        #expect(verdict.level == level)
        #expect(verdict.reason.source == source)
    }

    @Test(
        "the fall points are different from the rise points",
        arguments: [
            (reading(some: 5), .normal),
            (reading(some: 5.1), .warning),
            (reading(some: 20), .warning),
            (reading(some: 20.1), .critical),
            (reading(some: 5, full: 5), .normal),
            (reading(some: 6, full: 5.1), .critical),
            (reading(some: 20.1, full: 5.1, reclaiming: false), .normal),
            (reading(left: 12.5), .normal),
            (reading(left: 12.4), .warning),
            (reading(left: 5), .warning),
            (reading(left: 4.9), .critical),
            (reading(some: 6, high: 1), .warning),
            (reading(left: 12.4, max: 1), .critical),
        ] as [(PressureReading, PressureLevel)]
    )
    func hold(reading: PressureReading, level: PressureLevel) {
        #expect(LevelPolicy().hold(by: reading).level == level)
    }

    @Test("stalls without reclaim are not evidence of short memory, unless the rules change that")
    func evidence() {
        var policy = LevelPolicy()
        let compaction = Self.reading(some: 50, full: 20, reclaiming: false)
        #expect(policy.rise(by: compaction, isSustained: true).level == .normal)
        policy.needsReclaim = false
        #expect(policy.rise(by: compaction, isSustained: true).level == .critical)
    }

    @Test("a run of stalls begins with the first believed one")
    func unbelievedStallsAreNoRun() {
        var machine = LevelMachine(at: MonotonicInstant(nanoseconds: 0))
        #expect(machine.feed(Self.reading(some: 30, reclaiming: false)) == nil)
        #expect(!machine.needsReadings)
        #expect(machine.feed(Self.reading(some: 30, reclaiming: true)) == nil)
        #expect(machine.feed(Self.reading(some: 30, reclaiming: true)) == .rose(from: .normal))
    }

    @Test("the reason names the limit that binds")
    func description() {
        let verdict = LevelPolicy().rise(by: Self.reading(left: 3), isSustained: false)
        #expect("\(verdict.reason)" == "headroom 3% (threshold 4%) of memory.max of /a")
        #expect("\(PressureReason(.maxEvents, limit: Self.limit))" == "memory.max reached, memory.max of /a")
        #expect("\(PressureReason(.highEvents))" == "memory.high reached")
        #expect("\(BindingLimit(.machine, bytes: 1, path: "/"))" == "MemTotal")
    }
}
