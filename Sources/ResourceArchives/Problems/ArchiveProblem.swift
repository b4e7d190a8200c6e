internal import MemwarnProtocol

/// What is wrong with an archive, and where.
public struct ArchiveProblem: Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable {
        /// The archive cannot be used.
        case error
        /// The archive can be used, but says something that its author will hardly have meant.
        case warning
    }

    /// How bad it is.
    public let severity: Severity
    /// The file's name, as it was given.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The column in code points, from 1.
    public let column: Int
    /// The names that lead to the value, such as `scenes.home.children[0]`; empty for the file as a whole.
    ///
    /// Of a long name there is the start.
    public let path: String
    /// What was expected there, or what to do.
    public let message: String
}

extension ArchiveProblem: CustomStringConvertible {
    /// One line as compilers write it: `Main.storyboard.json:12:7: scenes.home.segues.detail.to: no scene "detial"; …`.
    ///
    /// Control characters from the file are escaped.
    public var description: String {
        let place = "\(file):\(line):\(column): " + (severity == .warning ? "warning: " : "")
        return (place + (path.isEmpty ? message : "\(path): \(message)")).escapedForDisplay
    }
}

extension String {
    /// The string as messages quote it.
    var quotedForMessage: String { "\"\(shownInMessage)\"" }

    /// As much of it as messages show.
    var shownInMessage: String {
        let start = prefix(utf8: 80)
        return start.utf8.count < utf8.count ? start + "…" : start
    }
}
