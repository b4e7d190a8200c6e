/// The distribution of the times that answers took.
package struct AnswerHistogram: Equatable, Sendable {
    /// The longest time of each bucket but the last, which has no end, in microseconds.
    ///
    /// They range from a host that has nothing to release to the longest usual deadline, in steps of a factor of about
    /// two and a half.
    package static let bounds: [UInt64] = [
        1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
    ]

    /// The number of answers in each bucket: one more than there are bounds.
    package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The total time of all answers, in microseconds.
    package private(set) var sum: UInt64 = 0

    /// Creates an empty histogram.
    package init() {}

    /// Counts an answer that took `microseconds`.
    package mutating func add(microseconds: UInt64) {
        let bucket = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
        counts[bucket] += 1
        sum &+= microseconds
    }
}

extension AnswerHistogram {
    mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integers(&counts, "answers")
        try fields.integer(&sum, "answerSum", in: .microseconds)
    }
}
