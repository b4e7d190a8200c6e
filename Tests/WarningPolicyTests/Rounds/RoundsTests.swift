import MemoryPressure
import MemwarnProtocol
import Testing

@testable import WarningPolicy

struct RoundsTests {
    @Test func aRoundEndsWithItsLastAnswer() {
        var bench = PolicyBench(hosts: 2)
        bench.set(.warning)
        #expect([1, 2].map { bench.rounds($0) } == [[1], [1]])
        #expect([1, 2].map { bench.host($0).told } == [.warning, .warning])

        bench.answer(1, round: 1, released: 4 << 20, releasable: 77)
        #expect(bench.finished.isEmpty)
        #expect(bench.host(1).releasable == 77)
        bench.answer(2, round: 1, released: 1 << 20)
        #expect(bench.finished.map(\.id) == [1])
        #expect(bench.finished[0].answered == 2)
        #expect(bench.finished[0].released == 5 << 20)
        #expect(bench.policy.rounds.underWay.isEmpty)
        #expect(bench.policy.ledger.rounds.map(\.id) == [1])
        #expect(bench.policy.due == nil)
    }

    @Test func aRoundWithoutHostsIsOverAtOnce() {
        var bench = PolicyBench()
        bench.set(.critical)
        #expect(bench.finished.map(\.hosts) == [0])
        #expect(bench.policy.rounds.lastID == 1)
    }

    @Test("each host has one warning in flight, and only the newest waiting warning is kept")
    func newestWins() {
        var bench = PolicyBench(hosts: 2)
        bench.set(.warning)
        bench.answer(2, round: 1)
        bench.set(.critical)
        bench.set(.critical)
        // The second host answers everything at once; the first one is still busy.
        #expect(bench.rounds(1) == [1])
        bench.answer(2, round: 2)
        #expect(bench.rounds(2) == [1, 2, 3])
        bench.answer(2, round: 3)
        // The second round will not be sent to any other host.
        #expect(bench.finished.map(\.id) == [2])
        #expect(bench.finished[0].hosts == 1)

        bench.answer(1, round: 1)
        #expect(bench.rounds(1) == [1, 3])
        #expect(bench.finished.map(\.id) == [2, 1])
        bench.answer(1, round: 3)
        #expect(bench.finished.map(\.id) == [2, 1, 3])
        #expect(bench.finished[2].answered == 2)
    }

    @Test("a silent host delays a later warning by its own deadline, however many rounds and hosts come in between")
    func chainOfRounds() {
        var bench = PolicyBench()
        for _ in 0..<20 {
            bench.register()
            bench.simulate(.warning, deadline: 2_000)
        }
        bench.pass(.milliseconds(2_000))
        // All have had their two seconds, and are told of the newest round.
        #expect((1...19).allSatisfy { bench.rounds(HostID($0)) == [UInt64($0), 20] })
        bench.register(name: "late")
        bench.pass(.milliseconds(500))
        bench.simulate(.warning, deadline: 500)
        bench.pass(.milliseconds(1_500))
        #expect((1...20).allSatisfy { bench.rounds(HostID($0)).last == 21 })
        bench.pass(.milliseconds(500))
        #expect(bench.policy.rounds.underWay.isEmpty)
        #expect(bench.finished.allSatisfy { $0.hosts == $0.answered + $0.silent + $0.undeliverable })
    }

    @Test("a real warning does not wait for a simulated one in flight")
    func realBeforeSimulated() {
        var bench = PolicyBench(hosts: 1)
        bench.simulate(.warning)
        bench.set(.critical)
        #expect(bench.rounds(1) == [1, 2])
        #expect(bench.finished.map(\.id) == [1])
        #expect(bench.finished[0].silent == 1)
        bench.answer(1, round: 1)
        #expect(bench.host(1).isAwaited, "the simulation's answer comes too late")
        bench.answer(1, round: 2)
        #expect(bench.finished.map(\.answered) == [0, 1])
    }

    @Test("a waiting simulated warning is dropped when a real one comes, and its round ends")
    func owedSimulation() {
        var bench = PolicyBench(hosts: 2)
        bench.simulate(.critical)
        bench.simulate(.warning)
        bench.answer(2, round: 1)
        bench.answer(2, round: 2)
        bench.set(.critical)
        bench.answer(1, round: 3)
        bench.answer(2, round: 3)
        #expect(bench.rounds(1) == [1, 3])
        #expect(bench.finished.map(\.id).sorted() == [1, 2, 3])
        #expect(bench.policy.rounds.underWay.isEmpty)
    }

