import MemoryPressure
import MemwarnProtocol
import Testing

@testable import memwarnctl

struct TopPartsTests {
    @Test("text is cut between characters, with a mark")
    func cutting() {
        let text = StyledText("gallery", .strong) + StyledText(" 👩‍👩‍👧é")
        #expect(text.count == 10)
        #expect(text.cut(to: 10) == text)
        #expect(text.cut(to: 9).text == "gallery …")
        #expect(text.cut(to: 4) == StyledText("gal", .strong) + StyledText("…", .strong))
        #expect(text.cut(to: 1).text == "…")
        #expect(text.cut(to: 0) == StyledText())
    }

    @Test func onlyStyledPiecesAreEscaped() {
        let text = StyledText("a", .warning) + StyledText("b")
        #expect(text.escaped == "\u{1b}[33ma\u{1b}[0mb")
        #expect(text.text == "ab")
    }

    @Test("the longest text is cut to make room for columns; without any room they are omitted")
    func fitting() {
        var table = Table([
            .left("NAME", isCut: true), .right("PID"), .left("WHY", rank: 1),
            .left("EMPTY", rank: 2),
        ])
        table.add(["a name of twenty-five cha", "1234", "because", ""])
        func lines(_ width: Int?) -> [String] { table.lines(width: width).map(\.text) }
        #expect(lines(nil) == ["NAME                        PID  WHY", "a name of twenty-five cha  1234  because"])
        #expect(lines(40) == lines(nil))
        #expect(lines(33) == ["NAME                 PID  WHY", "a name of twenty-…  1234  because"])
        #expect(lines(30) == ["NAME                       PID", "a name of twenty-five c…  1234"])
        #expect(lines(12) == ["NAME     PID", "a nam…  1234"])
        #expect(lines(5) == ["…   …", "…  1…"])
    }

    @Test(
        "each step of the graph is about twice the previous one",
        arguments: [
            (0, "▁"), (0.99, "▁"), (1, "▂"), (2.5, "▃"), (5, "▄"), (10, "▅"), (39.99, "▆"), (40, "▇"), (70, "█"),
            (100, "█"),
        ]
    )
    func steps(percent: Double, block: String) {
        #expect("\(Sparkline(shares: [.percent(percent)]))" == block)
        #expect("\(Sparkline(shares: [nil, .percent(percent)]))" == " " + block)
    }

    @Test(arguments: [(0, 0), (4.99, 0), (5, 1), (50, 5), (94.99, 9), (95, 10), (100, 10)])
    func bars(percent: Double, filled: Int) {
        let bar = "\(Bar(share: .percent(percent)))"
        #expect(bar == String(repeating: "█", count: filled) + String(repeating: "░", count: 10 - filled))
    }

    @Test(
        arguments: [
            (0, "0 s"), (59_999, "59 s"), (60_000, "1 min"), (3_599_000, "59 min"), (3_600_000, "1 h 0 min"),
            (86_399_000, "23 h 59 min"), (86_400_000, "1 d 0 h"), (100 * 86_400_000, "100 d 0 h"),
        ] as [(UInt64, String)]
    )
    func ages(milliseconds: UInt64, text: String) {
        #expect("\(Age(milliseconds: milliseconds))" == text)
    }

    @Test(
        "keys, and bytes without a meaning",
        arguments: [
            ("q", [.quit]), ("Q", [.quit]), ("s", [.sort]), ("p", [.pause]), ("jk", [.down, .up]),
            ("\u{1b}[A\u{1b}[B", [.up, .down]), ("\u{1b}OA", [.up]), ("\u{1b}[5~\u{1b}[6~", [.pageUp, .pageDown]),
            ("xyz", []), ("\u{1b}[1;5Cq", [.quit]), ("\u{1b}[15~s", [.sort]), ("\u{1b}xq", [.quit]), ("é", []),
        ] as [(String, [Key])]
    )
    func keys(text: String, keys: [Key]) {
        var whole = KeyReader()
        #expect(whole.keys(in: text.utf8) == keys)
        // The result does not depend on how the bytes are split.
        var single = KeyReader()
        var found: [Key] = []
        for byte in text.utf8 { found += single.keys(in: [byte]) }
        #expect(found == keys)
    }
}
