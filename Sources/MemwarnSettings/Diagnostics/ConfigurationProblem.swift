import MemwarnProtocol

/// A mistake in a configuration: its place, the key, and the expected value.
package struct ConfigurationProblem: Equatable, CustomStringConvertible {
    package let file: String
    /// The line, from 1; `nil` for a problem of the whole file, or of a command line.
    package internal(set) var line: Int?
    /// The position in the line, in bytes from 1; `nil` for a mistake in the value of a key.
    package internal(set) var column: Int?
    /// The key with its table, as in `levels.dwell`; `nil` for a problem of the whole file.
    package let key: String?
    let problem: String

    /// One line in the form of a compiler's messages: `memwarnd.toml:7: levels.dwell: expected a duration such as
    /// "10s", found "soon"`, `memwarnd.toml:8:9: the quotes are not closed on their line`.
    package var description: String {
        var place = file.escapedForDisplay
        if let line { place += ":\(line)" }
        if let column { place += ":\(column)" }
        if let key { place += ": \(key.escapedForDisplay)" }
        return "\(place): \(problem)"
    }
}

extension [ConfigurationProblem] {
    /// The first problem, and the number of the others.
    package var summary: String {
        guard let first else { return "" }
        return count == 1 ? first.description : "\(first), and \(count - 1) more"
    }

    /// One line for each problem, as many as a log has room for.
    package var lines: [String] {
        let most = 20
        let rest = count > most ? ["\(count - most) more mistakes, which “memwarnd config check” lists"] : []
        return prefix(most).map { $0.description } + rest
    }
}

/// Why a key does not accept a value, as the end of a sentence that begins with the key.
struct ConfigurationMismatch: Error {
    let problem: String

    init(_ problem: String) {
        self.problem = problem
    }

    init(expected: String, found value: ConfigurationValue, hint: String = "") {
        problem = "expected \(expected), found \(value.found)\(hint)"
    }
}
