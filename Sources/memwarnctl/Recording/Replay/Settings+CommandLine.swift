import MemwarnProgram
import MemwarnSettings
import WarningPolicy

extension Settings {
    /// The configuration of a file and its drop-ins, or the defaults, with some keys set in the form of the command
    /// line: `levels.warning=15`.
    ///
    /// - Throws: ``Failure`` with a line for each mistake: only complete settings are replayed.
    init(readingFrom path: String?, settings: [String]) throws(Failure) {
        var reading = path.map { ConfigurationReading(of: $0) } ?? ConfigurationReading()
        if reading.problems.isEmpty {
            for setting in settings { reading.set(setting) }
            reading.conclude()
        }
        guard reading.problems.isEmpty else {
            throw .configuration(reading.problems.map(\.description).joined(separator: "\n"))
        }
        self = reading.configuration
    }
}

extension ConfigurationReading {
    fileprivate mutating func set(_ setting: String) {
        guard let equals = setting.firstIndex(of: "="), equals > setting.startIndex else {
            return refuse("--set", "expected a key and its value such as levels.warning=15, found \(setting)")
        }
        let value = setting[setting.index(after: equals)...]
        // A number, a truth value or a list is written as in a file; texts and durations need no quotes here.
        let isBare = Double(value) != nil || Bool(String(value)) != nil || value.first == "[" || value.first == "\""
        let argument = "\(setting[..<equals]) = \(isBare ? String(value) : "\"\(value)\"")"
        parse(argument: argument, from: "--set \(setting)")
    }
}
