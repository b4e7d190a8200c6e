/// How long to wait before connecting again: a random time, up to a bound that doubles with each failure.
///
/// Random over the whole range, so that thousands of hosts do not come back to a restarted daemon in step. The numbers are
/// those of SplitMix64 from a seed, which a few lines of any language make as well: a wait is the upper half of a
/// number times (bound + 1), shifted right by 32 bits, in whole microseconds.
struct Backoff: Sendable {
    /// In microseconds.
    static let first: UInt64 = 500_000
    static let longest: UInt64 = 30_000_000

    private var bound = Self.first
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// The next wait.
    mutating func next() -> Duration {
        let wait = ((random() >> 32) * (bound + 1)) >> 32
        bound = min(Self.longest, bound * 2)
        return .microseconds(wait)
    }

    /// Waits long from now on.
    mutating func lengthen() {
        bound = Self.longest
    }

    /// Starts anew, after a connection that worked.
    mutating func reset() {
        bound = Self.first
    }

    private mutating func random() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = state
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }
}
