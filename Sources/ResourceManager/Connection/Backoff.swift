internal import MemoryPressure

/// How long to wait before connecting again: a random time, up to a bound that doubles with each failure.
///
/// Random over the whole range, so that thousands of hosts do not come back to a restarted daemon in step.
struct Backoff {
    static let first = Duration.milliseconds(500)
    static let longest = Duration.seconds(30)

    private var bound = Self.first

    /// The next wait.
    mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let wait = Duration.nanoseconds(Int64.random(in: 0...bound.nanoseconds, using: &generator))
        bound = min(Self.longest, bound * 2)
        return wait
    }

    /// Starts anew, after a connection that worked.
    mutating func reset() {
        bound = Self.first
    }
}
