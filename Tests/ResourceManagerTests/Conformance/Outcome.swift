/// What came of a case, or has to come of it.
struct Outcome: Hashable, Sendable {
    /// Those that count, in order.
    var events: [String] = []
    /// The answers to the case's assertions.
    var state: [String: JSON] = [:]
    /// Controllers that somebody kept alive after all owners had gone.
    var survivors: [String] = []
    /// Why it could not be run to its end.
    var problem: CaseProblem?
}

extension Outcome: CustomStringConvertible {
    var description: String {
        var lines = events
        lines += state.sorted { $0.key < $1.key }.map { "assert \($0) = \($1)" }
        lines += survivors.map { "\($0) is still alive" }
        if let problem { lines.append("problem: \(problem)") }
        return lines.map { "    \($0)" }.joined(separator: "\n")
    }
}
