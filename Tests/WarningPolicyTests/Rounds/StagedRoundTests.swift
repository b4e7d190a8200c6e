import MemoryPressure
import MemwarnProtocol
import Testing

@testable import WarningPolicy

/// Rounds of a scope with simulated pressure.
struct StagedRoundTests {
    private static let pressured: ScopeID = 2

    /// The scopes `/a/b`, which comes under pressure, `/a/c` beside it, and `/d` elsewhere.
    ///
    /// `stalls` is the share of time in which its tasks stall.
    static func bench(stalls: Share = .percent(40)) -> PolicyBench {
        var settings = Settings()
        settings.settle = .milliseconds(10)
        var bench = PolicyBench(settings)
        bench.look = { _, now in
            let total = now.nanoseconds / 1_000 / 10_000 * UInt64(stalls.basisPoints)
            return ScopeLook(
                at: now,
                stalls: PressureStall(some: PressureStall.Line(average10: .zero, total: total), full: nil),
                headroom: Headroom(limit: BindingLimit(.high, bytes: 1_000, path: "/a/b"), used: 600)
            )
        }
        for (id, path) in [(2, "/a/b"), (3, "/a/c"), (4, "/d")] as [(ScopeID, String)] { bench.open(id, path) }
        return bench
    }

    static func benchWithHosts(stalls: Share = .percent(40)) -> PolicyBench {
        var bench = bench(stalls: stalls)
        for scope: ScopeID in [2, 3, 4] { bench.register(in: scope) }
        return bench
    }

    private static func rounds(_ bench: PolicyBench) -> [[UInt64]] { [1, 2, 3].map { bench.rounds($0) } }

    @Test("while the pressure lasts, a warning continues with the next stage")
    func outwards() {
        var bench = Self.benchWithHosts()
        bench.set(.warning, of: Self.pressured)
        #expect(Self.rounds(bench) == [[1], [], []])
        #expect(bench.policy.rounds.underWay.map(\.stages) == [3])
        bench.answer(1, round: 1)
        #expect(bench.finished.isEmpty, "its effect is to show first")
        bench.pass(.milliseconds(9))
        #expect(Self.rounds(bench) == [[1], [], []])
        bench.pass(.milliseconds(1))
        #expect(Self.rounds(bench) == [[1], [1], []])
        #expect(bench.policy.rounds.underWay.map(\.stage) == [2])
        bench.answer(2, round: 1)
        bench.pass(.milliseconds(10))
        #expect(Self.rounds(bench) == [[1], [1], [1]])
    }

    @Test("the warning stops when the pressure is over, and reports the kernel's figures")
    func relief() {
        var bench = Self.benchWithHosts(stalls: .zero)
        let headroom = Headroom(limit: BindingLimit(.machine, bytes: 1_000, path: "/"), used: 900)
        bench.set(.warning, of: Self.pressured, ScopeFigures(stalls: .percent(12), headroom: headroom))
        bench.answer(1, round: 1)
        bench.pass(.milliseconds(10))
        #expect(Self.rounds(bench) == [[1], [], []])
        let record = bench.finished[0]
        #expect(record.stages == 3)
        #expect(record.stage == 1)
        #expect(record.hosts == 1)
        #expect(record.stallsBefore == .percent(12))
        #expect(record.stallsAfter == .zero)
        #expect(record.usedBefore == 900)
        #expect(record.usedAfter == 600)
        #expect(record.duration == 0)
    }

    @Test("at critical all hosts of the scope are told at once, and no others")
    func critical() {
        var bench = Self.benchWithHosts()
        bench.set(.critical, of: Self.pressured)
        #expect(Self.rounds(bench) == [[1], [], []])
        bench.set(.critical)
        #expect(Self.rounds(bench) == [[1], [2], [2]], "the scope's own level binds the first host")
    }

