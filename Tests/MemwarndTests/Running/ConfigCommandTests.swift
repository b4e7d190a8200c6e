import Foundation
import TestSupport
import Testing

struct ConfigCommandTests {
    let directory: TemporaryDirectory
    let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.path + "/memwarnd.toml"
        try directory.write("[levels]\nwarning = 12\n", to: "memwarnd.toml")
    }

    private func config(_ arguments: String...) throws -> (code: CInt, output: String) {
        try ChildProcess("memwarnd", ["config"] + arguments + ["--config", file]).end()
    }

    @Test func aValidConfigurationIsExitCodeZero() throws {
        #expect(try config("check") == (0, "nothing wrong in \(file)"))
        try directory.write("levels.fall = 40\n", to: "memwarnd.toml.d/1.toml")
        #expect(try config("check") == (0, "nothing wrong in \(file), \(file).d/1.toml"))
    }

    @Test("each problem of each file is a line; check exits with 78, and show leaves the file out")
    func problems() throws {
        try directory.write("levels.warning = 13\nlevels.dwell = 5\nlevel.fall = 3\n", to: "memwarnd.toml.d/1.toml")
        let duration = #"expected a duration from "1ms" to "24h", such as "10s" or "5min", found 5; did you mean "5s"?"#
        let lines = [
            "\(file).d/1.toml:2: levels.dwell: \(duration)",
            "\(file).d/1.toml:3: level: unknown key; did you mean \"levels\"?",
        ]
        let consequence = "\(file).d/1.toml is left out as a whole until it is corrected"
        #expect(try config("check") == (78, (lines + [consequence]).joined(separator: "\n")))
        let (code, shown) = try config("show")
        #expect(code == 0)
        let said = shown.split(separator: "\n").prefix(2).map(String.init)
        #expect(said == lines.map { "memwarnd: left out as a whole: \($0)" })
        #expect(shown.contains("warning = 12                      # \(file):2\n"))

        try directory.write("fall = 3\n", to: "memwarnd.toml.d/2.toml")
        let both = "\(file).d/1.toml, \(file).d/2.toml are left out as a whole until they are corrected"
        #expect(try config("check").output.hasSuffix("\n\(both)"))
    }

    @Test("show prints an equivalent configuration")
    func show() throws {
        let shown = try config("show")
        #expect(shown.code == 0)
        #expect(shown.output.contains("warning = 12                      # \(file):2\n"))
        try directory.write(shown.output, to: "memwarnd.toml")
        let again = try config("show").output
        let settings = [shown.output, again].map { output in
            output.split(separator: "\n").compactMap { $0.split(separator: "  # ").first }.filter { $0.first != "#" }
        }
        #expect(settings[0] == settings[1])
        #expect(settings[0].count > 20)
    }

    @Test func jsonHasTheSameSettingsForMachines() throws {
        let (code, output) = try config("show", "--json")
        #expect(code == 0)
        let report = try CommandTests.object(output)
        #expect(report["files"] as? [String] == [file])
        let keys = try #require(report["keys"] as? [[String: Any]])
        func entry(_ key: String) throws -> [String: Any] { try #require(keys.first { $0["key"] as? String == key }) }
        let warning = try entry("levels.warning")
        #expect(warning["value"] as? Int == 12)
        #expect(warning["file"] as? String == file)
        #expect(warning["line"] as? Int == 2)
        #expect(Set(try entry("levels.dwell").keys) == ["key", "value"])
        #expect(try entry("levels.dwell")["value"] as? String == "10s")
        #expect(try entry("process.lock-memory")["value"] as? Bool == true)
        #expect(try entry("sensors.cgroups")["value"] as? [String] == [])
        #expect(try entry("socket")["value"] == nil)
    }

    @Test("an invalid command line exits with 64")
    func usage() throws {
        #expect(try config("check", "--json").code == 64)
        #expect(try config("shew").code == 64)
    }
}
