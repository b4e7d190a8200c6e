import CLinux
import MemoryPressure
import TestSupport
import Testing
import WarningPolicy

@testable import MemwarnSettings

struct ConfigurationFilesTests {
    let directory: TemporaryDirectory
    let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.path + "/memwarnd.toml"
    }

    /// All problems, a line each, without the directory.
    private func problems() -> [String] {
        ConfigurationReading(of: file).problems.map {
            "\($0)".split(separator: directory.path + "/", omittingEmptySubsequences: false).joined()
        }
    }

    /// The configuration of the files, which must be valid.
    private func configuration() throws -> Settings {
        let reading = ConfigurationReading(of: file)
        try #require(reading.problems == [])
        return reading.configuration
    }

    @Test("a file of more than 1 MiB is refused before its end is read")
    func longest() throws {
        try directory.write("#" + String(repeating: "x", count: 1 << 20), to: "memwarnd.toml")
        let problem = "memwarnd.toml: it is longer than 1 MiB; a configuration file has some kilobytes"
        #expect(problems() == [problem])
        #expect(ConfigurationReading(of: "/dev/zero").problems.count == 1)
        try directory.write("#" + String(repeating: "x", count: (1 << 20) - 1), to: "memwarnd.toml")
        #expect(problems() == [])
    }

    @Test("a file that is not a regular file is refused at once")
    func fifo() throws {
        try directory.write("", to: "memwarnd.toml")
        try directory.makeDirectory("memwarnd.toml.d/2.toml")
        try #require(mkfifo(file + ".d/1.toml", 0o600) == 0)
        #expect(
            problems() == [
                "memwarnd.toml.d/1.toml: it is not a regular file; a configuration has to be one",
                "memwarnd.toml.d/2.toml: it is not a regular file; a configuration has to be one",
            ]
        )
    }

    @Test("a file of the kernel that blocks its readers is refused at once", .enabled(if: geteuid() == 0))
    func waiting() throws {
        try directory.write("", to: "memwarnd.toml")
        try directory.makeDirectory("memwarnd.toml.d")
        try #require(symlink("/proc/kmsg", file + ".d/1.toml") == 0)
        #expect(ConfigurationReading(of: file).problems.map(\.file) == [file + ".d/1.toml"])
    }

    @Test func aFileIsRead() throws {
        try directory.write("[rounds]\ndeadline = \"7s\"\n", to: "memwarnd.toml")
        #expect(try configuration().deadline == .seconds(7))
    }

    @Test("drop-ins follow the file in byte order of their names: tables merge, arrays replace, the last value wins")
    func dropIns() throws {
        try directory.write(
            "sensors.cgroups = [\"/a\", \"/b\"]\n[levels]\nwarning = 11\nfall = 41\ndwell = \"1s\"\n",
            to: "memwarnd.toml"
        )
        try directory.write("levels.warning = 12\nlevels.fall = 42\n", to: "memwarnd.toml.d/10.toml")
        try directory.write("levels.warning = 13\n", to: "memwarnd.toml.d/9.toml")
        try directory.write("sensors.cgroups = [\"/c\"]\nlevels.warning = 14\n", to: "memwarnd.toml.d/Z.toml")
        try directory.write("levels.warning = 15\n", to: "memwarnd.toml.d/a.toml")
        let reading = ConfigurationReading(of: file)
        let folder = file + ".d/"
        #expect(reading.files == [file, folder + "10.toml", folder + "9.toml", folder + "Z.toml", folder + "a.toml"])
        let configuration = try configuration()
        #expect(configuration == reading.configuration)
        #expect(configuration.levels.warning == .percent(15))
        #expect(configuration.levels.fall == .percent(42))
        #expect(configuration.levels.dwell == .seconds(1))
        #expect(configuration.cgroups == ["/c"])
    }

    @Test("an empty folder, hidden files, and files with other suffixes change nothing")
    func ignored() throws {
        try directory.write("", to: "memwarnd.toml")
        #expect(try configuration() == Settings())
        try directory.makeDirectory("memwarnd.toml.d")
        #expect(try configuration() == Settings())
        for name in [".toml", ".hidden.toml", "a.toml.bak", "b.conf", "c.toml~"] {
            try directory.write("nonsense", to: "memwarnd.toml.d/\(name)")
        }
        #expect(try configuration() == Settings())
        #expect(ConfigurationReading(of: file).files == [file])
    }

    @Test func errorsNameTheFileTheyAreIn() throws {
        try directory.write("[levels]\nfall = 0\n", to: "memwarnd.toml")
        try directory.write("levels.fall =\n", to: "memwarnd.toml.d/1.toml")
        try directory.write("\nlevels.falls = 5\nsocket = 3\n", to: "memwarnd.toml.d/2.toml")
        #expect(
            problems() == [
                "memwarnd.toml:2: levels.fall: expected percent as a number from 0.01 to 100, found 0",
                """
                memwarnd.toml.d/1.toml:1:14: expected a value: a text in quotes, a number, true, false or an array, \
                found the end of the line
                """,
                "memwarnd.toml.d/2.toml:2: levels.falls: unknown key; did you mean \"fall\"?",
                "memwarnd.toml.d/2.toml:3: socket: expected an absolute path of at most 107 bytes, found 3",
            ]
        )
    }

    @Test("if settings contradict each other, the later file is refused")
    func order() throws {
        try directory.write("[levels]\ncritical = 20\n\nwarning = 15\n", to: "memwarnd.toml")
        try directory.write("\nlevels.critical = 12\n", to: "memwarnd.toml.d/1.toml")
        #expect(
            problems() == [
                "memwarnd.toml.d/1.toml:2: levels.critical: must not be below levels.warning (15%), found 12%"
            ]
        )
        // A later file that resolves the contradiction.
        try directory.write("levels.warning = 12\n", to: "memwarnd.toml.d/2.toml")
        #expect(problems() == [])
    }

    @Test("if a file could not be read, another file is refused only if it is invalid even without that one")
    func orderUnknown() throws {
        try directory.write("levels.critical = 20\n", to: "memwarnd.toml")
        try directory.makeDirectory("memwarnd.toml.d/1.toml")
        let unreadable = "memwarnd.toml.d/1.toml: it is not a regular file; a configuration has to be one"
        #expect(problems() == [unreadable])
        try directory.write("levels.critical = 5\n", to: "memwarnd.toml")
        let below =
            "must not be below levels.warning (10%), found 5%; this may be correct once the refused files are corrected"
        #expect(problems() == [unreadable, "memwarnd.toml:1: levels.critical: \(below)"])
        #expect(ConfigurationReading(of: file).configuration == Settings())
    }

    @Test("a file with a mistake is ignored as a whole, and the others apply")
    func leftOut() throws {
        try directory.write("[levels]\nwarning = 11\nfall = 41\n", to: "memwarnd.toml")
        try directory.write("levels.warning = 12\nlevels.fall = 0\n", to: "memwarnd.toml.d/1.toml")
        try directory.write("levels.dwell = \"1s\"\n", to: "memwarnd.toml.d/2.toml")
        try directory.write("levels.dwell = \"2s\"\nlevels.dwell", to: "memwarnd.toml.d/3.toml")
        let reading = ConfigurationReading(of: file)
        #expect(reading.files == [file, file + ".d/2.toml"])
        #expect(reading.problems.map(\.file) == [file + ".d/1.toml", file + ".d/3.toml"])
        #expect(reading.configuration.levels.warning == .percent(11))
        #expect(reading.configuration.stalls.some == .percent(11))
        #expect(reading.configuration.levels.fall == .percent(41))
        #expect(reading.configuration.levels.dwell == .seconds(1))
        let key = try #require(ConfigurationKey.all.first { $0.path == "levels.warning" })
        #expect(reading.origin(of: key)?.file == file)
    }

    @Test("the settings in force never contradict each other, however many files have to be ignored for that")
    func leftOutForOthers() throws {
        // The second file is valid only with the first, and the third only with the second.
        try directory.write("levels.critical = 60\nlevels.fall = 0\n", to: "memwarnd.toml.d/1.toml")
        try directory.write("levels.warning = 50\nlevels.headroom-critical = 1\n", to: "memwarnd.toml.d/2.toml")
        try directory.write("levels.headroom = 2\n", to: "memwarnd.toml.d/3.toml")
        try directory.write("rounds.deadline = \"7s\"\n", to: "memwarnd.toml.d/4.toml")
        try directory.write("", to: "memwarnd.toml")
        let reading = ConfigurationReading(of: file)
        #expect(reading.files == [file, file + ".d/4.toml"])
        #expect(
            reading.problems.map { String($0.file.suffix(6)) + " " + ($0.key ?? "") } == [
                "1.toml levels.fall", "2.toml levels.warning", "3.toml levels.headroom",
            ]
        )
        #expect(reading.configuration.deadline == .seconds(7))
    }

    @Test("missing files are refused if they were named, as are broken links and names that are not UTF-8")
    func missing() throws {
        try directory.makeDirectory("memwarnd.toml.d")
        #expect(symlink("/nonexistent", directory.path + "/memwarnd.toml.d/a.toml") == 0)
        let misnamed = "\(directory.path)/memwarnd.toml.d/".utf8CString.dropLast() + [-1] + ".toml".utf8CString
        close(open(Array(misnamed), O_WRONLY | O_CREAT, 0o644))
        #expect(
            problems()
                == ["memwarnd.toml", "memwarnd.toml.d/a.toml", "memwarnd.toml.d/\u{FFFD}.toml"].map {
                    "\($0): cannot open \($0): No such file or directory (errno 2)"
                }
        )
    }

    @Test func aFolderThatIsNotAFolderIsRefused() throws {
        try directory.write("", to: "memwarnd.toml")
        try directory.write("", to: "memwarnd.toml.d")
        #expect(problems() == ["memwarnd.toml.d: cannot read the folder memwarnd.toml.d: Not a directory (errno 20)"])
    }

    @Test func theSystemsFileMayBeMissing() throws {
        let system = ConfigurationFiles(of: nil)
        #expect(system.main == "/etc/memwarnd/memwarnd.toml")
        #expect(!system.isRequired)
        #expect(ConfigurationFiles(of: file).isRequired)
    }
}
