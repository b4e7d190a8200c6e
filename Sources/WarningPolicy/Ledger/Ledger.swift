/// The finished rounds, the newest last.
package struct Ledger: Sendable {
    /// The number of remembered rounds: a quarter of an hour of warnings that repeat every 15 s.
    package static let capacity = 64

    package private(set) var rounds: [Round] = []

    package init() {}

    package mutating func append(_ round: Round) {
        if rounds.count == Self.capacity { rounds.removeFirst() }
        rounds.append(round)
    }
}
