package import MemoryPressure

/// A token bucket that limits how often an event may happen, so that a flood costs only its source.
package struct Allowance: Sendable {
    private let capacity: Double
    private let refill: Double
    private var left: Double
    private var filled = MonotonicInstant(nanoseconds: 0)

    private init(capacity: Double, refill: Double) {
        self.capacity = capacity
        self.refill = refill
        left = capacity
    }

    /// The frames of one peer: a host answers each warning and command with one or two.
    package static var frames: Self { Self(capacity: 1_000, refill: 1_000) }

    /// The frames of one account that the daemon did not ask for: a host sends one, its hello, so the capacity is that of
    /// ``connections``.
    ///
    /// Without it, a user with 512 connections has half a million a second.
    package static var accountFrames: Self { Self(capacity: 20_000, refill: 1_000) }

    /// The queries of one account, each of which may cost 65 packets.
    ///
    /// A status of 10 000 hosts needs 160 at once, and a program that shows them all the time 100 a second.
    package static var queries: Self { Self(capacity: 2_000, refill: 200) }

    /// The connections that one user opens: all hosts of a machine reconnect to a restarted daemon at once, and no user
    /// needs more than a few connections a second after that.
    package static var connections: Self { Self(capacity: 20_000, refill: 100) }

    /// The log entries about peers that break the rules: all of a few entries, the first of many.
    package static var complaints: Self { Self(capacity: 10, refill: 0.2) }

    /// The simulated rounds that one user begins, which cost a packet for each of the user's hosts.
    package static var simulations: Self { Self(capacity: 20, refill: 5) }

    /// The commands that one account sends, counted once for each host that gets one.
    ///
    /// Their answers cost the daemon as much, and are not counted as frames: it has asked for them.
    package static var commands: Self { Self(capacity: 20_000, refill: 1_000) }

    /// The log entries that an account causes by requests and by cgroups that it removes: with more, the accounts of
    /// ``EntryQuotas`` together could push real events out of the log, where journald accepts 10 000 in 30 s.
    package static var entries: Self { Self(capacity: 20, refill: 0.2) }

    /// The messages to the service manager about connections that it stores: it compares each with all stored ones, at
    /// about a microsecond, which with ten thousand of them takes a tenth of its time.
    package static var storeMessages: Self { Self(capacity: 20, refill: 10) }

    /// When the bucket next holds a token.
    package var next: MonotonicInstant {
        left >= 1 ? filled : filled.advanced(by: .nanoseconds(Int64((1 - left) / refill * 1e9) + 1))
    }

    /// Whether the bucket is full, so that it can be forgotten.
    package func isFull(at now: MonotonicInstant) -> Bool { amount(at: now) >= capacity }

    private func amount(at now: MonotonicInstant) -> Double {
        let seconds = Double(filled.duration(to: now).nanoseconds) / 1e9
        return min(capacity, left + max(0, seconds) * refill)
    }

    /// Takes this number of tokens; returns `false` if the bucket is empty.
    ///
    /// The last of them may be borrowed, so that an event larger than the bucket happens, and seldom.
    package mutating func take(_ count: Int = 1, at now: MonotonicInstant) -> Bool {
        left = amount(at: now)
        filled = now
        guard left >= 1 else { return false }
        left -= Double(count)
        return true
    }
}