    @Test("a newer round for the scope ends the older one at its current stage")
    func superseded() {
        var bench = Self.benchWithHosts()
        bench.set(.warning, of: Self.pressured)
        bench.answer(1, round: 1)
        bench.set(.critical, of: Self.pressured)
        #expect(bench.finished.map(\.id) == [1])
        #expect(bench.finished[0].stage == 1)
        #expect(Self.rounds(bench) == [[1, 2], [], []])
    }

    @Test("a host that is told a worse level before its turn is not told again", arguments: [false, true])
    func worseMeanwhile(answers: Bool) {
        var bench = Self.benchWithHosts()
        bench.set(.warning, of: Self.pressured)
        bench.set(.critical, of: 3)
        if answers { bench.answer(2, round: 2) }
        bench.answer(1, round: 1)
        bench.pass(.milliseconds(10))
        #expect(bench.levels(2) == [.critical])
        #expect(bench.policy.rounds.underWay.first?.stage == 2)
        #expect(bench.host(2).owed == nil)
        bench.pass(.milliseconds(10))
        #expect(bench.levels(3) == [.warning], "the round goes on to the others")
        bench.answer(3, round: 1)
        bench.pass(.seconds(3))
        #expect(bench.finished.first { $0.id == 1 }?.hosts == 2)
    }

    @Test("a host that leaves before its turn is not warned")
    func leaving() {
        var bench = Self.benchWithHosts()
        bench.set(.warning, of: Self.pressured)
        bench.feed(.left(2))
        bench.answer(1, round: 1)
        bench.pass(.milliseconds(10))
        #expect(Self.rounds(bench) == [[1], [], [1]])
        #expect(bench.policy.rounds.underWay.map(\.stages) == [2], "the stage of the host that left is planned no more")
    }

    @Test("each host is asked for its share, even if its warning is late")
    func bytesWanted() {
        var bench = Self.bench()
        bench.register(in: 2, releasable: 100_000)
        bench.register(in: 2, releasable: 300_000)
        // A headroom warning ends when an eighth is left.
        func figures(wanting bytes: UInt64) -> ScopeFigures {
            let limit = BindingLimit(.max, bytes: 800_000, path: "/a/b")
            return ScopeFigures(headroom: Headroom(limit: limit, used: 700_000 + bytes))
        }
        bench.set(.warning, of: Self.pressured, figures(wanting: 40_000))
        bench.answer(2, round: 1)
        bench.set(.critical, of: Self.pressured, figures(wanting: 80_000))
        bench.answer(1, round: 1)
        #expect(bench.wanted(1) == [10_000, 80_000])
        #expect(bench.wanted(2) == [30_000, 0])
    }

    @Test(
        "a warning asks for bytes up to the end of a headroom warning; for none if that is unknown, or at normal",
        arguments: [
            (900_000_000, 0), (100_000_000, 25_000_000), (-200_000_000, 325_000_000), (nil, 0),
        ] as [(Int?, UInt64)]
    )
    func comfort(left: Int?, wanted: UInt64) {
        var bench = Self.bench()
        let figures = ScopeFigures(
            headroom: left.map {
                Headroom(
                    limit: BindingLimit(.machine, bytes: 1_000_000_000, path: "/"),
                    used: UInt64(1_000_000_000 - $0)
                )
            }
        )
        bench.set(.warning, of: .wholeHost, figures)
        bench.set(.normal, of: .wholeHost, figures)
        #expect(bench.finished.map(\.bytesWanted) == [wanted])
    }

    @Test("memory that will be taken until the warning can be repeated is wanted as well, if any is missing")
    func pace() {
        var bench = Self.bench()
        func figures(left: UInt64) -> ScopeFigures {
            let limit = BindingLimit(.machine, bytes: 1_000_000_000, path: "/")
            // A warning can be repeated after 5 s, at 1 % a second.
            return ScopeFigures(headroom: Headroom(limit: limit, used: limit.bytes - left), shrinking: 100)
        }
        bench.set(.warning, of: .wholeHost, figures(left: 100_000_000))
        bench.set(.warning, of: .wholeHost, figures(left: 900_000_000))
        bench.set(.normal)
        #expect(bench.finished.map(\.bytesWanted) == [75_000_000, 0])
    }

