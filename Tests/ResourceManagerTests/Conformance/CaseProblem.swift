/// The reason why a case cannot run, or not to its end.
struct CaseProblem: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
