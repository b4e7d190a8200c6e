import MemoryPressure
import MemwarnProtocol
import Systemd
import Testing

@testable import memwarnd

/// Rounds whose scope's pressure is made up.
private final class StageBench {
    let loop: EventLoop
    let rounds: Rounds
    private(set) var hosts: [FakeHost] = []
    private(set) var finished: [Round] = []
    private let scope: Scope
    /// What the scope's stall total grows by between two looks, in microseconds.
    var growth: UInt64 = 400_000
    private var total: UInt64 = 0
    private var condition: () -> Bool = { false }

    init() throws {
        loop = try EventLoop()
        var configuration = Configuration()
        configuration.settle = .milliseconds(10)
        rounds = try Rounds(configuration: configuration, loop: loop)
        scope = Scope.unwatched("/a", on: loop)
        rounds.hosts = { [unowned self] in hosts.map(\.host) }
        rounds.finished = { [unowned self] in finished.append($0) }
        rounds.look = { [unowned self] _ in
            defer { total += growth }
            let line = PressureStall.Line(average10: .zero, total: total)
            let limit = BindingLimit(.high, bytes: 1_000, path: "/a")
            return ScopeLook(
                at: .now,
                stalls: PressureStall(some: line, full: nil),
                headroom: Headroom(limit: limit, used: 600)
            )
        }
    }

    func add(_ ring: StagePlan.Ring, door: HostRecord.Door = .native, releasable: UInt64 = 0) -> Rounds.Target {
        let host = FakeHost(id: UInt64(hosts.count + 1), in: scope, door: door, releasable: releasable)
        hosts.append(host)
        return Rounds.Target(host: host.host, ring: ring)
    }

    @discardableResult
    func begin(_ level: PressureLevel, _ targets: [Rounds.Target], wanted: UInt64 = 0) -> Round {
        let cause = Rounds.Cause(
            level: level,
            options: .answerWanted,
            reason: PressureReason(.someStall, figure: .percent(12), threshold: .percent(10)),
            scope: "/a",
            bytesWanted: wanted,
            stallsBefore: .percent(12),
            usedBefore: 900
        )
        return rounds.begin(cause, targets)
    }

    func answer(_ index: Int, round: UInt64 = 1) {
        rounds.answer(hosts[index].host, round: round, .claiming(1, releasable: 0))
    }

    /// Turns the loop until something holds.
    func turn(until condition: @escaping () -> Bool) throws {
        let limit = try loop.timer(accuracy: .seconds(1)) { [unowned self] in loop.exit(code: 99) }
        limit.arm(after: .seconds(20))
        var poll: TimerSource?
        poll = try loop.timer(accuracy: .microseconds(100)) { [unowned self] in
            if condition() { return loop.exit(code: 0) }
            poll?.arm(after: .milliseconds(1))
        }
        poll?.arm(after: .zero)
        let code = try withExtendedLifetime(limit) { try loop.run() }
        poll = nil
        try #require(code == 0, "it did not come to that")
    }
}

struct StagedRoundTests {
    @Test("while the pressure lasts a warning goes on to the next stage")
    func outwards() throws {
        let bench = try StageBench()
        let targets = [bench.add(.inside), bench.add(.beside), bench.add(.rest)]
        let round = bench.begin(.warning, targets)
        #expect(bench.hosts.map(\.rounds) == [[1], [], []])
        #expect(round.stages == 3)
        #expect(round.stage == 1)
        bench.answer(0)
        #expect(bench.finished.isEmpty, "its effect is to show first")
        #expect(bench.hosts.map(\.rounds) == [[1], [], []])
        try bench.turn { !bench.hosts[1].rounds.isEmpty }
        #expect(bench.hosts.map(\.rounds) == [[1], [1], []])
        #expect(bench.rounds.underWay.map(\.stage) == [2])
    }

    @Test("it stops when the pressure is gone, and says what the kernel saw")
    func relief() throws {
        let bench = try StageBench()
        bench.growth = 0
        bench.begin(.warning, [bench.add(.inside), bench.add(.beside)])
        bench.answer(0)
        try bench.turn { !bench.finished.isEmpty }
        #expect(bench.hosts.map(\.rounds) == [[1], []])
        let record = bench.finished[0].record(at: .now)
        #expect(record.stages == 2)
        #expect(record.stage == 1)
        #expect(record.hosts == 1)
        #expect(record.stallsBefore == .percent(12))
        #expect(record.stallsAfter == .zero)
        #expect(record.usedBefore == 900)
        #expect(record.usedAfter == 600)
        #expect(record.duration < 10_000_000)
    }

    @Test("at critical everybody is told at once, wherever they are")
    func critical() throws {
        let bench = try StageBench()
        bench.begin(.critical, [bench.add(.inside), bench.add(.beside), bench.add(.rest)])
        #expect(bench.hosts.map(\.rounds) == [[1], [1], [1]])
    }

    @Test("a newer round for the scope ends the older one where it stands")
    func superseded() throws {
        let bench = try StageBench()
        let targets = [bench.add(.inside), bench.add(.beside)]
        bench.begin(.warning, targets)
        bench.answer(0)
        bench.begin(.critical, targets)
        #expect(bench.finished.map(\.id) == [1])
        #expect(bench.finished[0].stage == 1)
        #expect(bench.hosts.map(\.rounds) == [[1, 2], [2]])
    }

    @Test("who leaves before its turn is not told")
    func leaving() throws {
        let bench = try StageBench()
        let targets = [bench.add(.inside), bench.add(.beside), bench.add(.rest)]
        bench.begin(.warning, targets)
        bench.rounds.leave(bench.hosts[1].host)
        bench.answer(0)
        try bench.turn { !bench.hosts[2].rounds.isEmpty }
        #expect(bench.hosts[1].rounds.isEmpty)
    }

    @Test("each is asked for its part, also when it is told late")
    func bytesWanted() throws {
        let bench = try StageBench()
        let targets = [bench.add(.inside, releasable: 100), bench.add(.inside, releasable: 300)]
        bench.begin(.warning, targets, wanted: 100)
        bench.answer(1)
        bench.begin(.critical, targets, wanted: 200)
        bench.answer(0)
        #expect(bench.hosts.map(\.wanted) == [[25, 100], [75, 0]])
    }

    @Test("who cannot answer is told, counted apart, and not waited for")
    func unacknowledged() throws {
        let bench = try StageBench()
        bench.growth = 0
        bench.begin(.warning, [bench.add(.inside, door: .pressure), bench.add(.inside)])
        #expect(bench.hosts[0].host.record(.present).outcome == .unacknowledged)
        #expect(bench.rounds.underWay[0].outstanding == 1)
        bench.answer(1)
        try bench.turn { !bench.finished.isEmpty }
        #expect(bench.finished[0].unacknowledged == 1)
        #expect(bench.finished[0].answered == 1)
    }

    @Test("hundreds are warned in slices, and all of them hear it")
    func slices() throws {
        let bench = try StageBench()
        let targets = (0..<150).map { _ in bench.add(.inside) }
        bench.begin(.warning, targets)
        #expect(bench.hosts.count { !$0.rounds.isEmpty } == 64)
        try bench.turn { bench.hosts.allSatisfy { $0.rounds == [1] } }
        #expect(bench.rounds.underWay[0].hosts == 150)
    }
}
