import CLinux
import MemoryPressure
import MemwarnProtocol
import Testing

struct TextTests {
    /// A message with this text in one of its strings; the name is the field's on the wire.
    struct Field: Sendable, CustomTestStringConvertible {
        let name: String
        let limit: ClosedRange<Int>
        let message: @Sendable (String) -> Message
        var testDescription: String { "\(name) of \(limit.lowerBound)...\(limit.upperBound)" }
    }

    static let reason = PressureReason(.headroom, figure: .percent(4), threshold: .percent(10))

    static let fields = [
        Field(name: "name", limit: 1...64) { .hello(Hello(name: $0)) },
        Field(name: "scope", limit: 0...1024) {
            .welcome(Welcome(hostID: 1, level: .normal, reason: reason, scope: $0))
        },
        Field(name: "scope", limit: 0...1024) {
            .warning(
                Warning(level: .normal, options: [], reason: reason, bytesWanted: 0, deadline: 0, scope: $0)
            )
        },
        Field(name: "message", limit: 0...512) { .error(Refusal(code: .malformed, message: $0)) },
        Field(name: "name", limit: 1...64) { .simulate(Simulate(level: .warning, target: .name($0))) },
        Field(name: "version", limit: 0...64) { text in .daemon(DaemonRecord { $0.version = text }) },
        Field(name: "refusal", limit: 0...512) { text in .daemon(DaemonRecord { $0.refusal = text }) },
        Field(name: "path", limit: 0...1024) { .scope(scope(path: $0, rungReason: full(512))) },
        Field(name: "rungReason", limit: 0...512) { .scope(scope(path: full(1024), rungReason: $0)) },
        Field(name: "name", limit: 1...64) { .host(host(name: $0, scope: full(1024))) },
        Field(name: "scope", limit: 0...1024) { .host(host(name: full(64), scope: $0)) },
        Field(name: "scope", limit: 0...1024) { text in
            .round(
                RoundRecord {
                    $0.reason = reason
                    $0.scope = text
                }
            )
        },
        Field(name: "name", limit: 1...64) { .command(CommandRequest(name: $0, argument: full(2048))) },
        Field(name: "argument", limit: 0...2048) { .command(CommandRequest(name: full(64), argument: $0)) },
        Field(name: "text", limit: 0...2048) { .outcome(CommandReply(result: .done, text: $0)) },
        Field(name: "host", limit: 1...64) { .send(Send(to: .name($0), command)) },
        Field(name: "name", limit: 1...64) { .send(Send(to: .id(1), CommandRequest(name: $0))) },
        Field(name: "argument", limit: 0...2048) {
            .send(Send(to: .name(full(64)), CommandRequest(name: full(64), argument: $0)))
        },
        Field(name: "name", limit: 1...64) { .commandRecord(record(name: $0, text: full(2048))) },
        Field(name: "text", limit: 0...2048) { .commandRecord(record(name: full(64), text: $0)) },
    ]

    @Test("a string may have as many bytes as its limit and no more, in both directions", arguments: fields)
    func limit(_ field: Field) throws {
        for count in [field.limit.lowerBound, field.limit.upperBound] {
            let frame = Frame(sequence: 1, message: field.message(Self.full(count)))
            #expect(try Frame(bytes: frame.encoded()) == frame)
        }
        for count in [field.limit.lowerBound - 1, field.limit.upperBound + 1, 70_000] where count >= 0 {
            let frame = Frame(sequence: 1, message: field.message(Self.full(count)))
            let error = FrameError.textLength(field: field.name, bytes: count, limit: field.limit)
            #expect(throws: error) { try frame.encoded() }
        }
        let longest = field.limit.upperBound
        var bytes = try Frame(sequence: 1, message: field.message(Self.full(longest))).encoded()
        let start = try #require(Self.start(of: longest, in: bytes))
        bytes.replaceSubrange(start - 2..<start, with: Self.littleEndian(longest + 1))
        let error = FrameError.textLength(field: field.name, bytes: longest + 1, limit: field.limit)
        #expect(throws: error) { try Frame(bytes: bytes) }
    }

    @Test(
        "a string that is not UTF-8 or contains a NUL is an error",
        arguments: fields,
        [
            [0x61, 0x00, 0x61, 0x61],  // NUL
            [0x61, 0x80, 0x61, 0x61],  // a continuation byte without a start
            [0xC0, 0xAF, 0x61, 0x61],  // "/" in too many bytes
            [0xED, 0xA0, 0x80, 0x61],  // half of a surrogate pair
            [0xF4, 0x90, 0x80, 0x80],  // beyond U+10FFFF
            [0x61, 0xF0, 0x9F, 0x98],  // truncated within a scalar
        ] as [[UInt8]]
    )
    func invalid(_ field: Field, text: [UInt8]) throws {
        let longest = field.limit.upperBound
        var bytes = try Frame(sequence: 1, message: field.message(Self.full(longest))).encoded()
        let start = try #require(Self.start(of: longest, in: bytes))
        bytes.replaceSubrange(start + longest - text.count..<start + longest, with: text)
        #expect(throws: FrameError.text(field: field.name)) { try Frame(bytes: bytes) }
    }