    /// Of the 800 000 bytes that `/a` may use, 40 000 are missing to the headroom at which a level falls.
    private static let shortage = ScopeFigures(
        headroom: Headroom(limit: BindingLimit(.max, bytes: 800_000, path: "/a"), used: 740_000)
    )

    @Test("hosts of raised scopes under one limit are asked for it together")
    func siblings() {
        var bench = Self.bench()
        bench.register(in: 2, releasable: 100_000)
        bench.register(in: 3, releasable: 300_000)
        bench.register(in: 4, releasable: 300_000)
        let figures = Self.shortage
        bench.set(.critical, of: 4)
        bench.set(.critical, of: 2, figures)
        #expect(bench.wanted(1) == [40_000], "the other scope under the limit is calm, the third not under it")
        bench.answer(1, round: 2, releasable: 100_000)
        bench.set(.critical, of: 3, figures)
        bench.set(.critical, of: 2, figures)
        #expect(bench.wanted(2) == [30_000])
        #expect(bench.wanted(1) == [40_000, 10_000])
        #expect(bench.policy.rounds.underWay.map(\.bytesWanted) == [0, 30_000, 10_000])
    }

    @Test("a calm host beside several raised scopes is asked once for its part of what they miss")
    func calmNeighbour() {
        var bench = Self.bench()
        bench.open(5, "/a/e")
        for scope: ScopeID in [2, 3] { bench.register(in: scope, releasable: 100_000) }
        bench.register(in: 5, releasable: 200_000)
        let figures = Self.shortage
        bench.set(.warning, of: 2, figures)
        bench.set(.warning, of: 3, figures)
        for host: HostID in [1, 2] { bench.answer(host, round: host, releasable: 100_000) }
        bench.pass(.milliseconds(10))
        #expect((1...3).map { bench.wanted($0) } == [[10_000], [10_000], [20_000]])
        bench.answer(3, round: 1, releasable: 200_000)
        bench.set(.normal, of: 2)
        #expect(bench.levels(3) == [.warning], "the second scope has not fallen")
        bench.set(.normal, of: 3)
        #expect(bench.levels(3) == [.warning, .normal])
    }

    @Test(
        "a host beside several raised scopes is told normal when the last has fallen or is gone",
        arguments: [2, 3],
        [true, false]
    )
    func lastFall(_ first: ScopeID, vanishes: Bool) {
        var bench = Self.bench()
        bench.open(5, "/a/e")
        for scope: ScopeID in [2, 3, 5] { bench.register(in: scope, releasable: 100_000) }
        for scope: ScopeID in [2, 3] { bench.set(.warning, of: scope, Self.shortage) }
        for host: HostID in [1, 2] { bench.answer(host, round: host, releasable: 100_000) }
        bench.pass(.milliseconds(10))
        bench.answer(3, round: bench.rounds(3)[0], releasable: 100_000)
        if vanishes {
            bench.feed(.cgroupVanished(path: bench.policy.scopes.path(of: first)))
        } else {
            bench.set(.normal, of: first)
        }
        #expect(bench.levels(3) == [.warning], "the other has not fallen")
        bench.set(.normal, of: first == 2 ? 3 : 2)
        #expect(bench.levels(3) == [.warning, .normal])
    }

    @Test("a host that moves from a raised scope to a calm one under the same limit is told normal when that falls")
    func movedUnderTheLimit() {
        var bench = Self.bench()
        bench.open(5, "/a/e")
        bench.register(in: 2)
        bench.set(.warning, of: 2, Self.shortage)
        bench.answer(1, round: 1)
        bench.feed(.located([(1, .found(.cgroup("/a/e")))]))
        #expect(bench.levels(1) == [.warning])
        bench.set(.normal, of: 2)
        #expect(bench.levels(1) == [.warning, .normal])
    }

