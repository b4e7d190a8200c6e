import MemwarnSettings
import TestSupport
import Testing

@testable import memwarnctl

struct ConfigurationTextTests {
    private static func read(_ texts: String...) -> ConfigurationReading {
        var reading = ConfigurationReading()
        for (index, text) in texts.enumerated() { reading.parse(text, from: "\(index).toml") }
        reading.conclude()
        return reading
    }

    @Test(
        "the output reads back as the same configuration",
        arguments: [
            "", SampleConfiguration.everyKey, "doors.pressure-socket = 'off'", "sensors.cgroups = []",
            #"socket = "/run/a \"b\" \\ c\té\u007f\u0001""#, "levels.fall = 0.07\nlevels.headroom = 33.33",
        ]
    )
    func roundTrip(text: String) throws {
        let reading = Self.read(text)
        #expect(reading.problems == [])
        let again = Self.read(reading.text)
        #expect(again.problems == [])
        #expect(again.configuration == reading.configuration)
    }

    @Test func eachValueHasItsOrigin() {
        let lines = Self.read("[levels]\nwarning = 12.5\nfall = 40\n", "levels.warning = 13\n").text.split(
            separator: "\n"
        )
        #expect(lines.first == "# What the configuration says now; read: 0.toml, 1.toml.")
        #expect(lines.contains("warning = 13                      # 1.toml:1"))
        #expect(lines.contains("fall = 40                         # 0.toml:3"))
        #expect(lines.contains("dwell = \"10s\"                     # default"))
        #expect(lines.contains("# pressure-socket is not set: pressure.sock in the directory of the socket"))
        #expect(
            lines.filter { $0.hasPrefix("[") }.map(String.init) == [
                "[levels]", "[sensors]", "[rounds]", "[doors]", "[limits]", "[process]",
            ]
        )
    }
}
