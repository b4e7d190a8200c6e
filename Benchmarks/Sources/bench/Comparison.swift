internal import BenchSupport

/// The same operation by the baseline and by ours, measured in turns.
struct Comparison {
    var baseline = Samples()
    var ours = Samples()

    mutating func add(baseline: UInt64, ours: UInt64) {
        self.baseline.add(baseline)
        self.ours.add(ours)
    }

    /// The cells of a table: count, both medians, their ratio, both 99th percentiles, their ratio; times in microseconds.
    var cells: [String] {
        [
            "\(ours.count)",
            (baseline.median / 1_000).decimal(1), (ours.median / 1_000).decimal(1),
            "\((ours.median / baseline.median).decimal(2))×",
            (baseline.p99 / 1_000).decimal(1), (ours.p99 / 1_000).decimal(1),
            "\((ours.p99 / baseline.p99).decimal(2))×",
        ]
    }

    /// The column heads of ``cells``.
    static let heads = ["n", "C µs", "ours µs", "ratio", "C p99 µs", "ours p99 µs", "ratio of p99"]
}