    @Test("a calm host beside several raised scopes is asked for one if the round of another ends before its turn")
    func calmNeighbourOfEndedRound() {
        var bench = Self.bench()
        bench.open(5, "/a/e")
        for scope: ScopeID in [2, 3, 5] { bench.register(in: scope, releasable: 100_000) }
        let figures = Self.shortage
        bench.set(.warning, of: 2, figures)
        bench.set(.warning, of: 3, figures)
        bench.set(.normal, of: 2)
        bench.answer(2, round: 2, releasable: 100_000)
        bench.pass(.milliseconds(10))
        #expect(bench.levels(3) == [.warning])
    }

    @Test("a host that has not answered is told of the newest round under a limit, with its bytes wanted")
    func newestUnderALimit() {
        var bench = Self.bench()
        bench.register(in: 2, releasable: 100_000)
        for used: UInt64 in [740_000, 750_000, 780_000] {
            let limit = BindingLimit(.max, bytes: 800_000, path: "/a")
            bench.set(.warning, of: 2, ScopeFigures(headroom: Headroom(limit: limit, used: used)))
        }
        bench.answer(1, round: 1, releasable: 100_000)
        #expect(bench.rounds(1) == [1, 3])
        #expect(bench.wanted(1) == [40_000, 80_000])
    }

    @Test("a simulation does not take a host out of the round of real pressure that it waits for")
    func simulatedBeforeItsTurn() {
        var bench = Self.benchWithHosts()
        bench.set(.warning, of: Self.pressured)
        bench.answer(1, round: 1, releasable: 1)
        bench.pass(.milliseconds(10))
        bench.answer(2, round: 1, releasable: 1)
        bench.set(.warning, of: Self.pressured)
        bench.simulate(.warning, .pid(102), deadline: 5_000)
        bench.answer(2, round: 3, releasable: 1)
        bench.answer(1, round: 2, releasable: 1)
        bench.pass(.milliseconds(10))
        #expect(bench.rounds(2) == [1, 3, 2])
    }

    @Test("a host that states more than is used of the limit does not take the others' part")
    func excessiveClaim() {
        var bench = Self.bench()
        bench.register(in: 2, releasable: 1 << 62)
        bench.register(in: 2, releasable: 740_000)
        bench.set(.warning, of: 2, Self.shortage)
        #expect([1, 2].map { bench.wanted($0) } == [[20_000], [20_000]])
    }

    @Test("hosts that are short under a tighter limit of their own have no part in what an outer limit wants")
    func tighterLimit() {
        var bench = Self.bench()
        bench.register(in: 2, releasable: 1 << 40)
        bench.register(in: 3, releasable: 300_000)
        let inner = BindingLimit(.max, bytes: 80_000, path: "/a/b")
        bench.set(.critical, of: 2, ScopeFigures(headroom: Headroom(limit: inner, used: 78_000)))
        bench.set(.critical, of: 3, Self.shortage)
        #expect(bench.wanted(1) == [8_000])
        #expect(bench.wanted(2) == [40_000])
    }

    @Test("a host that cannot answer is warned and counted separately, and the round does not wait for it")
    func unacknowledged() {
        var bench = Self.bench(stalls: .zero)
        bench.register(in: 2, door: .pressure)
        bench.register(in: 2)
        bench.set(.warning, of: Self.pressured)
        #expect(bench.host(1).record(.present, scope: "/").outcome == .unacknowledged)
        #expect(bench.policy.rounds.underWay[0].outstanding == 1)
        bench.answer(2, round: 1)
        bench.pass(.milliseconds(10))
        #expect(bench.finished[0].unacknowledged == 1)
        #expect(bench.finished[0].answered == 1)
    }

