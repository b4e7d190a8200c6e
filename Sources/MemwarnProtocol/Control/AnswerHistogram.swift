/// How many answers took how long.
public struct AnswerHistogram: Equatable, Sendable {
    /// The longest time of each bucket but the last, which has no end, in microseconds.
    ///
    /// From a host that has nothing to release to the longest deadline that is usual, in steps of about two and a half.
    public static let bounds: [UInt64] = [
        1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
    ]

    /// How many answers fell into each bucket: one number more than there are bounds.
    public private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// How long all answers took together, in microseconds.
    public private(set) var sum: UInt64 = 0

    /// A histogram of no answers.
    public init() {}

    /// Counts an answer that took so many microseconds.
    public mutating func add(microseconds: UInt64) {
        let bucket = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
        counts[bucket] += 1
        sum &+= microseconds
    }
}

extension AnswerHistogram {
    init(from reader: inout FrameReader) throws(FrameError) {
        for bucket in counts.indices { counts[bucket] = try reader.integer("answers") }
        sum = try reader.integer("answerSum")
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        for count in counts { try writer.put(count) }
        try writer.put(sum)
    }
}
