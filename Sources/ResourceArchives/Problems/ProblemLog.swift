internal import MemwarnProtocol
internal import ResourceManager

/// Collects the problems of one file: the first errors and warnings up to a limit, and their numbers.
///
/// Messages and places are computed only for the kept problems: a file can have as many problems as bytes.
final class ProblemLog {
    let file: String

    private struct Found {
        let index: Int
        let message: String
        /// Another value that the message mentions.
        let other: Int?
    }

    /// The first problems of one severity, and their number.
    private struct Problems {
        var first: [Found] = []
        var count = 0
    }

    private var errors = Problems()
    private var warnings = Problems()
    private var fatal: ArchiveProblem?
    private var spelling = Spelling(steps: 4_000_000)

    init(file: String) {
        self.file = file
    }

    /// Whether the archive cannot be used.
    var hasErrors: Bool { fatal != nil || errors.count > 0 }

    /// Records a problem of one value of the text.
    func add(
        _ severity: ArchiveProblem.Severity,
        _ message: () -> String,
        at node: JSONNode,
        besides other: JSONNode? = nil
    ) {
        switch severity {
        case .error: Self.add(message, at: node, besides: other, to: &errors)
        case .warning: Self.add(message, at: node, besides: other, to: &warnings)
        }
    }

    private static func add(
        _ message: () -> String,
        at node: JSONNode,
        besides other: JSONNode?,
        to problems: inout Problems
    ) {
        problems.count += 1
        guard problems.first.count < ArchiveLimits.problems else { return }
        problems.first.append(Found(index: node.index, message: message(), other: other?.index))
    }

    /// Records why nothing can be decoded.
    func fail(_ message: String, at position: TextPosition = TextPosition()) {
        fatal = problem(.error, message, at: position)
    }

    /// `; did you mean "detail"?`, as long as the guesses for the file stay within their budget.
    func hint(for name: String, among known: some Sequence<String>) -> String {
        spelling.hint(for: name, among: known)
    }

    /// The problems, in the order of the file: beyond the limit warnings are omitted first, and the last problem gives
    /// the number of omitted ones.
    func problems(in text: JSONText?) -> [ArchiveProblem] {
        guard let text, errors.count + warnings.count > 0 else { return fatal.map { [$0] } ?? [] }
        let all =
            errors.first.map { (severity: ArchiveProblem.Severity.error, found: $0) }
            + warnings.first.map { (severity: ArchiveProblem.Severity.warning, found: $0) }
        var shown = Array(all.prefix(ArchiveLimits.problems).enumerated())
        shown.sort { ($0.element.found.index, $0.offset) < ($1.element.found.index, $1.offset) }
        let places = JSONPlaces(text)
        var paths = JSONPaths(text)
        var problems = shown.map { _, element in
            let found = element.found
            let line = found.other.map { ", in line \(places.position(of: $0).line)" } ?? ""
            return problem(
                element.severity,
                found.message + line,
                at: places.position(of: found.index),
                path: paths.path(to: found.index)
            )
        }
        if let rest = rest(shown: problems) { problems.append(rest) }
        return problems
    }

    /// A problem that counts the problems that are not shown.
    private func rest(shown: [ArchiveProblem]) -> ArchiveProblem? {
        let errors = self.errors.count - shown.count { $0.severity == .error }
        let all = self.errors.count + warnings.count - shown.count
        guard all > 0, let last = shown.last else { return nil }
        let count = "and \(all) more, \(errors) of them errors; mend these first"
        return problem(errors > 0 ? .error : .warning, count, at: TextPosition(line: last.line, column: last.column))
    }

    private func problem(
        _ severity: ArchiveProblem.Severity,
        _ message: String,
        at position: TextPosition,
        path: String = ""
    ) -> ArchiveProblem {
        ArchiveProblem(
            severity: severity,
            file: file,
            line: position.line,
            column: position.column,
            path: path,
            message: message
        )
    }
}
