import MemwarnProtocol

/// The rounds that are over, the newest last.
struct Ledger {
    /// How many rounds are remembered: a quarter of an hour of warnings that repeat every 15 s.
    static let capacity = 64

    private(set) var rounds: [Round] = []

    mutating func append(_ round: Round) {
        if rounds.count == Self.capacity { rounds.removeFirst() }
        rounds.append(round)
    }
}
