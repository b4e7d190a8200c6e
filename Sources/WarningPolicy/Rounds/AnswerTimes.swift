internal import MemoryPressure

/// The times that answers took, in logarithmic steps of an eighth: exact enough for a median, and of constant size.
package struct AnswerTimes: Sendable {
    /// Microseconds up to a minute and a half: 8 steps for each doubling.
    private static let steps = 27 * 8
    private var counts: [UInt32] = []
    private var total: UInt32 = 0
    package private(set) var slowest = Duration.zero

    package init() {}

    package mutating func add(_ time: Duration) {
        if counts.isEmpty { counts = [UInt32](repeating: 0, count: Self.steps) }
        counts[Self.step(of: time.microseconds)] += 1
        total += 1
        slowest = max(slowest, time)
    }

    /// The time within which half of the answers came, to an eighth.
    package var median: Duration {
        var left = (total + 1) / 2
        guard left > 0 else { return .zero }
        for (step, count) in counts.enumerated() {
            guard count < left else { return min(slowest, .microseconds(Self.end(of: step))) }
            left -= count
        }
        return slowest
    }

    /// The leading bit and the three bits after it.
    private static func step(of microseconds: UInt64) -> Int {
        guard microseconds >= 8 else { return Int(microseconds) }
        let exponent = 63 - microseconds.leadingZeroBitCount
        return min(steps - 1, (exponent - 2) * 8 + Int(microseconds >> UInt64(exponent - 3)) & 7)
    }

    /// The longest time of a step.
    private static func end(of step: Int) -> Int64 {
        guard step >= 8 else { return Int64(step) }
        let shift = step / 8 - 1
        return Int64((8 + step % 8 + 1) << shift) - 1
    }
}
