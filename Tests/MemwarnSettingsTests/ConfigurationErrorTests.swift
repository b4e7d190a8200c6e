import Testing
import WarningPolicy

@testable import MemwarnSettings

struct ConfigurationErrorTests {
    /// A text that is refused, and the complete line that reports it, without the file's name.
    struct Refused: CustomTestStringConvertible {
        let text: String
        let message: String

        init(_ text: String, _ message: String) {
            self.text = text
            self.message = message
        }

        var testDescription: String { text }
    }

    private static let known = (
        top: "unknown key; known here: socket, levels, sensors, rounds, doors, limits, process",
        rounds: "unknown key; known here: deadline, critical-deadline, settle"
    )
    private static let percent = "expected percent as a number from 0.01 to 100"
    private static let duration = #"expected a duration from "1ms" to "24h", such as "10s" or "5min""#
    private static let path = "expected an absolute path of at most 107 bytes"
    private static let cgroups = #"expected an array of cgroups such as ["/system.slice/*.service"]"#

    static let syntax = [
        Refused("\n[levels\n", ":2:8: expected a ] after the table's name, found the end of the line"),
        Refused("[]", ":1:2: expected a name of letters, digits, - and _, or one in quotes, found \"]\""),
        Refused(
            "# [!]\n[\t\u{E9}]",
            ":2:3: expected a name of letters, digits, - and _, or one in quotes, found \"\u{E9}\" (U+00E9)"
        ),
        Refused("[.a]", ":1:2: expected a name of letters, digits, - and _, or one in quotes, found \".\""),
        Refused("[a] b", ":1:5: expected the end of the line, found \"b\""),
        Refused("levels\u{A0}= 1", ":1:7: expected a = after the key, found \"\u{A0}\" (U+00A0)"),
        Refused("a = 1 # \u{E9}\n# \u{FFFD}", ":2:3: there are bytes here that are not UTF-8"),
        Refused("levels\n", ":1:7: expected a = after the key, found the end of the line"),
        Refused("a. = 1", ":1:4: expected a name of letters, digits, - and _, or one in quotes, found \"=\""),
        Refused(
            "[levels]\nwarning =\n",
            ":2:10: expected a value: a text in quotes, a number, true, false or an array, found the end of the line"
        ),
        Refused("a = t\nb = 1\n", ":1:5: t is not a value; put a text in quotes"),
        Refused("a = 1 2", ":1:7: expected the end of the line, found \"2\""),
        Refused("a = [1,\n2\nb = 1", ":3:1: expected a , or a ] after an array's value, found \"b\""),
        Refused(
            "a = [1,",
            ":1:8: expected a value: a text in quotes, a number, true, false or an array, found the end of the file"
        ),
        Refused("a = \"b\nc\"", ":1:5: the quotes are not closed on their line"),
        Refused("a = '\\'' ", ":1:8: expected the end of the line, found \"'\""),
        Refused(#"a = "\x""#, #":1:6: a \ begins an escape: one of \b \t \n \f \r \" \\ \u0000 \U00000000"#),
        Refused(#"a = "\u12g4""#, ":1:10: expected 4 hexadecimal digits, found \"g\""),
        Refused(#"a = "\ud800""#, ":1:6: there is no such character"),
        Refused("a = 99999999999999999999", ":1:5: 99999999999999999999 is too large a number"),
        Refused("a = 1e999", ":1:5: 1e999 is too large a number"),
        Refused(
            "# a\nsocket = \"\0\"",
            ":2:11: there is a control character (U+0000) in a text; write it as an escape, as in \"\\u0007\""
        ),
        Refused("a = 1 # \u{1}", ":1:9: there is a control character (U+0001) in a comment"),
        Refused(
            "\0",
            ":1:1: expected a name of letters, digits, - and _, or one in quotes, found a control character (U+0000)"
        ),
        Refused("a = 1\rb = 2", ":1:6: expected the end of the line, found a control character (U+000D)"),
    ]

    /// Duplicates.
    static let doubles = [
        Refused("[levels]\nfall = 20\nfall = 30\n", ":3:1: levels.fall is set already, on line 2"),
        Refused("[levels]\n[rounds]\n[levels]\n", ":3:1: levels is there already, since line 1"),
        Refused("a = 1\na.b = 2\n", ":2:1: a is a value already, since line 1"),
        Refused("a = 1\n[a]\n", ":2:1: a is a value already, since line 1"),
        Refused("a = 1\n[a.b]\n", ":2:1: a is a value already, since line 1"),
        Refused("a.b = 1\na = 2\n", ":2:1: a is set already, on line 1"),
        Refused("levels.fall = 1\n[levels]\n", ":2:1: levels is there already, since line 1"),
        Refused("[a.b]\n[a]\nb.c = 1\n", ":3:1: a.b has lines of its own, from line 1 on"),
    ]

    /// Parts of TOML that no key needs.
    static let foreign =
        [
            Refused(
                "levels = { fall = 5 }",
                ":1:10: an inline table is not read here; write [name] and a line for each of its keys"
            ),
            Refused(
                "[[levels]]\n",
                ":1:1: an array of tables is not read here; write [ and ] once around the table's name"
            ),
            Refused(
                "a = \"\"\"\nb\"\"\"",
                ":1:5: a text over several lines is not read here; write it on one line, between single quotes"
            ),
            Refused(
                "a = \'\'\'b\'\'\'",
                ":1:5: a text over several lines is not read here; write it on one line, between single quotes"
            ),
            Refused("a = 1979-05-27 07:32:00", ":1:5: 1979-05-27 is a date or a time, which no key accepts"),
            Refused("a = 07:32:00", ":1:5: 07:32:00 is a date or a time, which no key accepts"),
            Refused("a = 2020-01-01 1", ":1:5: 2020-01-01 is a date or a time, which no key accepts"),
            Refused("a = 0xff", ":1:5: 0xff is in a base other than ten, which is not supported"),
            Refused("a = -inf", ":1:5: -inf is not a value that a key accepts"),
            Refused("[levels]\nfall = nan\n", ":2:8: nan is not a value that a key accepts"),
        ]
        + ["01", "1.", ".5", "1__0", "1_", "1e", "+-1", "1.5.2", "0_x"].map { word in
            let isNumber = word.utf8.first == UInt8(ascii: "0") || word.utf8.first == UInt8(ascii: "1")
            let problem =
                isNumber
                ? "not a number, which has only digits, at most one point and no leading zero; put a duration in quotes"
                : "not a value; put a text in quotes"
            return Refused("a = \(word)", ":1:5: \(word) is \(problem)")
        }

    /// Texts that would take more stack or time than a configuration may.
    static let deep = [
        Refused("\n\(nested("a.", 16))a = 1\n", ":2:10: a key has more than 5 parts; no key here has more than two"),
        Refused("[\(nested("abc.", 20_000))a]\n", ":1:21: a key has more than 5 parts; no key here has more than two"),
        Refused(
            "a.b = [\n\(nested("[", 50_000))",
            ":2:5: an array is in more than 5 others; no value here has arrays in arrays"
        ),
        Refused(
            "\(nested("a", 200)) = 1",
            ":1:1: a name is longer than 128 bytes; no name here has more than 20"
        ),
        Refused("a = \(nested("b", 200))", ":1:5: \(nested("b", 40))… is not a value; put a text in quotes"),
    ]

    private static func nested(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    static let unknown = [
        Refused("sockets = \"/run/a\"\n", #":1: sockets: unknown key; did you mean "socket"?"#),
        Refused("\n[colours]\n", ":2: colours: \(known.top)"),
        Refused("[levels]\nfall = 40\nwarnings = 10\n", #":3: levels.warnings: unknown key; did you mean "warning"?"#),
        Refused("[levels]\nrounds.deadline = \"1s\"\n", ":2: levels.rounds: \(knownLevels)"),
        Refused("rounds.deadlines = \"2s\"\n", #":1: rounds.deadlines: unknown key; did you mean "deadline"?"#),
        Refused("# colour = 1\n[rounds]\n# colour = 2\ncolour = 3\n", ":4: rounds.colour: \(known.rounds)"),
        Refused("[rounds]\r\ndwell = \"5s\"\r\n", #":2: rounds.dwell: unknown key; did you mean "levels.dwell"?"#),
        Refused("headroom = 5\n", #":1: headroom: unknown key; did you mean "levels.headroom"?"#),
        Refused("\"a\\u001b[2J\" = 5\n", #":1: a\u{1b}[2J: \#(known.top)"#),
    ]
    private static let knownLevels = """
        unknown key; known here: warning, warning-windows, critical, critical-full, needs-reclaim, headroom, \
        headroom-critical, fall, dwell, repeat, hold
        """

    static let types = [
        Refused("socket = 5\n", ":1: socket: \(path), found 5"),
        Refused("socket = \"\"\n", ":1: socket: \(path), found \"\""),
        Refused("socket.a = 1\n", ":1: socket: \(path), found a table"),
        Refused("levels = 5\n", ":1: levels: expected a table such as [levels], found 5"),
        Refused("[rounds.deadline]\n", ":1: rounds.deadline: \(duration), found a table"),
        Refused("[levels]\nwarning = \"10%\"\n", ":2: levels.warning: \(percent), found \"10%\""),
        Refused("[levels]\nwarning = true\n", ":2: levels.warning: \(percent), found true"),
        Refused(
            "[levels]\nwarning-windows = 2.5\n",
            ":2: levels.warning-windows: expected a whole number from 1 to 60, found 2.5"
        ),
        Refused("[levels]\nneeds-reclaim = 1\n", ":2: levels.needs-reclaim: expected true or false, found 1"),
        Refused("[sensors]\ncgroups = \"/a\"\n", ":2: sensors.cgroups: \(cgroups), found \"/a\""),
        Refused("[sensors]\ncgroups = [\n\"/a\", 5]\n", ":2: sensors.cgroups: \(cgroups), found 5 in it"),
        Refused("levels = []\n", ":1: levels: expected a table such as [levels], found an array"),
    ]

    /// A duration in the form of other programs, and the form that the message suggests.
    static let units = [
        ("10", "10s"), ("\"10\"", "10s"), ("\"10 sec\"", "10s"), ("\"5m\"", "5min"), ("\"2 Hours\"", "2h"),
    ]
    .map { written, meant in
        Refused(
            "[levels]\ndwell = \(written)\n",
            ":2: levels.dwell: \(duration), found \(written); did you mean \"\(meant)\"?"
        )
    }

    static let values = [
        Refused("[levels]\nwarning = 0\n", ":2: levels.warning: \(percent), found 0"),
        Refused("[levels]\ncritical = 100.5\n", ":2: levels.critical: \(percent), found 100.5"),
        Refused("[levels]\nheadroom = -1\n", ":2: levels.headroom: \(headroom), found -1"),
        Refused("[levels]\nheadroom = 80\n", ":2: levels.headroom: \(headroom), found 80\(neverFalls)"),
        Refused("[levels]\n# much\nheadroom = 99.5\n", ":3: levels.headroom: \(headroom), found 99.5\(neverFalls)"),
        Refused(
            "[levels]\nwarning-windows = 61\n",
            ":2: levels.warning-windows: expected a whole number from 1 to 60, found 61"
        ),
        Refused("levels.hold = \"2d\"\n", ":1: levels.hold: \(duration), found \"2d\""),
        Refused("# dwell = \"1s\"\n[levels]\ndwell = \"soon\"\n", ":3: levels.dwell: \(duration), found \"soon\""),
        Refused("[rounds]\ndeadline = \"0s\"\n", ":2: rounds.deadline: \(duration), found \"0s\""),
        Refused("socket = \"run/a\"\n", ":1: socket: \(path), found \"run/a\""),
        Refused("doors.pressure-socket = \"on\"\n", ":1: doors.pressure-socket: \(offOrPath), found \"on\""),
        Refused("sensors.window = \"20ms\"\n", ":1: sensors.window: \(window), found \"20ms\""),
        Refused("sensors.window = \"11s\"\n", ":1: sensors.window: \(window), found \"11s\""),
        Refused("sensors.window = 5\n", ":1: sensors.window: \(window), found 5; did you mean \"5s\"?"),
        Refused(
            "[limits]\npeers-per-user = 0\n",
            ":2: limits.peers-per-user: expected a whole number from 1 to 1048576, found 0"
        ),
    ]
    private static let headroom = "expected percent as a number from 0.01 to 79.99"
    private static let neverFalls = ": its level falls again when a quarter more is left, which has to be possible"
    private static let offOrPath = "expected \"off\" or an absolute path of at most 107 bytes"
    private static let window = #"expected a duration from "50ms" to "10s""#

    static let patterns = [
        ("a", "has to begin with /"), ("", "has to begin with /"), ("/", "is the whole host; name a cgroup below it"),
        ("/a//b", "has nothing between two / or after the last; leave one / out"),
        ("/a/", "has nothing between two / or after the last; leave one / out"),
        ("/a/../b", "must not have . or .. in it; write the path without"),
        ("/./b", "must not have . or .. in it; write the path without"),
    ].map { pattern, fault in
        Refused(
            "sensors.cgroups = [\"/fine\", \"\(pattern)\"]\n",
            ":1: sensors.cgroups: the cgroup pattern \"\(pattern)\" \(fault)"
        )
    }

    static let manyPatterns = [
        Refused(
            "sensors.cgroups = [\"a\", 5, \"/fine\", \"/\"]\n",
            """
            :1: sensors.cgroups: the cgroup pattern "a" has to begin with /; \(cgroups), found 5 in it; \
            the cgroup pattern "/" is the whole host; name a cgroup below it
            """
        ),
        Refused(
            "sensors.cgroups = [\(nested("\"a\",", 12))]\n",
            ":1: sensors.cgroups: \(nested("the cgroup pattern \"a\" has to begin with /; ", 10))and 2 more"
        ),
    ]

    static let order = [
        Refused(
            "[levels]\ncritical = 20\nwarning = 30\n",
            ":3: levels.warning: must not be above levels.critical (20%), found 30%"
        ),
        // Against the default of the other key.
        Refused(
            "[levels]\nwarning = 41\n",
            ":2: levels.warning: must not be above levels.critical (40%), found 41%"
        ),
        Refused("[levels]\ncritical = 5\n", ":2: levels.critical: must not be below levels.warning (10%), found 5%"),
        Refused(
            "[levels]\nheadroom = 4\n",
            ":2: levels.headroom: must be above levels.headroom-critical (4%), found 4%"
        ),
        Refused(
            "sensors.headroom-far = 20\n[levels]\nheadroom = 30\n",
            ":3: levels.headroom: must be below sensors.headroom-far (20%), found 30%"
        ),
        Refused(
            "levels.headroom-critical = 12\n",
            ":1: levels.headroom-critical: must be below levels.headroom (10%), found 12%"
        ),
    ]

    @Test(
        "a bad file is refused with its line, the key, and the expected value",
        arguments: syntax + doubles + foreign + deep + unknown + types + units + values + patterns + manyPatterns
            + order
    )
    func message(refused: Refused) {
        let error = #expect(throws: ConfigurationTests.Refused.self) { try ConfigurationTests.parse(refused.text) }
        #expect(error?.problems.map(\.description) == ["memwarnd.toml" + refused.message])
    }

    @Test("all mistakes are reported in the order of lines, and refused values are not compared with others")
    func everyProblem() {
        let text = """
            [rounds]
            deadline = 5
            [levels]
            headroom = 200
            headroom-critical = 60
            warning = 50
            """
        let error = #expect(throws: ConfigurationTests.Refused.self) { try ConfigurationTests.parse(text) }
        #expect(
            error?.problems.map(\.description).joined(separator: "\n") == """
                memwarnd.toml:2: rounds.deadline: \(Self.duration), found 5; did you mean "5s"?
                memwarnd.toml:4: levels.headroom: \(Self.headroom), found 200
                memwarnd.toml:6: levels.warning: must not be above levels.critical (40%), found 50%
                """
        )
    }

    @Test("if there are many mistakes the first ones are listed, and a wrong table is mentioned once")
    func manyMistakes() {
        var reading = ConfigurationReading()
        reading.parse((1...50_000).map { "a\($0) = 1\n" }.joined(), from: "a.toml")
        #expect(reading.problems.count == 101)
        #expect(reading.problems.last?.description == "a.toml: the first 100 mistakes are listed; there may be more")
        reading = ConfigurationReading()
        reading.parse("[colours]\n" + (1...50_000).map { "a\($0) = 1\n" }.joined(), from: "a.toml")
        #expect(reading.problems.map(\.description) == ["a.toml:1: colours: \(Self.known.top)"])
    }

    @Test("a text that cannot be read to its end sets no key")
    func nothingOfIt() {
        var reading = ConfigurationReading()
        reading.parse("[levels]\nfall = 20\nwarning", from: "a.toml")
        reading.conclude()
        #expect(reading.configuration == Settings())
        #expect(reading.files == [])
    }
}
