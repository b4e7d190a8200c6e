import MemoryPressure
import MemwarnProtocol
import Testing

@testable import memwarnctl

struct TopFrameTests {
    private func frame(
        _ columns: Int,
        _ rows: Int,
        _ change: (inout TopState) -> Void = { _ in }
    ) -> TopFrame {
        var state = TopState(.sample, isLive: true, at: .second(0))
        var newer = DaemonSnapshot.sample
        newer.scopes[1].someTotal += 600_000
        state.take(newer, at: .second(3))
        change(&state)
        return TopFrame(state, size: TerminalSize(columns: columns, rows: rows), at: .second(6))
    }

    private func text(_ frame: TopFrame) -> String {
        frame.lines.map(\.text).joined(separator: "\n")
    }

    @Test("a wide screen shows scopes, hosts by releasable bytes, and rounds, the newest first")
    func wide() {
        #expect(text(frame(116, 18)) == wideScreen)
    }

    @Test("if there is not enough room, the least important parts are omitted")
    func narrow() {
        #expect(text(frame(60, 14)) == narrowScreen)
    }

    @Test("no screen is too small", arguments: [(1, 1), (1, 50), (200, 1), (20, 2), (20, 3), (20, 5), (20, 8)])
    func tiny(columns: Int, rows: Int) {
        let lines = frame(columns, rows).lines
        #expect(lines.count == rows)
        #expect(lines.allSatisfy { $0.count <= columns })
    }

    @Test(
        "each section gets rows in turn, until it has enough",
        arguments: [
            (30, [1, 1, 1], [1, 1, 1]), (15, [1, 9, 9], [1, 4, 4]), (14, [1, 9, 9], [1, 4, 3]),
            (9, [5, 5, 5], [1, 1, 1]),
            (10, [5, 5, 5], [2, 1, 1]), (8, [5, 5, 5], [2, 2, 0]), (5, [5, 5, 5], [3, 0, 0]),
            (2, [5, 5, 5], [0, 0, 0]),
            (-1, [5, 5, 5], [0, 0, 0]),
        ]
    )
    func sharingOfRows(height: Int, wanted: [Int], rows: [Int]) {
        #expect(TopFrame.rows(height, wanted: wanted) == rows)
    }

    @Test("hosts scroll until the last one is shown, and the last line tells which are shown")
    func scrolling() {
        func lines(_ first: Int) -> (first: Int, lines: [String]) {
            let frame = frame(80, 13) { state in
                var snapshot = DaemonSnapshot.sample
                snapshot.hosts = (1...20).map { .sample($0, "host \($0)") }
                state.take(snapshot, at: .second(6))
                state.firstHost = first
            }
            return (frame.firstHost, frame.lines.map(\.text))
        }
        let middle = lines(7)
        #expect(middle.first == 7)
        #expect(middle.lines.filter { $0.hasPrefix("host ") }.map { $0.prefix(7) } == ["host 8 ", "host 9 "])
        #expect(middle.lines.last?.hasPrefix("hosts 8 to 9 of 20   q quit") == true)
        let end = lines(19)
        #expect(end.first == 18)
        #expect(end.lines.last?.hasPrefix("hosts 19 to 20 of 20   ") == true)
    }

    @Test("the first line shows that the daemon has gone, and the age of the figures")
    func trouble() {
        let frame = frame(180, 18) { $0.trouble = "no daemon answers" }
        #expect(frame.lines[0] == StyledText("no daemon answers; this was 3 s ago", .critical))
        #expect(frame.lines[2].text.hasPrefix("SCOPE"))
    }

    @Test("the first and last lines show the pause")
    func paused() {
        let frame = frame(180, 18) { _ = $0.press(.pause) }
        #expect(frame.lines.first?.text.hasSuffix(", paused") == true)
        #expect(frame.lines.last?.text.contains("p go on") == true)
    }

    @Test("levels are coloured")
    func colours() {
        let lines = frame(180, 18).lines.map(\.escaped)
        #expect(lines[0].contains("level \u{1b}[1;31mcritical\u{1b}[0m, 3 hosts"))
        #expect(lines[3].contains("\u{1b}[32mnormal\u{1b}[0m"))
        #expect(lines[4].contains("\u{1b}[1;31mcritical\u{1b}[0m"))
    }