    @Test("relief also ends a waiting simulated warning if no answer comes")
    func reliefAfterSimulation() {
        var bench = PolicyBench(hosts: 1)
        bench.set(.warning)
        bench.answer(1, round: 1)
        bench.simulate(.critical)
        bench.simulate(.normal)
        bench.set(.normal)
        bench.answer(1, round: 2)
        #expect(bench.rounds(1) == [1, 2, 4])
        #expect(bench.policy.rounds.underWay.isEmpty)
    }

    @Test("relief does not overtake the warning in flight")
    func reliefWaits() {
        var bench = PolicyBench(hosts: 1)
        bench.set(.critical)
        bench.set(.normal)
        #expect(bench.finished.map(\.id) == [2], "it wants no answer")
        #expect(bench.levels(1) == [.critical])
        #expect(bench.host(1).told == .critical)
        #expect(bench.host(1).believed == .normal)

        bench.answer(1, round: 1)
        #expect(bench.levels(1) == [.critical, .normal])
        #expect(bench.host(1).told == .normal)
        #expect(bench.host(1).isAwaited == false)
    }

    @Test("a host that waits for a worse level is only told that pressure is over")
    func reliefReplacesWhatIsOwed() {
        var bench = PolicyBench(hosts: 1)
        bench.set(.warning)
        bench.set(.critical)
        #expect(bench.host(1).believed == .critical)
        bench.set(.normal)
        // No host is left in the critical round.
        #expect(bench.finished.map(\.id) == [2, 3])
        bench.answer(1, round: 1)
        #expect(bench.levels(1) == [.warning, .normal])
    }

    @Test func aSimulationDoesNotReplaceARealWarning() {
        var bench = PolicyBench(hosts: 1)
        bench.set(.warning)
        bench.set(.critical)
        bench.simulate(.normal)
        #expect(bench.finished.map(\.undeliverable) == [1])
        bench.answer(1, round: 1)
        #expect(bench.levels(1) == [.warning, .critical])
        // A real warning, however, replaces a simulated one.
        bench.simulate(.warning)
        bench.set(.normal)
        bench.answer(1, round: 2)
        #expect(bench.levels(1) == [.warning, .critical, .normal])
    }

    @Test func aSimulatedLevelDoesNotChangeTheHostsLevel() {
        var bench = PolicyBench(hosts: 1)
        bench.simulate(.critical)
        #expect(bench.host(1).told == .normal)
        #expect(bench.host(1).believed == .normal)
        bench.simulate(.warning)
        #expect(bench.host(1).believed == .normal)
    }

    @Test("a host that misses the deadline is silent, and still gets the newest warning")
    func deadline() {
        var bench = PolicyBench(hosts: 2)
        bench.set(.warning)
        bench.answer(2, round: 1)
        bench.set(.critical)
        bench.answer(2, round: 2)
        bench.pass(.milliseconds(1_999))
        #expect(bench.finished.isEmpty)
        bench.pass(.milliseconds(1))
        #expect(bench.finished.map(\.id) == [1])
        #expect(bench.rounds(1) == [1, 2])
        // This host's deadline in the second round began when it was warned.
        bench.pass(.milliseconds(999))
        #expect(bench.finished.count == 1)
        bench.pass(.milliseconds(1))
        #expect(bench.finished.map(\.id) == [1, 2])
        #expect(bench.finished.map(\.answered) == [1, 1])
        #expect(bench.finished.map(\.silent) == [1, 1])
        #expect(bench.host(1).delivery?.outcome == .silent)
        #expect(bench.policy.due == nil)
    }

    @Test("a late answer is recorded for the host and does not change its round")
    func lateAnswer() throws {
        var bench = PolicyBench(hosts: 1)
        bench.set(.warning)
        bench.pass(.seconds(2))
        bench.answer(1, round: 1, released: 99, releasable: 7)
        let record = bench.host(1).record(.present, scope: "/")
        #expect(record.outcome == .silent)
        #expect(record.released == 99)
        #expect(record.releasable == 7)
        #expect(bench.finished.map(\.released) == [0])
        #expect(bench.finished.map(\.silent) == [1])
    }

    @Test("an answer after the host's own deadline is late, though the round still waits for other hosts")
    func lateInARound() {
        var bench = PolicyBench(hosts: 2)
        bench.set(.warning)
        bench.answer(2, round: 1)
        // The second host is told at once, and the first one when its warning expires after 2 s.
        bench.simulate(.critical, deadline: 100)
        bench.pass(.milliseconds(101))
        bench.answer(2, round: 2, released: 9, releasable: 9)
        #expect(bench.host(2).delivery?.outcome == .silent)
        #expect(bench.host(2).delivery?.answer?.released == 9)
        #expect(bench.policy.rounds.underWay.map(\.silent) == [0, 1])
        bench.answer(1, round: 1)
        bench.pass(.milliseconds(100))
        bench.answer(1, round: 2)
        #expect(bench.finished.map(\.answered) == [2, 1])
        #expect(bench.finished.map(\.silent) == [0, 1])
    }

