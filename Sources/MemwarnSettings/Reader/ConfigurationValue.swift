import MemwarnProtocol

/// A value in a configuration file.
package enum ConfigurationValue: Equatable {
    case text(String)
    case integer(Int)
    /// A number, and its digits as they are written: with both, the daemon needs no code that prints a `Double`.
    case number(Double, written: String)
    case flag(Bool)
    case list([Self])
    /// The name of a table in place of a value.
    case table

    /// The description of the value in errors.
    var found: String {
        switch self {
        case .text(let text): "\"\(text.shown(upTo: 200))\""
        case .integer(let number): "\(number)"
        case .number(_, let written): written.shown(upTo: 200)
        case .flag(let flag): "\(flag)"
        case .list: "an array"
        case .table: "a table"
        }
    }

    /// The value in TOML.
    package var toml: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .list(let values): "[\(values.map { $0.toml }.joined(separator: ", "))]"
        case .integer, .number, .flag, .table: found
        }
    }

    /// A basic string of TOML, in which control characters must be escaped.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                quoted.unicodeScalars.append("\\")
                quoted.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension String {
    /// The part of it that fits into a message of at most `limit` bytes of UTF-8.
    func shown(upTo limit: Int) -> String {
        let start = prefix(utf8: limit)
        return start.escapedForDisplay + (start.utf8.count < utf8.count ? "…" : "")
    }
}
