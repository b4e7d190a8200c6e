import ResourceManager
import Testing

@testable import ResourceArchives

struct JSONReaderTests {
    static func read(_ text: String) throws(JSONError) -> JSONNode {
        try JSONText(Array(text.utf8)).root
    }

    @Test(
        "every kind of value is read",
        arguments: [
            ("null", .null), (" true\r\n\t", .bool(true)), ("false", .bool(false)), ("0", .integer(0)),
            ("-0", .integer(0)), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.0", .number(1)), ("-0.0", .number(-0.0)),
            ("1e2", .number(100)), ("1E+2", .number(100)), ("25e-2", .number(0.25)), ("1e-400", .number(0)),
            (#""""#, .string("")), (#""a\"\\\/\b\f\n\r\tb""#, .string("a\"\\/\u{8}\u{c}\n\r\tb")),
            (#""\u00e9\u20AC\ud83d\ude00\u0000""#, .string("é€😀\u{0}")), ("\"é€😀\u{7f}\"", .string("é€😀\u{7f}")),
            ("[]", .array([])), ("{ }", .object(Properties())),
        ] as [(String, PropertyValue)]
    )
    func values(text: String, expected: PropertyValue) throws {
        #expect(PropertyValue(try Self.read(text)) == expected)
    }

    @Test(
        "a key with more than thirty combining characters in a row is refused, however it is written",
        arguments: [("\u{301}", "\u{323}"), (#"\u0301"#, #"\u0323"#)]
    )
    func combiningCharacters(above: String, below: String) throws {
        func row(_ count: Int) -> String {
            String(repeating: above, count: count / 2) + String(repeating: below, count: count - count / 2)
        }
        let message = "this text has more than 30 combining characters in a row"
        for count in [31, 100_000] {
            let error = #expect(throws: JSONError.self) { try Self.read("{\n \"a\(row(count))\": 1}") }
            #expect(error?.message == message && error?.position == TextPosition(line: 2, column: 2))
            let value = Array("[\"a\(row(count))\"]".utf8)
            #expect(throws: Never.self) { try JSONText(value) }
            #expect(throws: JSONError.self) { try JSONText(value, textsAreKeys: true) }
        }
        #expect(throws: PropertyEncodingError.self) {
            try Properties([
                "a\u{301}": .object(
                    Properties([
                        "b" + String(repeating: "\u{323}", count: 31): .null
                    ])
                )
            ]).json()
        }
        let longest = Array("{\"\(row(30))a\(row(30))\": \"\(row(30))\"}".utf8)
        #expect(throws: Never.self) { try JSONText(longest, textsAreKeys: true) }
    }

    @Test func aNegativeZeroKeepsItsSign() throws {
        guard case .number(let value) = try Self.read("-0.0").value else { return #expect(Bool(false)) }
        #expect(value.sign == .minus)
    }

    @Test("each value has its line and its column in code points, and members keep their order")
    func positions() throws {
        let node = try Self.read("{\n  \"ä\": [1,\r\n\t\"€\", {}],\"a\":\n null}")
        let places = JSONPlaces(node.text)
        func position(_ node: JSONNode) -> TextPosition { places.position(of: node.index) }
        #expect(position(node) == TextPosition(line: 1, column: 1))
        guard case .object(let object) = node.value, case let members = Array(object),
            case .array(let list) = members[0].node.value, case let elements = Array(list)
        else {
            Issue.record("\(node)")
            return
        }
        #expect(object.count == 2)
        #expect(list.count == 3)
        #expect(members.map(\.name) == ["ä", "a"])
        #expect(position(members[0].node) == TextPosition(line: 2, column: 8))
        #expect(position(elements[0]) == TextPosition(line: 2, column: 9))
        #expect(position(elements[1]) == TextPosition(line: 3, column: 2))
        #expect(position(elements[2]) == TextPosition(line: 3, column: 7))
        #expect(position(members[1].node) == TextPosition(line: 4, column: 2))
        var paths = JSONPaths(node.text)
        let all = [node, members[0].node] + elements + [members[1].node]
        #expect(all.map { paths.path(to: $0.index) } == ["", "ä", "ä[0]", "ä[1]", "ä[2]", "a"])
    }

    @Test("a place in a long text is found as fast as in a short one")
    func farPositions() throws {
        let lines = (0..<1_000).map { _ in "\"ääää\",\n" }.joined()
        let node = try Self.read("[\(lines)  1]")
        guard case .array(let list) = node.value, let last = Array(list).last else {
            Issue.record("\(node)")
            return
        }
        #expect(JSONPlaces(node.text).position(of: last.index) == TextPosition(line: 1_001, column: 3))
    }

    @Test(
        "text that RFC 8259 does not permit is refused, with its place",
        arguments: [
            ("", 1, 1, "expected a value, found the end of the file"),
            ("\n  ", 2, 3, "expected a value, found the end of the file"),
            ("1 2", 1, 3, "expected the end of the file, found \"2\""),
            ("{} é", 1, 4, "expected the end of the file, found \"é\""),
            ("\u{feff}{}", 1, 1, "expected a value, found \"\u{feff}\""),
            ("nul", 1, 1, "expected a value, found \"n\""),
            ("NaN", 1, 1, "expected a value, found \"N\""), ("+1", 1, 1, "expected a value, found \"+\""),
            ("// no", 1, 1, "expected a value, found \"/\""), ("01", 1, 2, "expected the end of the file, found \"1\""),
            ("-", 1, 2, "expected a digit, found the end of the file"),
            ("1.", 1, 3, "expected a digit, found the end of the file"),
            (".5", 1, 1, "expected a value, found \".\""), ("1e", 1, 3, "expected a digit, found the end of the file"),
            ("1e400", 1, 1, "1e400 is too large a number"), ("[1,]", 1, 4, "expected a value, found \"]\""),
            ("[1 2]", 1, 4, "expected \",\" or \"]\", found \"2\""),
            ("[1", 1, 3, "expected \",\" or \"]\", found the end of the file"),
            ("{\"a\" 1}", 1, 6, "expected \":\", found \"1\""),
            ("{a: 1}", 1, 2, "expected a name in quotes, found \"a\""),
            ("{\"a\": 1,}", 1, 9, "expected a name in quotes, found \"}\""),
            ("{\"a\": 1", 1, 8, "expected \",\" or \"}\", found the end of the file"),
            ("{\"a\": 1,\n \"a\": 2}", 2, 2, "\"a\" is here a second time in the same object"),
            ("{\"\\u00e9\": 1, \"é\": 2}", 1, 15, "\"é\" is here a second time in the same object"),
            ("{\"\u{e9}\": 1, \"e\u{301}\": 2}", 1, 10, "\"é\" is here a second time in the same object"),
            ("\"a", 1, 1, "this text has no end"),
            (
                "\"\\", 1, 3,
                "expected another backslash or one of \"/bfnrtu after a backslash, found the end of the file"
            ),
            ("\"\\x\"", 1, 3, "expected another backslash or one of \"/bfnrtu after a backslash, found \"x\""),
            ("\"\\u12g4\"", 1, 6, "expected four hexadecimal digits, found \"g\""),
            ("\"\\ud800\"", 1, 3, "this is half a code point"),
            ("\"\\udc00\\ud800\"", 1, 3, "this is half a code point"),
            ("\"\\ud800\\u0041\"", 1, 3, "this is half a code point"),
            ("\"a\nb\"", 1, 3, "expected an escape instead of a control character, found \"\n\""),
            ("\"\u{1f}\"", 1, 2, "expected an escape instead of a control character, found \"\u{1f}\""),
        ]
    )
    func refused(text: String, line: Int, column: Int, message: String) {
        let error = JSONError(position: TextPosition(line: line, column: column), message: message)
        #expect(throws: error) { try Self.read(text) }
    }

    @Test(
        "bytes that are not UTF-8 are refused",
        arguments: [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]] as [[UInt8]]
    )
    func notUTF8(bytes: [UInt8]) {
        let error = JSONError(position: TextPosition(line: 1, column: 2), message: "this text is not UTF-8")
        #expect(throws: error) { try JSONText(Array("[\"".utf8) + bytes + Array("\"]".utf8)) }
        #expect(throws: JSONError.self) { try JSONText(bytes) }
    }

    @Test("values may be nested 256 deep and no deeper, however long the file is")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try Self.read(nested(256)).end == 256)
        let error = JSONError(
            position: TextPosition(line: 1, column: 257),
            message: "values lie in each other more than 256 deep"
        )
        #expect(throws: error) { try Self.read(nested(257)) }
        #expect(throws: error) { try Self.read(String(repeating: "[", count: 1_000_000)) }
        #expect(throws: JSONError.self) { try Self.read(String(repeating: "{\"a\":", count: 1_000_000)) }
    }
}
