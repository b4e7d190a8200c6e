import MemoryPressure
import MemwarnProtocol
import Testing

@testable import memwarnd

struct RoundsTests {
    @Test func aRoundEndsWithItsLastAnswer() throws {
        let bench = try RoundsBench(hosts: 2)
        let round = bench.begin(.warning)
        #expect(!round.isFinished)
        #expect(bench.hosts.map(\.rounds) == [[1], [1]])
        #expect(bench.hosts.map { $0.host.told } == [.warning, .warning])

        bench.answer(0, round: 1, released: 4 << 20, releasable: 77)
        #expect(bench.finished.isEmpty)
        #expect(bench.hosts[0].host.releasable == 77)
        bench.answer(1, round: 1, released: 1 << 20)
        #expect(bench.finished.map(\.id) == [1])
        #expect(bench.finished[0].answered == 2)
        #expect(bench.finished[0].released == 5 << 20)
        #expect(bench.rounds.underWay.isEmpty)
    }

    @Test func aRoundForNobodyIsOverAtOnce() throws {
        let bench = try RoundsBench(hosts: 0)
        let round = bench.begin(.critical)
        #expect(round.isFinished)
        #expect(bench.finished.map(\.hosts) == [0])
        #expect(bench.rounds.count == 1)
    }

    @Test("one warning is in flight per host, and of those that wait the newest wins")
    func newestWins() throws {
        let bench = try RoundsBench(hosts: 2)
        bench.begin(.warning)
        bench.answer(1, round: 1)
        bench.begin(.critical)
        bench.begin(.warning, [.answerWanted, .repeated])
        // The second host answers everything at once, the first one is still busy.
        #expect(bench.hosts[0].rounds == [1])
        bench.answer(1, round: 2)
        #expect(bench.hosts[1].rounds == [1, 2, 3])
        bench.answer(1, round: 3)
        // Nobody else is told of the second round any more.
        #expect(bench.finished.map(\.id) == [2])
        #expect(bench.finished[0].hosts == 1)

        bench.answer(0, round: 1)
        #expect(bench.hosts[0].rounds == [1, 3])
        #expect(bench.finished.map(\.id) == [2, 1])
        bench.answer(0, round: 3)
        #expect(bench.finished.map(\.id) == [2, 1, 3])
        #expect(bench.finished[2].answered == 2)
    }

    @Test("a real warning does not wait for a simulated one in flight")
    func realBeforeSimulated() throws {
        let bench = try RoundsBench(hosts: 1)
        bench.begin(.warning, [.answerWanted, .simulated])
        bench.begin(.critical)
        #expect(bench.hosts[0].rounds == [1, 2])
        #expect(bench.finished.map(\.id) == [1])
        #expect(bench.finished[0].silent == 1)
        bench.answer(0, round: 1)
        #expect(bench.hosts[0].host.isAwaited, "the simulation's answer comes too late")
        bench.answer(0, round: 2)
        #expect(bench.finished.map(\.answered) == [0, 1])
    }

    @Test("relief does not overtake the warning in flight")
    func reliefWaits() throws {
        let bench = try RoundsBench(hosts: 1)
        bench.begin(.critical)
        let relief = bench.begin(.normal, [])
        #expect(relief.isFinished)
        #expect(bench.hosts[0].levels == [.critical])
        #expect(bench.hosts[0].host.told == .critical)
        #expect(bench.hosts[0].host.believed == .normal)

        bench.answer(0, round: 1)
        #expect(bench.hosts[0].levels == [.critical, .normal])
        #expect(bench.hosts[0].host.told == .normal)
        #expect(bench.hosts[0].host.isAwaited == false)
    }

    @Test("a host that was owed a worse level hears only that it is over")
    func reliefReplacesWhatIsOwed() throws {
        let bench = try RoundsBench(hosts: 1)
        bench.begin(.warning)
        bench.begin(.critical)
        #expect(bench.hosts[0].host.believed == .critical)
        bench.begin(.normal, [])
        // The critical round has nobody left.
        #expect(bench.finished.map(\.id) == [2, 3])
        bench.answer(0, round: 1)
        #expect(bench.hosts[0].levels == [.warning, .normal])
    }

    @Test func aSimulationDoesNotTakeThePlaceOfARealWarning() throws {
        let bench = try RoundsBench(hosts: 1)
        bench.begin(.warning)
        bench.begin(.critical)
        let simulated = bench.begin(.normal, [.simulated, .answerWanted])
        #expect(simulated.undeliverable == 1)
        #expect(simulated.isFinished)
        bench.answer(0, round: 1)
        #expect(bench.hosts[0].levels == [.warning, .critical])
        // But a real one takes the place of a simulated one.
        bench.begin(.warning, [.simulated, .answerWanted])
        bench.begin(.normal, [])
        bench.answer(0, round: 2)
        #expect(bench.hosts[0].levels == [.warning, .critical, .normal])
    }

