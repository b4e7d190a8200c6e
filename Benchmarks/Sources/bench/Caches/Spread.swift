internal import BenchSupport

/// One figure of several runs.
struct Spread {
    private var values: [Double] = []

    mutating func add(_ value: Double) {
        values.append(value)
    }

    var isEmpty: Bool { values.isEmpty }

    var median: Double {
        guard !values.isEmpty else { return .nan }
        return values.sorted()[values.count / 2]
    }

    /// The median, and the range of the runs.
    var text: String {
        guard let least = values.min(), let most = values.max() else { return "–" }
        return "\(median.decimal(1)) (\(least.decimal(1))–\(most.decimal(1)))"
    }
}
