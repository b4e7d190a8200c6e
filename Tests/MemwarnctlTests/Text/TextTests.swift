import MemwarnProgram
import Testing

@testable import memwarnctl

struct TextTests {
    @Test(
        arguments: [
            (0, "0 B"), (1_023, "1023 B"), (1_024, "1 KiB"), (1_536, "1.5 KiB"), (10 << 10, "10 KiB"),
            (9_984, "9.8 KiB"), (10_189, "10 KiB"), (999 << 10, "999 KiB"), (1_023 << 10, "1 MiB"),
            (64 << 20, "64 MiB"),
            (3 << 29, "1.5 GiB"), (1 << 40, "1 TiB"), (.max, "16 EiB"),
        ] as [(UInt64, String)]
    )
    func bytesHaveAtMostThreeFigures(bytes: UInt64, text: String) {
        #expect("\(ByteCount(bytes))" == text)
    }

    @Test(
        arguments: [
            (0, "0.00 ms"), (9, "0.00 ms"), (210, "0.21 ms"), (1_050, "1.05 ms"), (9_999, "9.99 ms"),
            (10_000, "10 ms"), (999_999, "999 ms"), (1_000_000, "1.0 s"), (1_950_000, "1.9 s"),
            (99_999_999, "99.9 s"), (100_000_000, "100 s"),
        ] as [(UInt64, String)]
    )
    func times(microseconds: UInt64, text: String) {
        #expect("\(Milliseconds(microseconds: microseconds))" == text)
    }

    @Test(
        "any time that a host claims can be displayed",
        arguments: [
            (0.0015, 1_500), (-1, 0), (.infinity, .max), (.nan, 0), (Double(UInt64.max) / 1e6, .max),
        ] as [(Double, UInt64)]
    )
    func claimedSeconds(seconds: Double, microseconds: UInt64) {
        #expect(Milliseconds(seconds: seconds).microseconds == microseconds)
    }

    @Test("columns are as wide as their widest cell, and lines have no trailing blanks")
    func table() {
        var table = Table([.left("NAME"), .right("SIZE"), .left("WHY")])
        table.add(["gallery", "5", "some"])
        table.add(["a", "12345", ""])
        let expected = """
            NAME      SIZE  WHY
            gallery      5  some
            a        12345
            """
        #expect(table.text == expected)
    }

    @Test func aTableWithoutRowsIsOnlyItsHeading() {
        #expect(Table([.left("A"), .left("B")]).text == "A  B")
    }
}
