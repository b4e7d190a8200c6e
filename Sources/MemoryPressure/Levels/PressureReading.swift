/// One look at a scope with all of its sensors; `nil` for figures that a sensor could not read.
package struct PressureReading: Hashable, Sendable {
    /// When it was taken.
    package var at: MonotonicInstant
    /// The share of time that was lost to stalls since the previous reading; `nil` if PSI cannot be read.
    package var stalls: StallShares?
    /// The memory left to the tightest limit; `nil` if there is none or it was not read.
    package var headroom: Headroom?
    /// The share that was left at an earlier reading, if the headroom could not be read now: no level rises by it, and
    /// none falls either.
    package var earlierLeft: Share?
    /// How often the scope reached its limits since the previous reading.
    package var hits: LimitHits
    /// Whether the kernel reclaimed memory in the scope since the previous reading; `nil` if that is unknown.
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

/// The share of time that a scope lost to stalls.
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

/// How often a scope reached its limits: the growth of `high` and `max` in `memory.events`.
package struct LimitHits: Hashable, Sendable {
    /// How often it was throttled at `memory.high`.
    package var high: UInt64
    /// How often it reached `memory.max`.
    package var max: UInt64

    package init(high: UInt64 = 0, max: UInt64 = 0) {
        self.high = high
        self.max = max
    }
}
