/// Times of the same thing, measured many times, in nanoseconds.
struct Samples {
    private var values: [UInt64] = []

    var count: Int { values.count }

    mutating func add(_ value: UInt64) {
        values.append(value)
    }

    var median: Double { quantile(0.5) }
    /// Of fewer than a hundred samples, the largest.
    var p99: Double { quantile(0.99) }

    /// The smallest sample that at least this part of all does not exceed.
    private func quantile(_ part: Double) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return .nan }
        return Double(sorted[max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1)])
    }
}

/// The same thing done by the baseline and by ours, taken in turns.
struct Comparison {
    var baseline = Samples()
    var ours = Samples()

    mutating func add(baseline: UInt64, ours: UInt64) {
        self.baseline.add(baseline)
        self.ours.add(ours)
    }

    /// Cells of a table: how many, both medians, their ratio, both 99th percentiles, their ratio; times in microseconds.
    var cells: [String] {
        [
            "\(ours.count)",
            (baseline.median / 1_000).decimal(1), (ours.median / 1_000).decimal(1),
            "\((ours.median / baseline.median).decimal(2))×",
            (baseline.p99 / 1_000).decimal(1), (ours.p99 / 1_000).decimal(1),
            "\((ours.p99 / baseline.p99).decimal(2))×",
        ]
    }

    /// The heads of ``cells``.
    static let heads = ["n", "C µs", "ours µs", "ratio", "C p99 µs", "ours p99 µs", "ratio of p99"]
}

extension Double {
    /// With so many decimals.
    func decimal(_ places: Int) -> String {
        guard isFinite else { return "–" }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = Int((magnitude * scale).rounded())
        let sign = self < 0 && scaled > 0 ? "−" : ""
        guard places > 0 else { return "\(sign)\(scaled)" }
        let digits = String(scaled)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return sign + padded.dropLast(places) + "." + padded.suffix(places)
    }
}
