import MemwarnProtocol

/// What is wrong with a configuration, and where: one place, one key, and what was expected there.
struct ConfigurationProblem: Equatable, CustomStringConvertible {
    let file: String
    /// The line, from 1; `nil` if the file as a whole is meant.
    let line: Int?
    /// Where in the line, in bytes from 1; `nil` for what is wrong with a key.
    var column: Int?
    /// The key with its table, as in `levels.dwell`; `nil` if the file as a whole is meant.
    let key: String?
    let problem: String

    /// One line as compilers write it: `memwarnd.toml:7: levels.dwell: expected a duration such as "10s", found "soon"`,
    /// `memwarnd.toml:8:9: the quotes are not closed on their line`.
    var description: String {
        var place = file.escapedForDisplay
        if let line { place += ":\(line)" }
        if let column { place += ":\(column)" }
        if let key { place += ": \(key.escapedForDisplay)" }
        return "\(place): \(problem)"
    }
}

/// Why a configuration is refused: all that is wrong with it, file by file and line by line.
struct ConfigurationError: Error, CustomStringConvertible {
    /// Never empty.
    let problems: [ConfigurationProblem]

    /// A line for each problem.
    var description: String { problems.map(\.description).joined(separator: "\n") }
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
