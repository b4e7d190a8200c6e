import MemoryPressure
import TestSupport
import Testing

@testable import memwarnd

struct ConfigurationTests {
    static func parse(_ text: String) throws -> Configuration {
        try Configuration(parsing: text, file: "memwarnd.toml")
    }

    @Test func everyKeySetsWhatItNames() throws {
        let configuration = try Self.parse(
            """
            socket = "/run/elsewhere.sock"

            [levels]
            warning = 12.5
            warning-windows = 3
            critical = 60
            critical-full = 8
            headroom = 15
            fall = 40
            dwell = "500ms"
            repeat = "30s"
            hold = "10min"

            [rounds]
            deadline = "3s"
            critical-deadline = "1500ms"
            """
        )
        var levels = LevelPolicy()
        levels.warning = .percent(12.5)
        levels.warningWindows = 3
        levels.critical = .percent(60)
        levels.criticalFull = .percent(8)
        levels.headroom = .percent(15)
        levels.fall = .percent(40)
        levels.dwell = .milliseconds(500)
        levels.repeatInterval = .seconds(30)
        levels.hold = .seconds(600)
        #expect(configuration.socket == "/run/elsewhere.sock")
        #expect(configuration.levels == levels)
        #expect(configuration.deadline == .seconds(3))
        #expect(configuration.criticalDeadline == .milliseconds(1_500))
        #expect(configuration.deadline(of: .warning) == .seconds(3))
        #expect(configuration.deadline(of: .critical) == .milliseconds(1_500))
        // PSI is asked to wake for what raises a level, and for nothing less.
        #expect(configuration.stalls.some == .percent(12.5))
        #expect(configuration.stalls.full == .percent(8))
    }

    @Test("what is not there keeps its default", arguments: ["", "# nothing\n", "[levels]\n[rounds]\n"])
    func defaults(text: String) throws {
        let configuration = try Self.parse(text)
        #expect(configuration.socket == nil)
        #expect(configuration.levels == LevelPolicy())
        #expect(configuration.stalls == StallPlan())
        #expect(configuration.deadline == .seconds(2))
        #expect(configuration.criticalDeadline == .seconds(1))
    }

    @Test(
        "TOML's other ways to write a key are understood",
        arguments: [
            "levels.warning = 20", "levels = { warning = 20 }", "[levels]\n\"warning\" = 20",
            "[ levels ]\n  warning=2e1",
        ]
    )
    func spellings(text: String) throws {
        #expect(try Self.parse(text).levels.warning == .percent(20))
    }

    @Test(
        "a duration is a whole number with its unit, from 1 ms to a day",
        arguments: [
            ("1ms", .milliseconds(1)), ("86400000ms", .seconds(86_400)), ("10s", .seconds(10)), ("5min", .seconds(300)),
            ("24h", .seconds(86_400)), ("0s", nil), ("25h", nil), ("86400001ms", nil), ("-1s", nil), ("1.5s", nil),
            ("10", nil), ("s", nil), ("", nil), ("10 s", nil), ("10sec", nil), ("٣s", nil),
            ("99999999999999999999s", nil),
        ] as [(String, Duration?)]
    )
    func duration(text: String, expected: Duration?) {
        #expect(Duration(configured: text) == expected)
    }

    @Test func readsAFile() throws {
        let directory = try TemporaryDirectory()
        try directory.write("[rounds]\ndeadline = \"7s\"\n", to: "memwarnd.toml")
        #expect(try Configuration(readingFrom: directory.path + "/memwarnd.toml").deadline == .seconds(7))
    }
}