    @Test("names cannot control the terminal")
    func escaping() {
        var snapshot = DaemonSnapshot.sample
        snapshot.daemon.version = "1\u{1b}[2J"
        snapshot.scopes[0].path = "/a\nb"
        snapshot.hosts[0].name = "\u{1b}]0;evil\u{7}"
        snapshot.hosts[0].scope = "/\u{202e}"
        snapshot.rounds[0].scope = "/\r"
        snapshot.scopes[1].limit?.path = "/\u{9b}2J"
        let state = TopState(snapshot, isLive: true, at: .second(0))
        let text = text(TopFrame(state, size: TerminalSize(columns: 300, rows: 30), at: .second(0)))
        for shown in [#"1\u{1b}[2J"#, #"/a\u{a}b"#, #"\u{1b}]0;evil\u{7}"#, #"/\u{202e}"#, #"/\u{d}"#, #"/\u{9b}2J"#] {
            #expect(text.contains(shown))
        }
        #expect(!text.unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || $0 == "\u{9b}" || $0 == "\u{202e}") })
    }

    @Test("with --once everything is printed, without a graph")
    func once() {
        let frame = TopFrame(TopState(.sample, isLive: false, at: .second(0)), columns: nil, at: .second(0))
        let lines = frame.lines.map(\.text)
        #expect(lines.count == 14)
        #expect(lines[2].hasPrefix("SCOPE "))
        #expect(!lines[2].contains("LAST MINUTE"))
        #expect(lines[13].hasPrefix("   41  1 min  warning   /system.slice/search.service"))
    }

    @Test("the screen says that a daemon has no hosts")
    func empty() {
        var snapshot = DaemonSnapshot.sample
        snapshot.hosts = []
        snapshot.rounds = []
        let state = TopState(snapshot, isLive: false, at: .second(0))
        let lines = TopFrame(state, columns: nil, at: .second(0)).lines.map(\.text)
        #expect(lines.suffix(4) == ["", "no registered hosts", "", "no rounds yet"])
    }

    @Test("a scope that grew during a round is shown with a minus sign")
    func grew() {
        var snapshot = DaemonSnapshot.sample
        snapshot.rounds[1].usedAfter = 260 << 20
        let state = TopState(snapshot, isLive: false, at: .second(0))
        let lines = TopFrame(state, columns: nil, at: .second(0)).lines.map(\.text)
        #expect(lines[12].contains("  −10 MiB  "))
        #expect(lines[13].contains("   30 MiB  "))
    }
}

private let wideScreen = """
    memwarnd 1.2.3, pid 812, up 1 d 2 h, level critical, 3 hosts, 42 rounds

    SCOPE             LEVEL     SINCE    SOME  FULL  LAST MINUTE           USED                        WATCHED BY
    /                 normal     12 s      0%    0%                   ▁    ███░░░░░░░ 6 GiB / 24 GiB   privileged trigg…
    /system.slice/s…  critical   12 s  43.25%    7%                   ▆    █████████░ 950 MiB / 1 GiB  polling 500 ms

    HOST      PID  LEVEL     RELEASABLE  LAST ANSWER  RELEASED   TOOK  SCOPE
    search   4002  critical      64 MiB  answered       32 MiB  12 ms  /system.slice/search.service
    gallery  4001  normal         3 MiB  not asked                     /system.slice/search.service
    mute     4003  critical         0 B  silent                        /system.slice/search.service

    ROUND    AGO  LEVEL     SCOPE              WHY          ANSWERED  SILENT  RELEASED  KERNEL SAW  STALLS          TOOK
       42  1 min  critical  /system.slice/se…  some 43.25%       1/3       1    32 MiB      30 MiB  43.25%       running
       41  1 min  warning   /system.slice/se…  some 43.25%       3/3       0    32 MiB      30 MiB  43.25% → 1%    1.9 s



    q quit   s sort (by releasable)   ↑↓ scroll   p pause
    """

private let narrowScreen = """
    memwarnd 1.2.3, pid 812, up 1 d 2 h, level critical, 3 host…

    SCOPE                   LEVEL     SINCE    SOME  FULL  HOSTS
    /                       normal     12 s      0%    0%      2
    /system.slice/search.…  critical   12 s  43.25%    7%      2

    HOST      PID  LEVEL     RELEASABLE  LAST ANSWER  RELEASED
    search   4002  critical      64 MiB  answered       32 MiB
    gallery  4001  normal         3 MiB  not asked

    ROUND    AGO  LEVEL     ANSWERED  RELEASED  KERNEL SAW
       42  1 min  critical       1/3    32 MiB      30 MiB
       41  1 min  warning        3/3    32 MiB      30 MiB
    hosts 1 to 2 of 3   q quit   s sort (by releasable)   ↑↓ sc…
    """
