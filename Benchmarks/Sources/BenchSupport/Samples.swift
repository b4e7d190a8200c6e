/// The times of repeated measurements of one operation, in nanoseconds.
package struct Samples {
    private var values: [UInt64] = []

    /// Makes an empty list.
    package init() {}

    package var count: Int { values.count }

    package mutating func add(_ value: UInt64) {
        values.append(value)
    }

    package var median: Double { quantile(0.5) }
    /// The 99th percentile.
    ///
    /// With fewer than a hundred samples it is the largest.
    package var p99: Double { quantile(0.99) }

    /// The smallest sample that at least this share of the samples does not exceed.
    private func quantile(_ part: Double) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return .nan }
        return Double(sorted[max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1)])
    }
}

extension Double {
    /// The number as text with that number of decimals.
    package func decimal(_ places: Int) -> String {
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