    @Test("when a host leaves during a round, the round stops waiting for it, and its waiting warning is dropped")
    func leaving() throws {
        var bench = PolicyBench(hosts: 2)
        bench.set(.warning)
        bench.answer(2, round: 1)
        bench.set(.critical)
        bench.answer(2, round: 2)
        #expect(bench.finished.isEmpty)
        bench.feed(.left(1))
        #expect(Set(bench.finished.map(\.id)) == [1, 2])
        let first = try #require(bench.finished.first { $0.id == 1 })
        let second = try #require(bench.finished.first { $0.id == 2 })
        #expect(first.silent == 1)
        #expect(second.hosts == 1)
        #expect(bench.rounds(1) == [1])
        #expect(bench.policy.hosts.count == 1)
        #expect(bench.policy.due == nil)
    }

    @Test("answers that were not requested, that answer another round, or that are repeated change nothing")
    func strayAnswers() {
        var bench = PolicyBench(hosts: 2)
        bench.answer(1, round: 1, released: 5, releasable: 5)
        #expect(bench.host(1).releasable == 0)

        bench.set(.warning)
        for wrong: UInt64 in [0, 2, .max] { bench.answer(1, round: wrong, released: 5, releasable: 5) }
        #expect(bench.host(1).isAwaited)
        #expect(bench.policy.rounds.underWay[0].answered == 0)

        bench.answer(1, round: 1, released: 1, releasable: 1)
        bench.answer(1, round: 1, released: 100, releasable: 100)
        bench.answer(77, round: 1)
        #expect(bench.host(1).releasable == 1)
        #expect(bench.policy.rounds.underWay[0].answered == 1)
        #expect(bench.policy.rounds.underWay[0].released == 1)
    }

    @Test func theDeadlineIsTheConfiguredOneUnlessTheRequestHasAnother() {
        var bench = PolicyBench(hosts: 1)
        bench.set(.critical)
        #expect(bench.policy.rounds.underWay.map(\.deadline) == [.seconds(1)])
        bench.answer(1, round: 1)
        bench.simulate(.critical, deadline: 3)
        #expect(bench.policy.rounds.underWay.map(\.deadline) == [.milliseconds(3)])
        bench.answer(1, round: 2)
        bench.simulate(.critical, deadline: .max)
        #expect(bench.policy.rounds.underWay.map(\.deadline) == [.seconds(60)])
    }

    @Test("a repeated level is not sent to a host that has nothing left to release")
    func exhausted() {
        var bench = PolicyBench(hosts: 2)
        bench.set(.warning)
        bench.answer(1, round: 1)
        bench.answer(2, round: 1, released: 1, releasable: 5)
        bench.set(.warning)
        #expect([1, 2].map { bench.rounds($0) } == [[1], [1, 2]])
    }

    @Test(
        "the answer to a simulation does not spare a host the repetitions of real pressure",
        arguments: [PressureLevel.normal, .critical]
    )
    func exhaustedBySimulation(level: PressureLevel) {
        var bench = PolicyBench(hosts: 1)
        bench.set(.critical)
        bench.answer(1, round: 1, released: 4)
        bench.simulate(level)
        bench.answer(1, round: 2)
        bench.set(.critical)
        #expect(bench.rounds(1) == [1, 2, 3])
    }

    @Test("a level that comes back is sent to a host that had nothing left: it may have loaded since")
    func exhaustedBefore() {
        var bench = PolicyBench(hosts: 1)
        bench.set(.warning)
        bench.answer(1, round: 1)
        bench.set(.warning, hasEased: true)
        #expect(bench.rounds(1) == [1, 2])
    }

    @Test("a level that has fallen is repeated to a host that had nothing left before the fall")
    func exhaustedBeforeTheFall() {
        var bench = PolicyBench(hosts: 1)
        bench.set(.critical)
        bench.answer(1, round: 1)
        bench.set(.warning)
        bench.set(.warning)
        #expect(bench.levels(1) == [.critical, .warning, .warning])
    }
}

/// Sockets that accept nothing for a while.
struct FullSocketTests {
    @Test("a round does not wait for a full socket, and the next warning is tried again")
    func fullSocket() {
        var bench = PolicyBench(hosts: 2)
        bench.full = [1]
        bench.set(.critical)
        #expect(bench.host(1).delivery?.outcome == .undeliverable)
        #expect(bench.host(1).told == .normal)
        bench.answer(2, round: 1, releasable: 5)
        #expect(bench.finished.map(\.undeliverable) == [1])

        bench.full = []
        bench.set(.critical)
        #expect([1, 2].map { bench.rounds($0) } == [[2], [1, 2]])
    }

