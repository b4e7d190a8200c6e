import MemoryPressure
import TestSupport
import Testing
import WarningPolicy

@testable import MemwarnSettings

struct ConfigurationTests {
    struct Refused: Error {
        let problems: [ConfigurationProblem]
    }

    static func parse(_ text: String) throws -> Settings {
        var reading = ConfigurationReading()
        reading.parse(text, from: "memwarnd.toml")
        reading.conclude()
        guard reading.problems.isEmpty else { throw Refused(problems: reading.problems) }
        return reading.configuration
    }

    @Test("the sample with all keys sets every key")
    func complete() throws {
        let configuration = try Self.parse(SampleConfiguration.everyKey)
        for key in ConfigurationKey.all {
            #expect(key.write(configuration) != key.write(Settings()), "\(key.path)")
            #expect(key.write(configuration) != nil, "\(key.path)")
        }
    }

    @Test func everyKeySetsWhatItNames() throws {
        let configuration = try Self.parse(SampleConfiguration.everyKey)
        var levels = LevelPolicy()
        levels.warning = .percent(12.5)
        levels.warningWindows = 3
        levels.critical = .percent(60)
        levels.criticalFull = .percent(8)
        levels.needsReclaim = false
        levels.headroom = .percent(15)
        levels.headroomCritical = .percent(7)
        levels.headroomFar = .percent(75)
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
        // The triggers have the thresholds that raise a level, and no lower ones.
        #expect(configuration.stalls.some == .percent(12.5))
        #expect(configuration.stalls.full == .percent(8))
        #expect(configuration.stalls.privilegedWindow == .seconds(1))
        #expect(configuration.cgroups == ["/system.slice/*.service", "/user.slice"])
        #expect(configuration.settle == .seconds(2))
        #expect(configuration.pressureSocket == .path("/run/pressure.sock"))
        #expect(!configuration.offersLowMemoryMonitor)
        #expect(configuration.peersPerUser == 100)
        #expect(!configuration.locksMemory)
    }

    @Test func thePressureSocketCanBeOff() throws {
        #expect(try Self.parse("doors.pressure-socket = \"off\"").pressureSocket == .off)
    }

    @Test("missing keys keep their defaults", arguments: ["", "# nothing\n", "[levels]\n[rounds]\n"])
    func defaults(text: String) throws {
        #expect(try Self.parse(text) == Settings())
    }

    @Test(
        "TOML's other forms of a key are accepted",
        arguments: [
            "levels.warning = 20", "[levels]\n\"warning\" = 20", "[ levels ]\n  warning=2e1",
            "levels . 'warning' = +20.0",
            "\u{FEFF}levels.warning = 2_0 # twenty", "[levels] # all\r\nwarning = 20\r\n",
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

    @Test(
        "a duration is written in the largest unit that divides it",
        arguments: [
            (.milliseconds(1), "1ms"), (.milliseconds(1_500), "1500ms"), (.seconds(90), "90s"), (.seconds(300), "5min"),
            (.seconds(86_400), "24h"),
        ] as [(Duration, String)]
    )
    func written(duration: Duration, text: String) {
        #expect(duration.configured == text)
        #expect(Duration(configured: text) == duration)
    }

    @Test("every valid share and window give a trigger that the kernel accepts")
    func thresholds() throws {
        for window in ["50ms", "10s"] {
            for share in ["0.01", "100"] {
                let text = """
                    levels.warning = \(share)
                    levels.critical = 100
                    levels.critical-full = \(share)
                    sensors.window = "\(window)"
                    """
                let plan = try Self.parse(text).stalls
                for kind in [PressureStall.Kind.some, .full] {
                    let threshold = plan.threshold(kind, in: plan.privilegedWindow)
                    #expect(threshold >= .microseconds(1) && threshold <= plan.privilegedWindow)
                }
            }
        }
    }
}
