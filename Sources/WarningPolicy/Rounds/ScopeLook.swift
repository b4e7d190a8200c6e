package import MemoryPressure

/// The figures of a scope at one instant, to compare with earlier ones.
package struct ScopeLook: Sendable {
    package var at: MonotonicInstant
    /// The stall totals; `nil` if PSI cannot be read.
    package var stalls: PressureStall?
    /// The headroom to the binding limit, if there is one.
    package var headroom: Headroom?

    package init(at instant: MonotonicInstant, stalls: PressureStall? = nil, headroom: Headroom? = nil) {
        (at, self.stalls, self.headroom) = (instant, stalls, headroom)
    }

    /// The changes between an earlier look and this one; no stalls if both are of one instant.
    package func reading(since earlier: Self) -> PressureReading {
        var shares: StallShares?
        if let stalls, let before = earlier.stalls {
            let elapsed = earlier.at.duration(to: at).microseconds
            func share(_ kind: PressureStall.Kind) -> Share {
                let (now, then) = (stalls.total(kind), before.total(kind))
                return Share(now > then ? now - then : 0, of: elapsed)
            }
            shares = StallShares(some: share(.some), full: share(.full))
        }
        return PressureReading(at: at, stalls: shares, headroom: headroom)
    }
}
