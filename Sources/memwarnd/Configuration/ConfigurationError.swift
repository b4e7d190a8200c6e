/// Why a configuration file is refused: where, which key, and what was expected there.
struct ConfigurationError: Error, CustomStringConvertible {
    let file: String
    let line: Int?
    let key: String?
    let problem: String

    /// One line as compilers write it: `memwarnd.toml:7: levels.dwell: expected a duration such as "10s", found "soon"`.
    var description: String {
        var place = file
        if let line { place += ":\(line)" }
        if let key { place += ": \(key)" }
        return "\(place): \(problem)"
    }
}
