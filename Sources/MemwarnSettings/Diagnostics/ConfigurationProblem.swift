import MemwarnProtocol

/// What is wrong with a configuration, and where: one place, one key, and what was expected there.
package struct ConfigurationProblem: Equatable, CustomStringConvertible {
    package let file: String
    /// The line, from 1; `nil` if the file as a whole is meant.
    package let line: Int?
    /// Where in the line, in bytes from 1; `nil` for what is wrong with a key.
    package var column: Int?
    /// The key with its table, as in `levels.dwell`; `nil` if the file as a whole is meant.
    package let key: String?
    let problem: String

    /// One line as compilers write it: `memwarnd.toml:7: levels.dwell: expected a duration such as "10s", found "soon"`,
    /// `memwarnd.toml:8:9: the quotes are not closed on their line`.
    package var description: String {
        var place = file.escapedForDisplay
        if let line { place += ":\(line)" }
        if let column { place += ":\(column)" }
        if let key { place += ": \(key.escapedForDisplay)" }
        return "\(place): \(problem)"
    }
}

extension [ConfigurationProblem] {
    /// The first of them, and how many there are besides.
    package var summary: String {
        guard let first else { return "" }
        return count == 1 ? first.description : "\(first), and \(count - 1) more"
    }

    /// A line for each, as far as a log has room for them.
    package var lines: [String] {
        let most = 20
        let rest = count > most ? ["\(count - most) more mistakes, which “memwarnd config check” lists"] : []
        return prefix(most).map { $0.description } + rest
    }
}

/// Why a value is not what a key takes, as the end of a sentence that begins with the key.
struct ConfigurationMismatch: Error {
    let problem: String

    init(_ problem: String) {
        self.problem = problem
    }

    init(expected: String, found value: ConfigurationValue, hint: String = "") {
        problem = "expected \(expected), found \(value.found)\(hint)"
    }
}