    @Test("a host that cannot answer and cannot be told of a fall is counted once")
    func unacknowledgedFall() {
        var bench = Self.bench()
        bench.register(in: 2, door: .pressure)
        bench.set(.critical, of: Self.pressured)
        bench.full = [1]
        bench.set(.normal, of: Self.pressured)
        #expect(bench.finished.map(\.unacknowledged) == [1, 0] && bench.finished.map(\.undeliverable) == [0, 1])
    }

    @Test("hundreds of hosts are warned in slices, and each receives the warning once")
    func slices() {
        var bench = Self.bench()
        for _ in 0..<150 { bench.register(in: 2) }
        bench.set(.warning, of: Self.pressured)
        #expect(bench.inbox.count == 64)
        bench.pass(.milliseconds(12))
        #expect(bench.inbox.values.map(\.count) == Array(repeating: 1, count: 150))
        #expect(bench.policy.rounds.underWay[0].hosts == 150)
    }

    @Test("a host that was given up before its warning turned out undeliverable is counted once")
    func givenUpBeforeItsResult() {
        var bench = Self.bench()
        for scope: ScopeID in [2, 3] { bench.register(in: scope) }
        bench.set(.warning, of: Self.pressured)
        bench.answer(1, round: 1)
        // The deadline of the first simulation and the time in which the stage takes effect end at the same instant.
        bench.simulate(.warning, .pid(102), deadline: 10)
        bench.simulate(.warning, .pid(102), deadline: 5_000)
        bench.full = [2]
        bench.pass(.milliseconds(10))
        #expect(bench.finished.map(\.id) == [2, 3])
        #expect(bench.finished[1].silent + bench.finished[1].undeliverable == 1)
        #expect(bench.policy.rounds.underWay.map(\.undeliverable) == [1])
        bench.full = []
        bench.feed(.hasRoom(2, host: 2))
        #expect(bench.levels(2) == [.warning, .warning] && bench.host(2).told == .warning)
    }

    @Test("a level that falls to warning reaches hundreds of hosts at once, and no later than a new rise")
    func fallOfManyHosts() {
        var bench = Self.bench()
        for _ in 0..<150 { bench.register(in: 2) }
        bench.set(.critical, of: Self.pressured)
        for host: HostID in 1...150 { bench.answer(host, round: 1) }
        bench.set(.warning, of: Self.pressured)
        #expect(bench.inbox.values.allSatisfy { $0.map(\.warning.level) == [.critical, .warning] })
        bench.set(.critical, of: Self.pressured)
        bench.pass(.milliseconds(20))
        #expect(bench.inbox.values.allSatisfy { $0.map(\.warning.level) == [.critical, .warning, .critical] })
    }

    @Test("a host that catches up does not keep the round from the hosts after it, and none is told twice")
    func catchingUpInMidRound() {
        var bench = Self.bench()
        for _ in 0..<150 { bench.register(in: 2) }
        bench.full = [1]
        bench.set(.warning, of: Self.pressured)
        bench.full = []
        bench.feed(.hasRoom(1, host: 1))
        // The next slices reach these hosts, wherever they are found.
        bench.feed(.located((100...110).map { ($0, .found(.cgroup("/a/b"))) }))
        #expect(bench.inbox.count == 64)
        bench.pass(.milliseconds(20))
        #expect(bench.inbox.values.map(\.count) == Array(repeating: 1, count: 150))
    }

    @Test("a host that is found elsewhere in mid-round is told once")
    func movedInMidRound() {
        var bench = Self.bench()
        for _ in 0..<150 { bench.register(in: 2) }
        bench.set(.warning)
        bench.feed(.located([(150, .found(.cgroup("/a/c")))]))
        bench.pass(.milliseconds(20))
        #expect(bench.inbox.values.map(\.count) == Array(repeating: 1, count: 150))
    }

