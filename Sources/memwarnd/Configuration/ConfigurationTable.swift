import MemoryPressure
import TOMLKit

/// One table of a configuration file, read key by key with errors that name the place.
struct ConfigurationTable {
    private let table: TOMLTable
    private let path: [String]
    private let source: ConfigurationSource

    init(_ table: TOMLTable, path: [String], source: ConfigurationSource) {
        self.table = table
        self.path = path
        self.source = source
    }

    /// An error about a key of this table.
    func error(_ key: String, _ problem: String) -> ConfigurationError {
        let full = path + [key]
        return ConfigurationError(
            file: source.file,
            line: source.line(of: full),
            key: full.joined(separator: "."),
            problem: problem
        )
    }

    /// Refuses keys that are not in the list.
    func expect(_ known: [String]) throws(ConfigurationError) {
        for key in table.keys.sorted() where !known.contains(key) {
            throw error(key, "unknown key; known here: \(known.joined(separator: ", "))")
        }
    }

    func table(_ key: String) throws(ConfigurationError) -> Self? {
        guard let value = table[key] else { return nil }
        guard let inner = value.table else { throw mismatch(key, "a table such as [\(key)]", value) }
        return Self(inner, path: path + [key], source: source)
    }

    func string(_ key: String) throws(ConfigurationError) -> String? {
        guard let value = table[key] else { return nil }
        guard let text = value.string, !text.isEmpty else { throw mismatch(key, "a text in quotes", value) }
        return text
    }

    func count(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationError) -> Int? {
        guard let value = table[key] else { return nil }
        guard let number = value.int, range.contains(number) else {
            throw mismatch(key, "a whole number from \(range.lowerBound) to \(range.upperBound)", value)
        }
        return number
    }

    /// A number from 0.01 to 100.
    func percent(_ key: String) throws(ConfigurationError) -> Share? {
        guard let value = table[key] else { return nil }
        let number = value.double ?? value.int.map(Double.init)
        guard let number, number >= 0.01, number <= 100 else {
            throw mismatch(key, "percent as a number from 0.01 to 100", value)
        }
        return .percent(number)
    }

    /// A number with a unit, from 1 ms to a day.
    func duration(_ key: String) throws(ConfigurationError) -> Duration? {
        guard let value = table[key] else { return nil }
        guard let duration = value.string.flatMap(Duration.init(configured:)) else {
            throw mismatch(key, #"a duration such as "500ms", "10s" or "5min""#, value)
        }
        return duration
    }

    private func mismatch(_ key: String, _ expected: String, _ value: any TOMLValueConvertible) -> ConfigurationError {
        let found = value.string.map { "\"\($0)\"" } ?? value.table.map { _ in "a table" } ?? "\(value)"
        return error(key, "expected \(expected), found \(found)")
    }
}

extension Duration {
    /// A whole number with the unit `ms`, `s`, `min` or `h`, from 1 ms to a day.
    init?(configured text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), (1...86_400_000).contains(number) else { return nil }
        let duration: Duration? =
            switch text.dropFirst(digits.count) {
            case "ms": .milliseconds(number)
            case "s": .seconds(number)
            case "min": .seconds(number * 60)
            case "h": .seconds(number * 3_600)
            default: nil
            }
        guard let duration, duration <= .seconds(86_400) else { return nil }
        self = duration
    }
}
