import Glibc
import MemoryPressure
import TOMLKit

extension Configuration {
    /// Where the system's configuration is.
    static let systemPath = "/etc/memwarnd/memwarnd.toml"

    /// Reads a configuration file; keys that are not there keep their defaults.
    ///
    /// - Throws: ``ConfigurationError`` for a file that cannot be read, is not TOML, or says something that is not
    ///   known or not possible.
    init(readingFrom path: String) throws(ConfigurationError) {
        let text: String
        do throws(KernelError) {
            text = try KernelFile.text(of: path)
        } catch {
            throw ConfigurationError(file: path, line: nil, key: nil, problem: "\(error)")
        }
        try self.init(parsing: text, file: path)
    }

    /// Reads the text of a configuration file; `file` is what errors call it.
    init(parsing text: String, file: String) throws(ConfigurationError) {
        let document: TOMLTable
        do {
            document = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw ConfigurationError(file: file, line: error.source.begin.line, key: nil, problem: error.description)
        } catch {
            throw ConfigurationError(file: file, line: nil, key: nil, problem: "\(error)")
        }
        self.init()
        try read(ConfigurationTable(document, path: [], source: ConfigurationSource(file: file, text: text)))
    }

    private mutating func read(_ table: ConfigurationTable) throws(ConfigurationError) {
        try table.expect(["socket", "levels", "rounds"])
        socket = try table.string("socket") ?? socket
        if let section = try table.table("levels") { try readLevels(section) }
        if let section = try table.table("rounds") { try readRounds(section) }
    }

    private mutating func readLevels(_ table: ConfigurationTable) throws(ConfigurationError) {
        try table.expect([
            "warning", "warning-windows", "critical", "critical-full", "headroom", "fall", "dwell", "repeat", "hold",
        ])
        levels.warning = try table.percent("warning") ?? levels.warning
        levels.warningWindows = try table.count("warning-windows", in: 1...60) ?? levels.warningWindows
        levels.critical = try table.percent("critical") ?? levels.critical
        levels.criticalFull = try table.percent("critical-full") ?? levels.criticalFull
        levels.headroom = try table.percent("headroom") ?? levels.headroom
        levels.fall = try table.percent("fall") ?? levels.fall
        levels.dwell = try table.duration("dwell") ?? levels.dwell
        levels.repeatInterval = try table.duration("repeat") ?? levels.repeatInterval
        levels.hold = try table.duration("hold") ?? levels.hold
        guard levels.warning <= levels.critical else {
            throw table.error(
                "warning",
                "must not be above levels.critical (\(levels.critical)), found \(levels.warning)"
            )
        }
        stalls.some = levels.warning
        stalls.full = levels.criticalFull
    }

    private mutating func readRounds(_ table: ConfigurationTable) throws(ConfigurationError) {
        try table.expect(["deadline", "critical-deadline"])
        deadline = try table.duration("deadline") ?? deadline
        criticalDeadline = try table.duration("critical-deadline") ?? criticalDeadline
    }
}