    @Test("a host outside that catches up is told of warning, even if the scope has become critical")
    func catchingUpOutside() {
        var bench = Self.benchWithHosts()
        bench.full = [2]
        bench.set(.warning, of: Self.pressured)
        bench.answer(1, round: 1)
        bench.pass(.milliseconds(10))
        bench.set(.critical, of: Self.pressured)
        bench.full = []
        bench.feed(.hasRoom(2, host: 2))
        #expect(bench.levels(2) == [.warning])
        bench.answer(2, round: 3)
        bench.set(.normal, of: Self.pressured)
        #expect(bench.levels(2) == [.warning, .normal])
    }

    @Test("a host whose stage has not come is not told when it is found, nor when another scope's level falls")
    func beforeItsStage() {
        var bench = Self.benchWithHosts()
        bench.set(.warning, of: Self.pressured)
        bench.feed(.located([(3, .found(.cgroup("/d")))]))
        bench.set(.warning, of: 3)
        bench.set(.normal, of: 3)
        #expect(bench.levels(3).isEmpty)
    }

    @Test("a host that has moved is told neither of the round that it waited for, nor of the stages that were to come")
    func movedBeforeItsTurn() {
        var bench = Self.benchWithHosts()
        // Host 2 owes an answer, and is owed a critical warning.
        bench.set(.warning, of: 3)
        bench.set(.critical, of: 3)
        bench.feed(.located([(2, .found(.cgroup("/d")))]))
        bench.answer(2, round: 1)
        #expect(bench.levels(2) == [.warning, .normal])
        // Host 3 is in the last stage of this round.
        bench.set(.warning, of: Self.pressured)
        bench.feed(.located([(3, .found(.cgroup("/e")))]))
        bench.answer(1, round: bench.rounds(1)[0])
        bench.pass(.seconds(5))
        #expect(bench.levels(3).isEmpty)
    }

    @Test("hosts that a round has not reached when its scope falls are told of the scope around it")
    func fallBeforeItsTurn() {
        var bench = Self.bench()
        for _ in 0..<70 { bench.register(in: 2) }
        bench.set(.warning, of: Self.pressured)
        bench.set(.warning)
        bench.set(.normal, of: Self.pressured)
        bench.pass(.milliseconds(20))
        #expect(bench.inbox.values.map(\.count) == Array(repeating: 1, count: 70))
    }

    @Test("a newer simulation is not overtaken by an older one")
    func twoSimulations() {
        var bench = Self.bench()
        for _ in 0..<130 { bench.register() }
        bench.simulate(.warning)
        bench.simulate(.normal)
        for host: HostID in 1...130 { bench.answer(host, round: 1) }
        bench.pass(.milliseconds(20))
        #expect(bench.inbox.values.allSatisfy { $0.map(\.warning.level) == [.warning, .normal] })
    }

    @Test("hosts that are found in one batch are told the level of a scope that this finds", arguments: [false, true])
    func foundTogether(isReversed: Bool) {
        var bench = PolicyBench(levels: ["/a": .critical])
        bench.open(2, "/g")
        for _ in 0..<2 { bench.register(in: 2) }
        let found: [(host: HostID, location: Location)] = [(1, .found(.cgroup("/a/b"))), (2, .found(.cgroup("/a")))]
        bench.feed(.located(isReversed ? found.reversed() : found))
        for host: HostID in [1, 2] { bench.answer(host, round: bench.rounds(host)[0]) }
        #expect(bench.levels(1) == [.critical] && bench.levels(2) == [.critical])
    }

    @Test("a host that leaves a scope in the batch in which that is found is not told its level")
    func leavesAsItsScopeIsFound() {
        var bench = PolicyBench(levels: ["/e": .critical])
        bench.open(2, "/e/f")
        for _ in 0..<2 { bench.register(in: 2) }
        bench.feed(.located([(2, .found(.cgroup("/e"))), (1, .found(.cgroup("/a")))]))
        #expect(bench.levels(1).isEmpty && bench.levels(2) == [.critical])
    }
}
