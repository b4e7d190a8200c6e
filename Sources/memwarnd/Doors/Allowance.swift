import MemoryPressure

/// How often something may happen: a bucket that is emptied by each time and filled by time, so that a flood costs the
/// flooder and nobody else.
struct Allowance {
    private let capacity: Double
    private let refill: Double
    private var left: Double
    private var filled: MonotonicInstant

    private init(capacity: Double, refill: Double, at now: MonotonicInstant) {
        self.capacity = capacity
        self.refill = refill
        left = capacity
        filled = now
    }

    /// The frames of one peer: a status of 10 000 hosts takes 160 queries at once, and nobody needs more than a few
    /// frames a second after that.
    static func frames(at now: MonotonicInstant) -> Self {
        Self(capacity: 1_000, refill: 1_000, at: now)
    }

    /// The connections that one user opens: a daemon that comes back is found by all hosts of a machine at once, and
    /// nobody needs more than a few a second after that.
    static func connections(at now: MonotonicInstant) -> Self {
        Self(capacity: 20_000, refill: 100, at: now)
    }

    /// The lines in the log about peers that break the rules: all of a few, the first of many.
    static func complaints(at now: MonotonicInstant) -> Self {
        Self(capacity: 10, refill: 0.2, at: now)
    }

    /// Whether so much time has passed that nothing is remembered of former times.
    func isFull(at now: MonotonicInstant) -> Bool { amount(at: now) >= capacity }

    private func amount(at now: MonotonicInstant) -> Double {
        let seconds = Double(filled.duration(to: now).nanoseconds) / 1e9
        return min(capacity, left + max(0, seconds) * refill)
    }

    /// Takes one time out of the bucket; false if it is empty.
    mutating func take(at now: MonotonicInstant) -> Bool {
        left = amount(at: now)
        filled = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
