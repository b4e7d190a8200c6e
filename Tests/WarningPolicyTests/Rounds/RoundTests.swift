import MemoryPressure
import MemwarnProtocol
import Testing

@testable import WarningPolicy

struct RoundTests {
    static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    static func round(_ options: WarningOptions = .answerWanted, scope: String = "/") -> Round {
        Round(
            id: 42,
            level: .critical,
            options: options,
            reason: PressureReason(.fullStall, figure: .percent(7.5), threshold: .percent(5)),
            scope: scope,
            bytesWanted: 1 << 20,
            deadline: .milliseconds(1_500),
            at: start
        )
    }

    @Test func countsTheOutcomeOfEachHost() {
        var round = Self.round()
        for _ in 0..<5 { round.address() }
        #expect(round.outstanding == 5)
        round.answer(.claiming(10 << 20), after: .milliseconds(3))
        round.answer(.claiming(6 << 20), after: .milliseconds(200))
        round.silence()
        round.fail()
        #expect(round.outstanding == 1)
        round.withdraw()
        #expect(round.outstanding == 0)
        round.endStage(at: Self.start.advanced(by: .milliseconds(250)))
        round.finish()

        let record = round.record(at: Self.start.advanced(by: .seconds(3)))
        let expected = RoundRecord(
            id: 42,
            state: .finished,
            level: .critical,
            options: .answerWanted,
            reason: round.reason,
            bytesWanted: 1 << 20,
            hosts: 4,
            answered: 2,
            silent: 1,
            undeliverable: 1,
            released: 16 << 20,
            residentFreed: 16 << 20,
            age: 3_000,
            duration: 250_000,
            scope: "/",
            medianAnswer: 3_071,
            slowestAnswer: 200_000
        )
        #expect(record == expected)
    }

    @Test func theDurationOfARunningRoundIsItsAge() {
        let record = Self.round().record(at: Self.start.advanced(by: .milliseconds(20)))
        #expect(record.state == .running)
        #expect(record.duration == 20_000)
        #expect(record.age == 20)
    }

    @Test("a round does not wait for answers that it did not request")
    func unansweredRound() {
        var round = Self.round([])
        round.address()
        #expect(round.outstanding == 0)
    }

    @Test("claims that exceed all memory stay at the largest number")
    func largeClaims() {
        var round = Self.round()
        for _ in 0..<2 {
            round.address()
            round.answer(
                Acknowledgement(
                    released: .max,
                    residentBefore: .max,
                    residentAfter: 1,
                    duration: .max,
                    releasable: .max
                ),
                after: .zero
            )
        }
        #expect(round.released == .max)
        #expect(round.residentFreed == .max)
    }

    @Test func residentMemoryThatGrewFreesNothing() {
        var round = Self.round()
        round.address()
        round.answer(
            Acknowledgement(released: 5, residentBefore: 10, residentAfter: 20, duration: 0, releasable: 0),
            after: .zero
        )
        #expect(round.released == 5)
        #expect(round.residentFreed == 0)
    }

    @Test("a deadline can only be extended")
    func extending() {
        var round = Self.round()
        #expect(round.expires == Self.start.advanced(by: .milliseconds(1_500)))
        round.extend(from: Self.start.advanced(by: .seconds(-1)))
        #expect(round.expires == Self.start.advanced(by: .milliseconds(1_500)))
        round.extend(from: Self.start.advanced(by: .seconds(1)))
        #expect(round.expires == Self.start.advanced(by: .milliseconds(2_500)))
    }

    @Test func theWarningHasTheReasonOfTheRound() {
        let warning = Warning(
            level: .critical,
            options: .answerWanted,
            reason: PressureReason(.fullStall, figure: .percent(7.5), threshold: .percent(5)),
            bytesWanted: 1 << 20,
            deadline: 1_500,
            scope: "/a.slice"
        )
        #expect(Self.round(scope: "/a.slice").warning == warning)
    }

    @Test("a path that is too long for a frame is cut, in the warning and in the record")
    func longPath() throws {
        let path = "/" + String(repeating: "é", count: 1_000)
        let round = Self.round(scope: path)
        let cut = "/" + String(repeating: "é", count: 511)
        #expect(round.record(at: Self.start).scope == cut)
        #expect(try Frame(sequence: 42, message: .warning(round.warning)).encoded().count == 39 + 2 + 1_023 + 11)
    }
}
