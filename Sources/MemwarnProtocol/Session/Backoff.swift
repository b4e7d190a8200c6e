/// The time to wait before the next attempt to connect: random, up to a bound that doubles with each failure.
///
/// It is random over the whole range, so that thousands of hosts do not return to a restarted daemon at the same time.
/// The numbers are those of SplitMix64 from a seed, which takes a few lines in any language: a wait is the upper half
/// of a number times (bound + 1), shifted right by 32 bits, in whole microseconds.
struct Backoff: Sendable {
    /// In microseconds.
    static let first: UInt64 = 500_000
    static let longest: UInt64 = 30_000_000
    /// The longest bound while a daemon listens whose queue is full: it empties the queue within seconds.
    static let longestInQueue: UInt64 = 2_000_000

    private var bound = Self.first
    private var numbers: SplitMix

    init(seed: UInt64) {
        numbers = SplitMix(state: seed)
    }

    /// The next wait; if a daemon listens whose queue is full (`isInQueue`), the bound does not grow.
    mutating func next(isInQueue: Bool = false) -> Duration {
        if isInQueue { bound = min(Self.longestInQueue, bound) }
        let wait = ((numbers.next() >> 32) * (bound + 1)) >> 32
        if !isInQueue { bound = min(Self.longest, bound * 2) }
        return .microseconds(wait)
    }

    /// Uses the longest bound from now on.
    mutating func lengthen() {
        bound = Self.longest
    }

    /// Returns to the first bound, after a connection that worked.
    mutating func reset() {
        bound = Self.first
    }
}
