import Testing

@testable import MemwarnSettings

struct ConfigurationReaderTests {
    private static let text = #"""
        # a = 1
        a = 1 # b = 2
        "b" = "x = 1"
        c . 'd' = [
          "e = 1", # ] f = 2
          [ -2.5e-1, true ], 'C:\g',

        ]
        [ k . "l.m" ]
        n = "\b\t\n\f\r\"\\\u00e9\U0001F600"
          o = +1_000
        [s]
        """#

    @Test("each line that sets a key or begins a table is an entry, with its position and value")
    func entries() throws {
        let entries = try ConfigurationReader.entries(of: Self.text)
        let expected: [(path: [String], value: ConfigurationValue, line: Int)] = [
            (["a"], .integer(1), 2),
            (["b"], .text("x = 1"), 3),
            (
                ["c", "d"],
                .list([
                    .text("e = 1"), .list([.number(-0.25, written: "-2.5e-1"), .flag(true)]), .text(#"C:\g"#),
                ]), 4
            ),
            (["k", "l.m"], .table, 9),
            (["k", "l.m", "n"], .text("\u{8}\t\n\u{C}\r\"\\\u{E9}\u{1F600}"), 10),
            (["k", "l.m", "o"], .integer(1_000), 11),
            (["s"], .table, 12),
        ]
        #expect(entries.map(\.path) == expected.map(\.path))
        #expect(entries.map(\.value) == expected.map(\.value))
        #expect(entries.map(\.line) == expected.map(\.line))
    }

    @Test("a text that is cut at any point is either read or refused", arguments: 0...text.utf8.count)
    func cut(length: Int) {
        let start = String(decoding: Self.text.utf8.prefix(length), as: UTF8.self)
        do throws(ConfigurationSyntaxError) {
            let entries = try ConfigurationReader.entries(of: start)
            #expect(entries.count <= 7)
        } catch {
            let lines = start.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            #expect((1...lines.count).contains(error.line))
            #expect((1...lines[error.line - 1].count + 1).contains(error.column))
        }
    }

    @Test(
        "a value that was written is read back as the same value",
        arguments: [
            .text(#"a "quoted" \ path"#), .text("\u{7F}\u{1}\t\r\n\u{E9}"), .integer(.min), .integer(.max),
            .number(0.01, written: "0.01"), .number(1e-300, written: "1e-300"), .flag(false),
            .list([.text("/a"), .text("")]), .list([]),
        ] as [ConfigurationValue]
    )
    func written(value: ConfigurationValue) throws {
        #expect(try ConfigurationReader.entries(of: "a = \(value.toml)").map(\.value) == [value])
    }
}
