/// One look at a scope with all of its sensors; what a sensor could not tell is left out.
package struct PressureReading: Hashable, Sendable {
    /// When it was taken.
    package var at: MonotonicInstant
    /// The share of time that was lost to stalls since the look before, where PSI can be read.
    package var stalls: StallShares?
    /// What is left to the tightest limit, where there is one and it was looked at.
    package var headroom: Headroom?
    /// How often the scope ran into its limits since the look before.
    package var hits: LimitHits
    /// Whether the kernel reclaimed memory in the scope since the look before; `nil` where that is not known.
    package var isReclaiming: Bool?

    package init(
        at instant: MonotonicInstant,
        stalls: StallShares? = nil,
        headroom: Headroom? = nil,
        hits: LimitHits = LimitHits(),
        isReclaiming: Bool? = nil
    ) {
        at = instant
        self.stalls = stalls
        self.headroom = headroom
        self.hits = hits
        self.isReclaiming = isReclaiming
    }
}

/// What share of time a scope lost to stalls.
package struct StallShares: Hashable, Sendable {
    /// The share in which at least one task stalled.
    package var some: Share
    /// The share in which all tasks stalled.
    package var full: Share

    package init(some: Share, full: Share) {
        self.some = some
        self.full = full
    }
}

/// How often a scope ran into its limits: the growth of `high` and `max` in `memory.events`.
package struct LimitHits: Hashable, Sendable {
    /// How often it was throttled at `memory.high`.
    package var high: UInt64
    /// How often it was at the wall of `memory.max`.
    package var max: UInt64

    package init(high: UInt64 = 0, max: UInt64 = 0) {
        self.high = high
        self.max = max
    }
}
