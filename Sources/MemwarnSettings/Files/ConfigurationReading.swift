import MemoryPressure
import MemwarnProtocol
package import WarningPolicy

/// The configuration that a list of files sets, and all mistakes in the files.
///
/// A file with a mistake is refused as a whole; the other files take effect.
package struct ConfigurationReading {
    /// The configuration of the accepted files; keys that none of them sets have their defaults.
    package private(set) var configuration = Settings()
    /// The accepted files, in the order of reading.
    package private(set) var files: [String] = []
    /// All problems, in the order of the files and their lines, then those of two keys together.
    ///
    /// Each file that is named here is refused.
    package private(set) var problems: [ConfigurationProblem] = []
    private var origins: [String: Origin] = [:]
    private var sources: [Source] = []
    private let keys = ConfigurationKey.all

    /// The maximum number of listed mistakes in a file.
    private static let mostProblems = 100

    /// The place where a key was set last.
    package struct Origin: Equatable {
        package let file: String
        /// From 1.
        package let line: Int
        /// The position of the file in the order of reading.
        fileprivate let turn: Int
    }

    /// A file that was read to its end, with its valid entries.
    private struct Source {
        let file: String
        var settings: [(key: ConfigurationKey, value: ConfigurationValue, line: Int)] = []
    }

    /// Creates a reading without files.
    package init() {}

    /// Where a key's value comes from; `nil` if it is the default.
    package func origin(of key: ConfigurationKey) -> Origin? { origins[key.path] }

    /// Records that a file, or a whole folder, cannot be read.
    package mutating func refuse(_ path: String, _ problem: String) {
        problems.append(ConfigurationProblem(file: path, line: nil, key: nil, problem: problem))
    }

    /// Applies a key and its value from a command line; `origin` is the option.
    package mutating func parse(argument: String, from origin: String) {
        let before = problems.count
        parse(argument, from: origin)
        for index in before..<problems.count { (problems[index].line, problems[index].column) = (nil, nil) }
    }

    /// Applies the text of a file over the files before it; tables merge, arrays replace.
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
        var source = Source(file: file)
        let before = problems.count
        // Unknown keys are reported once, together with everything below them.
        var refused: Set<String> = []
        for entry in entries {
            guard problems.count < before + Self.mostProblems else {
                refuse(file, "the first \(Self.mostProblems) mistakes are listed; there may be more")
                break
            }
            // A key is a name at the top or in a table; anything below it belongs to its value.
            let isInTable = keys.contains { $0.table == entry.path[0] }
            let place = Array(entry.path.prefix(isInTable ? 2 : 1))
            let value = entry.path.count > place.count ? .table : entry.value
            let path = place.joined(separator: ".")
            if refused.contains(path) { continue }
            do throws(ConfigurationMismatch) {
                if let key = try key(at: place, isTable: isInTable && place.count == 1, for: value) {
                    source.settings.append((key, value, entry.line))
                }
            } catch {
                refused.insert(path)
                problems.append(ConfigurationProblem(file: file, line: entry.line, key: path, problem: error.problem))
            }
        }
        sources.append(source)
    }

    /// The key at a path, which accepts the value; `nil` for a table.
    private func key(
        at place: [String],
        isTable: Bool,
        for value: ConfigurationValue
    ) throws(ConfigurationMismatch) -> ConfigurationKey? {
        if isTable {
            guard value == .table else {
                throw ConfigurationMismatch(expected: "a table such as [\(place[0])]", found: value)
            }
            return nil
        }
        guard let key = keys.first(where: { $0.table == place.dropLast().first && $0.name == place.last }) else {
            throw unknown(place.last ?? "", in: place.dropLast().first)
        }
        var anywhere = Settings()
        try key.read(value, &anywhere)
        return key
    }

    private func unknown(_ name: String, in table: String?) -> ConfigurationMismatch {
        var known = keys.filter { $0.table == table }.map { $0.name }
        if table == nil {
            for section in keys.compactMap({ $0.table }) where !known.contains(section) { known.append(section) }
        }
        var spelling = Spelling()
        var hint = spelling.hint(for: name, among: known)
        // The right key in the wrong table, usually below the header of other keys.
        if hint.isEmpty, let elsewhere = keys.first(where: { $0.name == name }) {
            hint = "; did you mean \"\(elsewhere.path)\"?"
        }
        return ConfigurationMismatch(
            "unknown key\(hint.isEmpty ? "; known here: \(known.joined(separator: ", "))" : hint)"
        )
    }

    // MARK: Conclusion

    /// Checks which values contradict each other, once everything is read, and applies the accepted files.
    ///
    /// Figures are not compared with those of a key or a file that could not be read, because these may change once it
    /// is corrected. Another file is refused only if the remaining files contradict each other without it.
    package mutating func conclude() {
        set(sources)
        if problems.allSatisfy({ $0.key != nil }) { checkOrder(except: Set(problems.compactMap { $0.key })) }
        var known = -1
        while known < problems.count {
            known = problems.count
            let refused = Set(problems.map { $0.file })
            set(sources.filter { !refused.contains($0.file) })
            if known > 0 { checkOrder(remark: "; this may be correct once the refused files are corrected") }
        }
    }

    private mutating func set(_ sources: [Source]) {
        configuration = Settings()
        origins = [:]
        files = sources.map { $0.file }
        for (turn, source) in sources.enumerated() {
            for setting in source.settings {
                // This value was read successfully before.
                try? setting.key.read(setting.value, &configuration)
                origins[setting.key.path] = Origin(file: source.file, line: setting.line, turn: turn)
            }
        }
        configuration.stalls.some = configuration.levels.warning
        configuration.stalls.full = configuration.levels.criticalFull
    }

    private mutating func checkOrder(except refused: Set<String> = [], remark: String = "") {
        for order in ConfigurationOrder.all where !refused.contains(order.lower) && !refused.contains(order.upper) {
            guard let (lower, upper) = order.broken(by: configuration.levels) else { continue }
            // The value that was set last caused it; the defaults are in order.
            let last = [order.lower, order.upper].compactMap { key in origins[key].map { (key, $0) } }
                .max { ($0.1.turn, $0.1.line) < ($1.1.turn, $1.1.line) }
            guard let (key, origin) = last else { continue }
            let problem =
                key == order.lower
                ? "must \(order.isStrict ? "be below" : "not be above") \(order.upper) (\(upper)), found \(lower)"
                : "must \(order.isStrict ? "be above" : "not be below") \(order.lower) (\(lower)), found \(upper)"
            problems.append(
                ConfigurationProblem(file: origin.file, line: origin.line, key: key, problem: problem + remark)
            )
        }
    }
}