    @Test("a NUL is never written", arguments: fields)
    func writesNoNUL(_ field: Field) {
        let frame = Frame(sequence: 1, message: field.message("a\0b"))
        #expect(throws: FrameError.text(field: field.name)) { try frame.encoded() }
    }

    @Test("a name with a target other than a name is an error", arguments: [0, 2] as [UInt8])
    func nameWithoutTarget(_ target: UInt8) throws {
        var bytes = try Frame(sequence: 1, message: Self.fields[4].message("gallery")).encoded()
        bytes[17] = target
        let error = FrameError.textLength(field: "name", bytes: 7, limit: 0...0)
        #expect(throws: error) { try Frame(bytes: bytes) }
    }

    @Test("a name with an id is an error")
    func nameBesideID() throws {
        var bytes = try Frame(sequence: 1, message: .send(Send(to: .name("gallery"), Self.command))).encoded()
        bytes[16] = 2
        let error = FrameError.textLength(field: "host", bytes: 7, limit: 0...0)
        #expect(throws: error) { try Frame(bytes: bytes) }
    }

    @Test(
        "a string is truncated to its limit between scalars",
        arguments: [
            ("gallery", 64, "gallery"),
            ("gallery", 7, "gallery"),
            ("gallery", 6, "galler"),
            ("gallery", 0, ""),
            ("galería", 6, "galer"),
            ("galería", 7, "galerí"),
            ("a😀b", 1, "a"),
            ("a😀b", 4, "a"),
            ("a😀b", 5, "a😀"),
            ("e\u{301}", 2, "e"),
            ("", 0, ""),
        ]
    )
    func prefix(text: String, limit: Int, expected: String) {
        #expect(Array(text.prefix(utf8: limit).utf8) == Array(expected.utf8))
    }

    @Test("the path of a limit is truncated if it is longer than its field")
    func longLimitPath() throws {
        func welcome(_ path: String) -> Message {
            let reason = PressureReason(.headroom, limit: BindingLimit(.max, bytes: 1, path: path))
            return .welcome(Welcome(hostID: 1, level: .warning, reason: reason, scope: "/"))
        }
        let frame = Frame(sequence: 1, message: welcome(Self.full(2_000)))
        #expect(try Frame(bytes: frame.encoded()).message == welcome(Self.full(1_024)))
    }

    @Test(
        "characters that could control a terminal or hide in a log are escaped",
        arguments: [
            Escape("gallery", "gallery"),
            Escape("galería 写真 😀", "galería 写真 😀"),
            Escape("", ""),
            Escape("\u{1b}[2J", #"\u{1b}[2J"#),
            Escape("a\nb\tc\r\n", #"a\u{a}b\u{9}c\u{d}\u{a}"#),
            Escape("\u{7f}\u{9b}", #"\u{7f}\u{9b}"#),
            Escape("abc\u{202e}txt", #"abc\u{202e}txt"#),
            Escape("a\u{2066}b\u{200b}\u{feff}", #"a\u{2066}b\u{200b}\u{feff}"#),
            Escape("a\u{2028}b\u{2029}", #"a\u{2028}b\u{2029}"#),
            Escape("\u{e0041}", #"\u{e0041}"#),
            Escape(#"\u{1b}"#, #"\u{5c}u{1b}"#),
        ]
    )
    func escaped(_ escape: Escape) {
        #expect(escape.text.escapedForDisplay == escape.testDescription)
    }

    @Test("the escaped scalars are exactly those of Unicode's categories control, format, line and paragraph separator")
    func categories() {
        let wrong = (UInt32(0)...0x10FFFF).filter { value in
            guard let scalar = Unicode.Scalar(value) else { return false }
            let isOne =
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: true
                default: false
                }
            return scalar_is_control_or_format(value) != isOne
        }
        #expect(wrong.isEmpty)
    }

    /// Text that must not reach a terminal, so a test's report shows only its escaped form.
    struct Escape: Sendable, CustomTestStringConvertible {
        let text: String
        let testDescription: String

        init(_ text: String, _ escaped: String) {
            self.text = text
            testDescription = escaped
        }
    }

    static func full(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func scope(path: String, rungReason: String) -> ScopeRecord {
        ScopeRecord {
            $0.id = 1
            $0.state = .gone
            $0.level = .normal
            $0.reason = reason
            $0.path = path
            $0.rungReason = rungReason
        }
    }

    private static func host(name: String, scope: String) -> HostRecord {
        HostRecord {
            $0.id = 1
            $0.state = .gone
            $0.pid = 1
            $0.uid = 1
            $0.priority = 1
            $0.level = .normal
            $0.name = name
            $0.scope = scope
        }
    }

    private static let command = CommandRequest(name: full(64), argument: full(2048))

    private static func record(name: String, text: String) -> CommandRecord {
        CommandRecord {
            $0.name = name
            $0.text = text
        }
    }

    private static func littleEndian(_ count: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)]
    }

    /// The start of a text of `count` times "x", found by the length before it.
    private static func start(of count: Int, in bytes: [UInt8]) -> Int? {
        let mark = littleEndian(count) + [0x78]
        return (Frame.headerSize..<bytes.count - 2).first { Array(bytes[$0..<$0 + 3]) == mark }.map { $0 + 2 }
    }
}
