import MemoryPressure
import MemwarnProtocol
import Testing

@testable import WarningPolicy

struct CountersTests {
    static func round(
        _ level: PressureLevel = .critical,
        _ options: WarningOptions = .answerWanted,
        released: UInt64 = 0,
        residentFreed: UInt64 = 0,
        used: (before: UInt64, after: UInt64) = (0, 0)
    ) -> RoundRecord {
        RoundRecord(
            id: 1,
            state: .finished,
            level: level,
            options: options,
            reason: .simulation,
            bytesWanted: 0,
            hosts: 10,
            answered: 4,
            silent: 3,
            undeliverable: 2,
            released: released,
            residentFreed: residentFreed,
            age: 0,
            duration: 0,
            scope: "/",
            unacknowledged: 1,
            usedBefore: used.before,
            usedAfter: used.after
        )
    }

    @Test("a round is counted by its level, simulated ones separately, and its hosts are counted by outcome")
    func rounds() {
        var counters = Counters()
        counters.add(Self.round(.critical))
        counters.add(Self.round(.warning))
        counters.add(Self.round(.warning, [.simulated, .answerWanted]))
        let record = counters.record
        #expect(PressureLevel.allCases.map { record.rounds[$0] } == [0, 1, 1])
        #expect(PressureLevel.allCases.map { record.simulations[$0] } == [0, 1, 0])
        #expect(record.sent == 24)
        #expect(record.answered == 12)
        #expect(record.silent == 9)
        #expect(record.undeliverable == 6)
        #expect(record.unacknowledged == 3)
    }

    @Test("bytes that the kernel freed are compared with those released in the same rounds")
    func kernelFreed() {
        var counters = Counters()
        counters.add(Self.round(released: 100, residentFreed: 90))
        #expect(counters.record.releasedMeasured == 0)
        counters.add(Self.round(released: 50, used: (1_000, 970)))
        #expect(counters.record.releasedMeasured == 50)
        #expect(counters.record.kernelFreed == 30)
        // Another process used more memory than the hosts released.
        counters.add(Self.round(released: 50, used: (1_000, 2_000)))
        #expect(counters.record.releasedMeasured == 100)
        #expect(counters.record.kernelFreed == 30)
        #expect(counters.record.released == 200)
        #expect(counters.record.residentFreed == 90)
    }

    @Test func aClaimOfEverythingDoesNotSaturateTheCount() {
        var counters = Counters()
        counters.add(Self.round(released: .max, residentFreed: .max, used: (.max, 1)))
        let before = counters.record
        counters.add(Self.round(released: 7, residentFreed: 8, used: (10, 1)))
        #expect(counters.record.released == before.released &+ 7)
        #expect(counters.record.releasedMeasured == before.releasedMeasured &+ 7)
        #expect(counters.record.residentFreed == before.residentFreed &+ 8)
        #expect(counters.record.kernelFreed == before.kernelFreed &+ 9)
    }

    @Test func aLevelThatIsRepeatedIsNoChange() {
        var counters = Counters()
        counters.add(.rose(from: .normal), to: .critical)
        counters.add(.persists, to: .critical)
        counters.add(.fell(from: .critical), to: .normal)
        #expect(PressureLevel.allCases.map { counters.record.changes[$0] } == [1, 0, 1])
    }

    @Test("an answer is counted in the first bucket whose bound it does not exceed")
    func answers() {
        var counters = Counters()
        for microseconds in [0, 1_000, 1_001, 5_000_000, 60_000_000] {
            counters.answer(after: .microseconds(microseconds))
        }
        #expect(counters.record.answers.counts == [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
        #expect(counters.record.answers.sum == 65_002_001)
    }

    @Test("refusals are counted by code, and those with an unknown code together")
    func refusals() {
        var counters = Counters()
        for code: Refusal.Code in [.tooManyPeers, .tooManyPeers, .malformed] { counters.refuse(code) }
        for number: UInt16 in [0, 77, 1_000] { counters.refuse(Refusal.Code(rawValue: number)) }
        #expect(RefusalCounts.codes.map { counters.record.refusals[$0] } == [1, 0, 0, 0, 2, 0, 0])
        #expect(counters.record.refusals.others == 3)
    }

    @Test func configurationsCountByWhetherTheyTookEffect() {
        var counters = Counters()
        counters.reload(succeeded: true)
        counters.reload(succeeded: false)
        counters.reload(succeeded: false)
        #expect(counters.record.reloads == 1)
        #expect(counters.record.failedReloads == 2)
    }
}
