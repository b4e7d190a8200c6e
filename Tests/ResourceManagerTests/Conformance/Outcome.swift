/// The outcome of a case, actual or expected.
struct Outcome: Hashable, Sendable {
    /// The events that count, in order.
    var events: [String] = []
    /// The answers to the case's assertions.
    var state: [String: JSON] = [:]
    /// The controllers that still lived after the runner had released all owners.
    var survivors: [String] = []
    /// The reason why the case did not run to its end.
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
