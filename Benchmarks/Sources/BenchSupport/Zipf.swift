internal import Glibc

/// Random numbers with a Zipf distribution, as keys in many services have: 0 is the most frequent, then 1, and so on.
package struct Zipf {
    /// For each number, the share of draws that it and the numbers before it get.
    private let cumulative: [Double]
    private var random: SplitMix

    /// Makes a generator of numbers below `count`.
    ///
    /// The frequency of n is proportional to 1 / (n + 1)^exponent.
    package init(count: Int, exponent: Double = 0.99, seed: UInt64) {
        var sum = 0.0
        let sums = (1...count).map { rank in
            sum += pow(Double(rank), -exponent)
            return sum
        }
        cumulative = sums.map { $0 / sum }
        random = SplitMix(seed: seed)
    }

    /// The next number.
    package mutating func next() -> Int {
        let point = Double.random(in: 0..<1, using: &random)
        var low = 0
        var high = cumulative.count - 1
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] > point { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// The generator SplitMix64, which gives the same numbers in each run.
package struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
