import TestSupport
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
        top: "unknown key; known here: socket, levels, rounds",
        levels: """
        unknown key; known here: warning, warning-windows, critical, critical-full, headroom, fall, dwell, repeat, hold
        """,
        rounds: "unknown key; known here: deadline, critical-deadline"
    )
    private static let percent = "expected percent as a number from 0.01 to 100"
    private static let duration = #"expected a duration such as "500ms", "10s" or "5min""#

    static let syntax = [
        Refused("\n[levels\n", #":2: Error while parsing table header: expected ']', saw '\n'"#),
        Refused("[levels]\nwarning =\n", #":2: Error while parsing key-value pair: expected value, saw '\n'"#),
        Refused(
            "[levels]\nfall = 20\nfall = 30\n",
            ":3: Error while parsing key-value pair: cannot redefine existing integer 'fall'"
        ),
    ]

    static let unknown = [
        Refused("sockets = \"/run/a\"\n", ":1: sockets: \(known.top)"),
        Refused("\n[limits]\n", ":2: limits: \(known.top)"),
        Refused("[levels]\nfall = 40\nwarnings = 10\n", ":3: levels.warnings: \(known.levels)"),
        Refused("[levels]\nrounds.deadline = \"1s\"\n", ":2: levels.rounds: \(known.levels)"),
        Refused("rounds.deadlines = \"2s\"\n", ":1: rounds.deadlines: \(known.rounds)"),
        Refused("# deadlin = 1\n[rounds]\n# deadlin = 2\ndeadlin = 3\n", ":4: rounds.deadlin: \(known.rounds)"),
        Refused("levels = { critical = 50, warn = 5 }\n", ":1: levels.warn: \(known.levels)"),
    ]

    static let types = [
        Refused("socket = 5\n", ":1: socket: expected a text in quotes, found 5"),
        Refused("socket = \"\"\n", ":1: socket: expected a text in quotes, found \"\""),
        Refused("levels = 5\n", ":1: levels: expected a table such as [levels], found 5"),
        Refused("[rounds.deadline]\n", ":1: rounds.deadline: \(duration), found a table"),
        Refused("[levels]\nwarning = \"10%\"\n", ":2: levels.warning: \(percent), found \"10%\""),
        Refused("[levels]\nwarning = true\n", ":2: levels.warning: \(percent), found true"),
        Refused(
            "[levels]\nwarning-windows = 2.5\n",
            ":2: levels.warning-windows: expected a whole number from 1 to 60, found 2.5"
        ),
        Refused("[levels]\ndwell = 10\n", ":2: levels.dwell: \(duration), found 10"),
    ]

    static let values = [
        Refused("[levels]\nwarning = 0\n", ":2: levels.warning: \(percent), found 0"),
        Refused("[levels]\ncritical = 100.5\n", ":2: levels.critical: \(percent), found 100.5"),
        Refused("[levels]\nheadroom = -1\n", ":2: levels.headroom: \(percent), found -1"),
        Refused("[levels]\nfall = nan\n", ":2: levels.fall: \(percent), found nan"),
        Refused(
            "[levels]\nwarning-windows = 61\n",
            ":2: levels.warning-windows: expected a whole number from 1 to 60, found 61"
        ),
        Refused("levels.hold = \"2d\"\n", ":1: levels.hold: \(duration), found \"2d\""),
        Refused("# dwell = \"1s\"\n[levels]\ndwell = \"soon\"\n", ":3: levels.dwell: \(duration), found \"soon\""),
        Refused("[rounds]\ndeadline = \"0s\"\n", ":2: rounds.deadline: \(duration), found \"0s\""),
        Refused(
            "[levels]\ncritical = 20\nwarning = 30\n",
            ":3: levels.warning: must not be above levels.critical (20%), found 30%"
        ),
        // Against the default.
        Refused(
            "[levels]\nwarning = 41\n",
            ":2: levels.warning: must not be above levels.critical (40%), found 41%"
        ),
        Refused("[levels]\ncritical = 5\n", ": levels.warning: must not be above levels.critical (5%), found 10%"),
    ]

    @Test(
        "a bad file is refused with its line, the key, and what was expected",
        arguments: syntax + unknown + types + values
    )
    func message(refused: Refused) {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(parsing: refused.text, file: "memwarnd.toml")
        }
        #expect(error?.description == "memwarnd.toml" + refused.message)
    }

    @Test func aFileThatIsNotThereIsRefused() {
        let error = #expect(throws: ConfigurationError.self) { try Configuration(readingFrom: "/nonexistent.toml") }
        let reason = "cannot open /nonexistent.toml: No such file or directory (errno 2)"
        #expect(error?.description == "/nonexistent.toml: \(reason)")
    }

    @Test func aDirectoryIsRefused() throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: ConfigurationError.self) { try Configuration(readingFrom: directory.path) }
        #expect(
            error?.description == "\(directory.path): cannot read \(directory.path): Is a directory (errno 21)"
        )
    }
}
