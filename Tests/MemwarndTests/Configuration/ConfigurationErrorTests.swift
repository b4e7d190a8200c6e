import Testing

@testable import memwarnd

struct ConfigurationErrorTests {
    /// A text that is refused, and the whole line that says so, without the file's name.
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
    private static let duration = #"expected a duration such as "500ms", "10s" or "5min""#
    private static let path = "expected an absolute path of at most 107 bytes"
    private static let cgroups = #"expected an array of cgroups such as ["/system.slice/*.service"]"#

    static let syntax = [
        Refused("\n[levels\n", #":2: Error while parsing table header: expected ']', saw '\n'"#),
        Refused("[levels]\nwarning =\n", #":2: Error while parsing key-value pair: expected value, saw '\n'"#),
        Refused("a = t\nb = 1\n", #":1: Error while parsing boolean: expected 'true', saw 't\u{a}'"#),
        Refused(
            "[levels]\nfall = 20\nfall = 30\n",
            ":3: Error while parsing key-value pair: cannot redefine existing integer 'fall'"
        ),
    ]

    /// Headers at which the parser would end the process.
    static let unnamed = ["[", "[]", "[ ]", "[!]", "[\t\u{E9}]", "[[ =", "[#", "[.a]", "[[[a]]]"].map { header in
        Refused("# [!]\na = [\n[1]]\n\(header)\n", ":4: expected the name of a table after [")
    }

    /// Values at which the parser would end the process.
    static let stumbles = [
        Refused("a = 2024-05-27T07:32:00\nb = [\n2024-05-27T[7:32:00Z]\n", ":3: expected a time after the T of a date"),
        Refused("a = [{}, []]\nb = [1,\n}\n", ":3: there is a closing bracket too many"),
        Refused(
            "a = [\"\u{E9}\"] # \u{E9}\nb = [\u{2028}]\n",
            ":2: expected quotes around a text with letters beyond ASCII"
        ),
    ]

    /// Nesting for which the parser, or what reads its tables, may not have stack enough.
    static let deep = [
        Refused("\n\(nested("a.", 16))a = 1\n", ":2: the key \(nested("a.", 15))… has \(depth("parts"))"),
        Refused("[\(nested("abc.", 20_000))a]\n", ":1: the key \(nested("abc.", 10))… has \(depth("parts"))"),
        Refused("a.b = [\n\(nested("[", 50_000))", ":2: the value of a.b has \(depth("brackets open at once"))"),
        Refused("a = \(nested("{a = ", 16))", ":1: the value of a has \(depth("brackets open at once"))"),
        Refused(
            "a = [{b = \"\", \(nested("'a' . ", 15))a = 1}]\n",
            ":1: a key in the value of a has \(depth("parts"))"
        ),
    ]

    private static func nested(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
    private static func depth(_ unit: String) -> String {
        "more than 15 \(unit); no key here has more than two, and no value needs more"
    }

    static let unknown = [
        Refused("sockets = \"/run/a\"\n", #":1: sockets: unknown key; did you mean "socket"?"#),
        Refused("\n[colours]\n", ":2: colours: \(known.top)"),
        Refused("[levels]\nfall = 40\nwarnings = 10\n", #":3: levels.warnings: unknown key; did you mean "warning"?"#),
        Refused("[levels]\nrounds.deadline = \"1s\"\n", ":2: levels.rounds: \(knownLevels)"),
        Refused("rounds.deadlines = \"2s\"\n", #":1: rounds.deadlines: unknown key; did you mean "deadline"?"#),
        Refused("# colour = 1\n[rounds]\n# colour = 2\ncolour = 3\n", ":4: rounds.colour: \(known.rounds)"),
        Refused("levels = { critical = 50, warms = 5 }\n", ":1: levels.warms: \(knownLevels)"),
        Refused("[rounds]\r\ndwell = \"5s\"\r\n", #":2: rounds.dwell: unknown key; did you mean "levels.dwell"?"#),
        Refused("headroom = 5\n", #":1: headroom: unknown key; did you mean "levels.headroom"?"#),
        Refused("\"a\\u001b[2J\" = 5\n", #": a\u{1b}[2J: \#(known.top)"#),
    ]
    private static let knownLevels = """
        unknown key; known here: warning, warning-windows, critical, critical-full, needs-reclaim, headroom, \
        headroom-critical, fall, dwell, repeat, hold
        """

    static let types = [
        Refused("socket = 5\n", ":1: socket: \(path), found 5"),
        Refused("socket = \"\"\n", ":1: socket: \(path), found \"\""),
        Refused("socket = 1979-05-27\n", ":1: socket: \(path), found 1979-05-27"),
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
        Refused("[[levels]]\n", ":1: levels: expected a table such as [levels], found an array"),
    ]

    /// A duration as other programs write it, and what is meant.
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
        Refused("[levels]\nfall = nan\n", ":2: levels.fall: \(percent), found nan"),
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

    static let order = [
        Refused(
            "[levels]\ncritical = 20\nwarning = 30\n",
            ":3: levels.warning: must not be above levels.critical (20%), found 30%"
        ),
        // Against the default.
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
        "a bad file is refused with its line, the key, and what was expected",
        arguments: syntax + unnamed + stumbles + deep + unknown + types + units + values + patterns + order
    )
    func message(refused: Refused) {
        let error = #expect(throws: ConfigurationError.self) { try ConfigurationTests.parse(refused.text) }
        #expect(error?.description == "memwarnd.toml" + refused.message)
    }

    @Test("all that is wrong is said, line by line, and what was refused is compared with nothing")
    func everyProblem() {
        let text = """
            [rounds]
            deadline = 5
            [levels]
            headroom = 200
            headroom-critical = 60
            warning = 50
            """
        let error = #expect(throws: ConfigurationError.self) { try ConfigurationTests.parse(text) }
        #expect(
            error?.description == """
                memwarnd.toml:2: rounds.deadline: \(Self.duration), found 5; did you mean "5s"?
                memwarnd.toml:4: levels.headroom: \(Self.headroom), found 200
                memwarnd.toml:6: levels.warning: must not be above levels.critical (40%), found 50%
                """
        )
    }

    @Test("nesting that no key needs is an unknown key, as long as it cannot harm")
    func shallow() {
        let key = Self.nested("a.", 14) + "a"
        let value = Self.nested("[", 14) + "{ \(key) = 1.5 }" + Self.nested("]", 14)
        let error = #expect(throws: ConfigurationError.self) { try ConfigurationTests.parse("\(key) = \(value)\n") }
        #expect(error?.description == "memwarnd.toml:1: a: \(Self.known.top)")
    }

    @Test func aNULIsNoText() {
        let error = #expect(throws: ConfigurationError.self) { try ConfigurationTests.parse("# a\nsocket = \"\0\"") }
        #expect(error?.description == "memwarnd.toml:2: there is a NUL in the text; a configuration file is plain text")
    }
}
