import MemoryPressure
import MemwarnProtocol
import ResourceArchives
import WarningPolicy

/// What some files say the configuration is, file after file, and all that is wrong with them.
struct ConfigurationReading {
    /// What is configured; keys that no file sets have their defaults.
    private(set) var configuration = Settings()
    /// The files that were read, in this order.
    private(set) var files: [String] = []
    /// What is wrong, in the order of the files and their lines.
    private(set) var problems: [ConfigurationProblem] = []
    private var origins: [String: Origin] = [:]
    private let keys = ConfigurationKey.all

    /// Where a key was set last.
    struct Origin: Equatable {
        let file: String
        /// From 1.
        let line: Int?
        /// Which file in the order of reading.
        fileprivate let turn: Int
    }

    /// Where a key's value comes from; `nil` if it is the default.
    func origin(of key: ConfigurationKey) -> Origin? { origins[key.path] }

    /// Notes that a file, or a whole folder, cannot be read.
    mutating func refuse(_ path: String, line: Int? = nil, _ problem: String) {
        problems.append(ConfigurationProblem(file: path, line: line, key: nil, problem: problem))
    }

    /// Takes what one file sets over what those before it have set; tables merge, arrays replace.
    mutating func take(_ values: [String: ConfigurationValue], from file: String, _ source: ConfigurationSource) {
        let known = problems.count
        files.append(file)
        take(values, in: nil, from: file, source)
        configuration.stalls.some = configuration.levels.warning
        configuration.stalls.full = configuration.levels.criticalFull
        // In the order of the names until here.
        problems[known...].sort { ($0.line ?? 0, $0.key ?? "") < ($1.line ?? 0, $1.key ?? "") }
    }

    private mutating func take(
        _ values: [String: ConfigurationValue],
        in table: String?,
        from file: String,
        _ source: ConfigurationSource
    ) {
        for (name, value) in values {
            let place = [table, name].compactMap(\.self)
            let line = source.line(of: place)
            let path = place.joined(separator: ".")
            do throws(ConfigurationMismatch) {
                if let key = keys.first(where: { $0.table == table && $0.name == name }) {
                    try key.read(value, &configuration)
                    origins[path] = Origin(file: file, line: line, turn: files.count)
                } else if table == nil, keys.contains(where: { $0.table == name }) {
                    guard case .table(let inner) = value else {
                        throw ConfigurationMismatch(expected: "a table such as [\(name)]", found: value)
                    }
                    take(inner, in: name, from: file, source)
                } else {
                    throw unknown(name, in: table)
                }
            } catch {
                problems.append(ConfigurationProblem(file: file, line: line, key: path, problem: error.problem))
            }
        }
    }

    private func unknown(_ name: String, in table: String?) -> ConfigurationMismatch {
        var known = keys.filter { $0.table == table }.map(\.name)
        if table == nil {
            for section in keys.compactMap(\.table) where !known.contains(section) { known.append(section) }
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
    mutating func checkOrder() {
        guard problems.allSatisfy({ $0.key != nil }) else { return }
        let refused = Set(problems.compactMap(\.key))
        for order in ConfigurationOrder.all where !refused.contains(order.lower) && !refused.contains(order.upper) {
            guard let (lower, upper) = order.broken(by: configuration.levels) else { continue }
            // Whichever was set last made it so; the defaults are in order.
            let last = [order.lower, order.upper].compactMap { key in origins[key].map { (key, $0) } }
                .max { ($0.1.turn, $0.1.line ?? 0) < ($1.1.turn, $1.1.line ?? 0) }
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