    @Test("a host whose waiting warning cannot be sent is undeliverable in that round")
    func fullSocketWhenOwed() {
        var bench = PolicyBench(hosts: 1)
        bench.set(.warning)
        bench.set(.critical)
        bench.full = [1]
        bench.answer(1, round: 1)
        #expect(bench.finished.map(\.id) == [1, 2])
        #expect(bench.finished[1].undeliverable == 1)
        #expect(bench.host(1).told == .warning)
    }

    @Test("if the end of pressure cannot be sent, it is sent when the socket has room")
    func relief() {
        var bench = PolicyBench(hosts: 2)
        bench.set(.critical)
        for host: HostID in [1, 2] { bench.answer(host, round: 1) }
        bench.full = [1]
        bench.set(.normal)
        #expect(bench.host(1).told == .critical)
        #expect(bench.finished.last?.undeliverable == 1)
        #expect(bench.awaitingRoom == [1])

        bench.full = []
        bench.feed(.hasRoom(1, host: 1))
        #expect(bench.levels(1) == [.critical, .normal])
        #expect(bench.host(1).told == .normal)
        #expect(bench.levels(2) == [.critical, .normal], "others hear of it once")
        bench.feed(.hasRoom(1, host: 1))
        #expect(bench.levels(1).count == 2)
    }

    @Test("if a warning cannot be sent, it is sent when the socket has room, provided that it still applies")
    func warning() {
        var bench = PolicyBench(hosts: 1)
        bench.full = [1]
        bench.set(.critical)
        bench.full = []
        bench.feed(.hasRoom(1, host: 1))
        #expect(bench.levels(1) == [.critical])
        #expect(bench.host(1).isAwaited)
        bench.answer(1, round: 2)

        bench.full = [1]
        bench.set(.critical)
        bench.set(.normal)
        bench.full = []
        bench.feed(.hasRoom(1, host: 1))
        #expect(bench.levels(1) == [.critical, .normal])
    }

    @Test("a round that began before the daemon noticed the full socket does not wait for its deadline")
    func fullSocketBetweenRounds() {
        var bench = PolicyBench(hosts: 1)
        bench.full = [1]
        bench.change(to: .warning)
        bench.change(to: .critical)
        bench.set(.critical)
        #expect(bench.finished.map(\.id).sorted() == [1, 2, 3])
        #expect(bench.policy.rounds.underWay.isEmpty)
        #expect(bench.host(1).isBehind)
        #expect(bench.host(1).owed == nil)
        bench.full = []
        bench.feed(.hasRoom(1, host: 1))
        #expect(bench.levels(1) == [.critical])
    }

    @Test("a socket that stays full is tried again each time it has room, and never without room")
    func stubborn() {
        var bench = PolicyBench(hosts: 1)
        bench.full = [1]
        bench.set(.warning)
        for _ in 0..<3 { bench.feed(.hasRoom(1, host: 1)) }
        #expect(bench.awaitingRoom.count == 4)
        #expect(bench.host(1).told == .normal)
        bench.pass(.seconds(60))
        #expect(bench.awaitingRoom.count == 4)
    }

    @Test("a host that could be sent neither of two levels is told that all is normal, whatever it knows")
    func twoUndelivered() {
        var bench = PolicyBench(hosts: 1)
        bench.set(.critical)
        bench.answer(1, round: 1)
        bench.full = [1]
        // Both are sent before it is known that the first has failed.
        bench.change(to: .normal)
        bench.set(.warning)
        bench.set(.normal)
        bench.full = []
        bench.feed(.hasRoom(1, host: 1))
        #expect(bench.levels(1) == [.critical, .normal])
        #expect(bench.host(1).told == .normal && !bench.host(1).isBehind)
    }

    @Test("after two levels that could not be sent, a host that has room is told the level that binds it")
    func twoUndeliveredLevels() {
        var bench = PolicyBench()
        bench.open(2, "/a")
        bench.register(in: 2)
        bench.set(.warning, of: 2)
        bench.answer(1, round: 1)
        bench.full = [1]
        bench.change(to: .normal, of: 2)
        bench.set(.critical)
        bench.full = []
        bench.feed(.hasRoom(1, host: 1))
        #expect(bench.levels(1) == [.warning, .critical] && bench.host(1).told == .critical)
    }

    @Test("a host that has room is told that a critical level has fallen to warning")
    func undeliveredFall() {
        var bench = PolicyBench(hosts: 1)
        bench.set(.critical)
        bench.answer(1, round: 1)
        bench.full = [1]
        bench.set(.warning)
        bench.full = []
        bench.feed(.hasRoom(1, host: 1))
        #expect(bench.levels(1) == [.critical, .warning] && bench.host(1).told == .warning)
    }
}
