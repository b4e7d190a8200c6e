/// The counts of a walk.
package struct Tally: Sendable {
    package private(set) var operations = 0
    /// Operations that changed the state: no rule refused them, and they had an effect.
    package var changes = 0
    /// Operations for which the rules determined all callbacks, the result and the state afterwards.
    package var predicted = 0
    package var refusals = 0
    /// The reasons why the rules did not determine everything, with their counts.
    package var gaps: [String: Int] = [:]
    package var exemptions = 0
    /// The number of calls of each kind of operation in each kind of callback.
    private(set) var pairs: [Pair: Int] = [:]
    /// The triples of nested callbacks in which an operation was called.
    private(set) var triples: Set<[Callback.Kind]> = []

    struct Pair: Hashable, Sendable {
        let operation: Operation.Kind
        let callback: Callback.Kind
    }

    package init() {}

    mutating func begin(_ operation: Operation, in callbacks: [Callback]) {
        operations += 1
        guard let callback = callbacks.last else { return }
        pairs[Pair(operation: operation.kind, callback: callback.kind), default: 0] += 1
        if callbacks.count == 3 { triples.insert(callbacks.map(\.kind)) }
    }

    package mutating func add(_ other: Tally) {
        operations += other.operations
        changes += other.changes
        predicted += other.predicted
        refusals += other.refusals
        exemptions += other.exemptions
        gaps.merge(other.gaps, uniquingKeysWith: +)
        triples.formUnion(other.triples)
        pairs.merge(other.pairs, uniquingKeysWith: +)
    }

    /// The count of the rarest pair for each 100 000 operations.
    package var rarestPair: Int {
        let counts = Operation.Kind.allCases.flatMap { operation in
            Callback.Kind.allCases.map { pairs[Pair(operation: operation, callback: $0)] ?? 0 }
        }
        return (counts.min() ?? 0) * 100_000 / max(1, operations)
    }

    /// The numbers of operations and predictions, and the reasons for missing predictions.
    package var summary: String {
        let share = operations == 0 ? 0 : changes * 100 / operations
        var lines = [
            "\(operations) operations, \(share) % changed something, \(refusals) refused, \(predicted) predicted whole",
            "\(exemptions) exemptions",
        ]
        lines += gaps.sorted { $0.value > $1.value }.map { "not predicted: \($0.key): \($0.value)" }
        return lines.joined(separator: "\n")
    }

    /// The calls in callbacks, with a row for each kind of operation and a column for each kind of callback.
    package var table: String {
        let callbacks = Callback.Kind.allCases
        var lines = [Self.padded("", 13) + callbacks.map { Self.padded($0.rawValue, 13) }.joined()]
        for operation in Operation.Kind.allCases {
            let counts = callbacks.map { "\(pairs[Pair(operation: operation, callback: $0)] ?? 0)" }
            lines.append(Self.padded(operation.rawValue, 13) + counts.map { Self.padded($0, 13) }.joined())
        }
        let possible = callbacks.flatMap { a in callbacks.flatMap { b in callbacks.map { [a, b, $0] } } }
        let missing = possible.filter { !triples.contains($0) }
        lines.append("each pair at least \(rarestPair) times in 100000 operations")
        lines.append("\(triples.count) of \(possible.count) triples of callbacks")
        for triple in missing.prefix(20) { lines.append("not seen: " + triple.map(\.rawValue).joined(separator: ", ")) }
        return lines.joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
