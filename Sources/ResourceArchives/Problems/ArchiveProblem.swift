internal import MemwarnProtocol

/// A problem of an archive, with its place.
public struct ArchiveProblem: Sendable, Hashable {
    /// Its severity.
    public enum Severity: String, Sendable, Hashable {
        /// The archive cannot be used.
        case error
        /// The archive can be used, but probably does not say what its author meant.
        case warning
    }

    /// Its severity.
    public let severity: Severity
    /// The file's name, as given.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The column in code points, from 1.
    public let column: Int
    /// The names that lead to the value, such as `scenes.home.children[0]`; empty for the file as a whole.
    ///
    /// A long name is cut.
    public let path: String
    /// The expected value, or the remedy.
    public let message: String
}

extension ArchiveProblem: CustomStringConvertible {
    /// One line in the form of a compiler's messages: `Main.storyboard.json:12:7: scenes.home.segues.detail.to: no
    /// scene "detial"; …`.
    ///
    /// Control characters from the file are escaped.
    public var description: String {
        let place = "\(file):\(line):\(column): " + (severity == .warning ? "warning: " : "")
        return (place + (path.isEmpty ? message : "\(path): \(message)")).escapedForDisplay
    }
}

extension String {
    /// The string in quotes, for messages.
    var quotedForMessage: String { "\"\(shownInMessage)\"" }

    /// The part of it that messages show.
    var shownInMessage: String {
        let start = prefix(utf8: 80)
        return start.utf8.count < utf8.count ? start + "…" : start
    }
}
