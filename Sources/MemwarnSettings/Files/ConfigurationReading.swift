import MemoryPressure
import MemwarnProtocol
package import WarningPolicy

/// What some files say the configuration is, file after file, and all that is wrong with them.
package struct ConfigurationReading {
    /// What is configured; keys that no file sets have their defaults.
    package private(set) var configuration = Settings()
    /// The files that were read, in this order.
    package private(set) var files: [String] = []
    /// What is wrong, in the order of the files and their lines.
    package private(set) var problems: [ConfigurationProblem] = []
    private var origins: [String: Origin] = [:]
    private let keys = ConfigurationKey.all

    /// So many mistakes of a file are listed.
    private static let mostProblems = 100

    /// Where a key was set last.
    package struct Origin: Equatable {
        package let file: String
        /// From 1.
        package let line: Int
        /// Which file in the order of reading.
        fileprivate let turn: Int
    }

    /// What nothing has been read for yet.
    package init() {}

    /// Where a key's value comes from; `nil` if it is the default.
    package func origin(of key: ConfigurationKey) -> Origin? { origins[key.path] }

    /// Notes that a file, or a whole folder, cannot be read.
    package mutating func refuse(_ path: String, _ problem: String) {
        problems.append(ConfigurationProblem(file: path, line: nil, key: nil, problem: problem))
    }

    /// Takes what the text of a file sets over what those before it have set; tables merge, arrays replace.
    ///
    /// A text that cannot be read to its end sets nothing.
    package mutating func parse(_ text: String, from file: String) {
        let entries: [ConfigurationReader.Entry]
        do throws(ConfigurationSyntaxError) {
            entries = try ConfigurationReader.entries(of: text)
        } catch {
            problems.append(
                ConfigurationProblem(
                    file: file,
                    line: error.line,
                    column: error.column,
                    key: nil,
                    problem: error.problem
                )
            )
            return
        }
        let before = problems.count
        files.append(file)
        // Keys that are no keys, with all that is below them, are mentioned once.
        var refused: Set<String> = []
        for entry in entries {
            guard problems.count < before + Self.mostProblems else {
                refuse(file, "the first \(Self.mostProblems) mistakes are listed; there may be more")
                break
            }
            // A key is a name at the top, or one within a table; what is written below it belongs to its value.
            let isInTable = keys.contains { $0.table == entry.path[0] }
            let place = Array(entry.path.prefix(isInTable ? 2 : 1))
            let value = entry.path.count > place.count ? .table : entry.value
            let path = place.joined(separator: ".")
            if refused.contains(path) { continue }
            do throws(ConfigurationMismatch) {
                try take(value, at: place, isTable: isInTable && place.count == 1, from: file, line: entry.line)
            } catch {
                refused.insert(path)
                problems.append(ConfigurationProblem(file: file, line: entry.line, key: path, problem: error.problem))
            }
        }
        configuration.stalls.some = configuration.levels.warning
        configuration.stalls.full = configuration.levels.criticalFull
    }

    private mutating func take(
        _ value: ConfigurationValue,
        at place: [String],
        isTable: Bool,
        from file: String,
        line: Int
    ) throws(ConfigurationMismatch) {
        let path = place.joined(separator: ".")
        if isTable {
            guard value == .table else {
                throw ConfigurationMismatch(expected: "a table such as [\(path)]", found: value)
            }
        } else if let key = keys.first(where: { $0.table == place.dropLast().first && $0.name == place.last }) {
            try key.read(value, &configuration)
            origins[path] = Origin(file: file, line: line, turn: files.count)
        } else {
            throw unknown(place.last ?? "", in: place.dropLast().first)
        }
    }

    private func unknown(_ name: String, in table: String?) -> ConfigurationMismatch {
        var known = keys.filter { $0.table == table }.map { $0.name }
        if table == nil {
            for section in keys.compactMap({ $0.table }) where !known.contains(section) { known.append(section) }
        }
        var hint = Spelling.hint(for: name, among: known)
        // The right key in the wrong table, most often below a header that was meant for others.
        if hint.isEmpty, let elsewhere = keys.first(where: { $0.name == name }) {
            hint = "; did you mean \"\(elsewhere.path)\"?"
        }
        return ConfigurationMismatch(
            "unknown key\(hint.isEmpty ? "; known here: \(known.joined(separator: ", "))" : hint)"
        )
    }

    /// Notes what does not fit together, once everything is read.
    ///
    /// Figures are not compared with those of a key or a file that could not be read: they may be others once it can.
    package mutating func checkOrder() {
        guard problems.allSatisfy({ $0.key != nil }) else { return }
        let refused = Set(problems.compactMap { $0.key })
        for order in ConfigurationOrder.all where !refused.contains(order.lower) && !refused.contains(order.upper) {
            guard let (lower, upper) = order.broken(by: configuration.levels) else { continue }
            // Whichever was set last made it so; the defaults are in order.
            let last = [order.lower, order.upper].compactMap { key in origins[key].map { (key, $0) } }
                .max { ($0.1.turn, $0.1.line) < ($1.1.turn, $1.1.line) }
            guard let (key, origin) = last else { continue }
            let problem =
                key == order.lower
                ? "must \(order.isStrict ? "be below" : "not be above") \(order.upper) (\(upper)), found \(lower)"
                : "must \(order.isStrict ? "be above" : "not be below") \(order.lower) (\(lower)), found \(upper)"
            problems.append(
                ConfigurationProblem(file: origin.file, line: origin.line, key: key, problem: problem)
            )
        }
    }
}
