import MemoryPressure
import MemwarnProtocol
import Testing

@testable import memwarnctl

struct TopStateTests {
    @Test("hosts are sorted by the next figure each time, then by name, then by the first figure again")
    func sorting() {
        var snapshot = DaemonSnapshot.sample
        snapshot.hosts = [
            .sample(1, "b", releasable: 5),
            .sample(2, "d", releasable: 9, answer: (1, 30)),
            .sample(3, "c", releasable: 9, level: .warning, answer: (7, 20)),
            .sample(4, "a", releasable: 0, level: .critical, outcome: .silent),
        ]
        var state = TopState(snapshot, isLive: true, at: .second(0))
        var orders: [[UInt64]] = []
        for _ in 0..<6 {
            orders.append(state.hosts.map(\.id))
            let goesOn = state.press(.sort)
            #expect(goesOn)
        }
        #expect(orders == [[2, 3, 1, 4], [3, 2, 1, 4], [2, 3, 1, 4], [4, 3, 1, 2], [4, 1, 3, 2], [2, 3, 1, 4]])
    }

    @Test func scrollingStaysAmongTheHosts() {
        var state = TopState(.sample, isLive: true, at: .second(0))
        func press(_ keys: Key...) -> Int {
            for key in keys { _ = state.press(key) }
            return state.firstHost
        }
        #expect(press(.up) == 0)
        #expect(press(.down) == 1)
        #expect(press(.pageDown) == 2)
        #expect(press(.down) == 2)
        #expect(press(.up) == 1)
        #expect(press(.pageUp) == 0)
    }

    @Test func onlyQuitEnds() {
        var state = TopState(.sample, isLive: true, at: .second(0))
        let quits = [Key.sort, .pause, .up, .down, .pageUp, .pageDown, .quit].map { !state.press($0) }
        #expect(quits == [false, false, false, false, false, false, true])
    }

    @Test("another daemon's totals are not compared with those of the previous daemon", arguments: [false, true])
    func restart(isAnother: Bool) {
        var state = TopState(.sample, isLive: true, at: .second(0))
        var newer = DaemonSnapshot.sample
        newer.daemon.uptime += 4_000
        newer.scopes[0].someTotal += 4_000_000
        if isAnother { newer.daemon.pid += 1 }
        state.trouble = "gone"
        state.take(newer, at: .second(4))
        #expect(state.trouble == nil)
        let last = state.history?.shares(of: 1, count: 30, at: .second(4)).suffix(3)
        #expect(last == (isAnother ? [nil, nil, nil] : [.percent(100), .percent(100), nil]))
    }
}

struct StallHistoryTests {
    private func history(_ totals: [(second: Double, total: UInt64)]) -> StallHistory {
        var history = StallHistory()
        for (second, total) in totals {
            history.note([.sample(1, "/", someTotal: total)], at: .second(second))
        }
        return history
    }

    private func shares(_ history: StallHistory, at second: Double) -> [Double?] {
        history.shares(of: 1, count: 6, at: .second(second)).map { $0?.percent }
    }

    @Test("growth between two readings is spread evenly over the time between them")
    func even() {
        let history = history([(0, 100), (20, 100), (35, 7_500_100), (40, 7_500_100)])
        #expect(shares(history, at: 49.9) == [nil, 0, 0, 50, 25, nil])
    }

    @Test("a single reading shows no growth, and neither do none")
    func unknown() {
        #expect(shares(history([(0, 5)]), at: 0) == Array(repeating: nil, count: 6))
        #expect(shares(StallHistory(), at: 0) == Array(repeating: nil, count: 6))
    }

    @Test("the unfinished part counts up to the last reading")
    func current() {
        #expect(shares(history([(0, 0), (50, 0), (52, 1_000_000)]), at: 59) == [0, 0, 0, 0, 0, 50])
    }

    @Test("a total that fell has been reset")
    func reset() {
        #expect(
            shares(history([(0, 9_000_000), (10, 9_000_000), (20, 0), (30, 10_000_000)]), at: 39)
                == [nil, nil, nil, nil, 100, nil]
        )
    }

    @Test("growth older than a minute is forgotten, and so are removed scopes")
    func forgetting() {
        var history = history((0...200).map { (Double($0), UInt64($0) * 100_000) })
        #expect(shares(history, at: 200) == [10, 10, 10, 10, 10, nil])
        history.note([.sample(2, "/other")], at: .second(201))
        #expect(shares(history, at: 201) == Array(repeating: nil, count: 6))
    }

    @Test("more stall time than elapsed time counts as all of it")
    func tooMuch() {
        #expect(shares(history([(0, 0), (10, 50_000_000)]), at: 10)[4] == 100)
    }
}
