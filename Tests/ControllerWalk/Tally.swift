/// What a walk did, counted.
package struct Tally: Sendable {
    package private(set) var operations = 0
    /// Operations that changed something: that were refused by no rule and found something to do.
    package var changes = 0
    /// Those of which the rules said all the callbacks, the result and what there is afterwards.
    package var predicted = 0
    package var refusals = 0
    /// Why the rules did not say all.
    package var gaps: [String: Int] = [:]
    package var exemptions = 0
    package private(set) var pairs: [[Int]] = Array(
        repeating: Array(repeating: 0, count: Callback.allCases.count),
        count: Operation.allCases.count
    )
    package private(set) var triples: Set<[Callback]> = []

    package init() {}

    mutating func begin(_ operation: Operation, in callbacks: [Callback]) {
        operations += 1
        guard let callback = callbacks.last else { return }
        pairs[Self.index(operation)][Self.index(callback)] += 1
        if callbacks.count == 3 { triples.insert(callbacks) }
    }

    package mutating func add(_ other: Tally) {
        operations += other.operations
        changes += other.changes
        predicted += other.predicted
        refusals += other.refusals
        exemptions += other.exemptions
        gaps.merge(other.gaps, uniquingKeysWith: +)
        triples.formUnion(other.triples)
        for row in pairs.indices {
            for column in pairs[row].indices { pairs[row][column] += other.pairs[row][column] }
        }
    }

    /// How many pairs of an operation and a callback came at least so often, of how many.
    package func pairs(atLeast count: Int) -> (Int, of: Int) {
        let all = pairs.joined()
        return (all.count { $0 >= count }, all.count)
    }

    /// How much was walked, what of it the rules said, and why not all.
    package var summary: String {
        let share = operations == 0 ? 0 : changes * 100 / operations
        var lines = [
            "\(operations) operations, \(share) % changed something, \(refusals) refused, \(predicted) predicted whole",
            "\(exemptions) exemptions",
        ]
        lines += gaps.sorted { $0.value > $1.value }.map { "not predicted: \($0.key): \($0.value)" }
        return lines.joined(separator: "\n")
    }

    /// The calls in callbacks: the operations down, the callbacks across.
    package var table: String {
        let (often, all) = pairs(atLeast: 100)
        var lines = ["\(often) of \(all) pairs at least 100 times, \(triples.count) triples of callbacks"]
        for (index, callback) in Callback.allCases.enumerated() { lines.append("\(index)  \(callback)") }
        let heads = Callback.allCases.indices.map { Self.padded("\($0)", 6) }.joined()
        lines.append(Self.padded("", 16) + heads)
        for (operation, row) in zip(Operation.allCases, pairs) {
            lines.append(Self.padded(operation.rawValue, 16) + row.map { Self.padded("\($0)", 6) }.joined())
        }
        return lines.joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func index(_ operation: Operation) -> Int { Operation.indices[operation] ?? 0 }
    private static func index(_ callback: Callback) -> Int { Callback.indices[callback] ?? 0 }
}

extension CaseIterable where Self: Hashable {
    fileprivate static var places: [Self: Int] {
        Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
    }
}

extension Operation {
    fileprivate static let indices = places
}

extension Callback {
    fileprivate static let indices = places
}