    @Test func aSimulatedLevelIsNotWhatAHostBelieves() throws {
        let bench = try RoundsBench(hosts: 1)
        bench.begin(.critical, [.simulated, .answerWanted])
        #expect(bench.hosts[0].host.told == .normal)
        #expect(bench.hosts[0].host.believed == .normal)
        bench.begin(.warning, [.simulated, .answerWanted])
        #expect(bench.hosts[0].host.believed == .normal)
    }

    @Test("who lets the deadline pass is silent, and still gets the newest warning")
    func deadline() throws {
        let bench = try RoundsBench(hosts: 2)
        bench.begin(.warning, deadline: .milliseconds(20))
        bench.answer(1, round: 1)
        bench.begin(.critical, deadline: .milliseconds(20))
        bench.answer(1, round: 2)
        try bench.wait(forRounds: 2)

        #expect(bench.finished.map(\.id) == [1, 2])
        #expect(bench.finished.map(\.answered) == [1, 1])
        #expect(bench.finished.map(\.silent) == [1, 1])
        #expect(bench.hosts[0].rounds == [1, 2])
        #expect(bench.hosts[0].host.delivery?.outcome == .silent)
        // The second round's deadline began for this host when it was told.
        let took = bench.finished[1].started.duration(to: try #require(bench.finished[1].answeredAt))
        #expect(took >= .milliseconds(20))
    }

    @Test("a late answer is noted on the host and does not change its round")
    func lateAnswer() throws {
        let bench = try RoundsBench(hosts: 1)
        bench.begin(.warning, deadline: .milliseconds(20))
        try bench.wait(forRounds: 1)
        bench.answer(0, round: 1, released: 99, releasable: 7)
        let record = bench.hosts[0].host.record(.present)
        #expect(record.outcome == .silent)
        #expect(record.released == 99)
        #expect(record.releasable == 7)
        #expect(bench.finished.map(\.released) == [0])
        #expect(bench.finished.map(\.silent) == [1])
    }

    @Test("a full socket is not waited for, and the next warning is tried again")
    func fullSocket() throws {
        let bench = try RoundsBench(hosts: 2)
        bench.hosts[0].sent = .full
        bench.begin(.critical)
        #expect(bench.hosts[0].host.delivery?.outcome == .undeliverable)
        #expect(bench.hosts[0].host.told == .normal)
        bench.answer(1, round: 1)
        #expect(bench.finished.map(\.undeliverable) == [1])

        bench.hosts[0].sent = .sent
        bench.begin(.critical)
        #expect(bench.hosts.map(\.rounds) == [[2], [1, 2]])
    }

    @Test("a host that cannot be told what it is owed is undeliverable in that round")
    func fullSocketWhenOwed() throws {
        let bench = try RoundsBench(hosts: 1)
        bench.begin(.warning)
        bench.begin(.critical)
        bench.hosts[0].sent = .closed
        bench.answer(0, round: 1)
        #expect(bench.finished.map(\.id) == [1, 2])
        #expect(bench.finished[1].undeliverable == 1)
        #expect(bench.hosts[0].host.told == .warning)
    }

    @Test("a host that leaves in the middle ends the wait for it, and what it was owed is withdrawn")
    func leaving() throws {
        let bench = try RoundsBench(hosts: 2)
        bench.begin(.warning)
        bench.answer(1, round: 1)
        bench.begin(.critical)
        bench.answer(1, round: 2)
        #expect(bench.finished.isEmpty)
        bench.rounds.leave(bench.hosts[0].host)
        #expect(Set(bench.finished.map(\.id)) == [1, 2])
        let first = try #require(bench.finished.first { $0.id == 1 })
        let second = try #require(bench.finished.first { $0.id == 2 })
        #expect(first.silent == 1)
        #expect(second.hosts == 1)
        #expect(bench.hosts[0].rounds == [1])
    }

    @Test("answers that nobody asked for, to another round, or twice, change nothing")
    func strayAnswers() throws {
        let bench = try RoundsBench(hosts: 2)
        bench.answer(0, round: 1, released: 5, releasable: 5)
        #expect(bench.hosts[0].host.releasable == 0)

        bench.begin(.warning)
        for wrong: UInt64 in [0, 2, .max] { bench.answer(0, round: wrong, released: 5, releasable: 5) }
        #expect(bench.hosts[0].host.isAwaited)
        #expect(bench.rounds.underWay[0].answered == 0)

        bench.answer(0, round: 1, released: 1, releasable: 1)
        bench.answer(0, round: 1, released: 100, releasable: 100)
        #expect(bench.hosts[0].host.releasable == 1)
        #expect(bench.rounds.underWay[0].answered == 1)
        #expect(bench.rounds.underWay[0].released == 1)
    }

    @Test func theDeadlineIsTheConfiguredOneUnlessAnotherIsAskedFor() throws {
        let bench = try RoundsBench(hosts: 1)
        let cause = Rounds.Cause(level: .critical, options: .answerWanted, reason: .simulation, scope: "/")
        #expect(bench.rounds.begin(cause, []).deadline == .seconds(1))
        #expect(bench.begin(.critical, deadline: .milliseconds(3)).deadline == .milliseconds(3))
    }
}
