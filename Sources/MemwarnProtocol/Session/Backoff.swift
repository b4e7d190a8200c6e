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
    private var numbers: SplitMix

    init(seed: UInt64) {
        numbers = SplitMix(state: seed)
    }

    /// The next wait.
    mutating func next() -> Duration {
        let wait = ((numbers.next() >> 32) * (bound + 1)) >> 32
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
}
