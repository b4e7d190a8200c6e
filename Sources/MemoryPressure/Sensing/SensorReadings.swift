/// Files of a scope that are read to decide something.
package struct SensorReads: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The stalls; if they cannot be read, the scope is gone.
    package static let stalls = Self(rawValue: 1 << 0)
    /// How often the limits were met; if it cannot be read, the scope is gone.
    package static let limitEvents = Self(rawValue: 1 << 1)
    /// What is left to the tightest limit.
    package static let headroom = Self(rawValue: 1 << 2)
    /// The counts of reclaim.
    package static let reclaim = Self(rawValue: 1 << 3)
}

/// What a scope's files said at one instant; `nil` for what was not read, and for what the scope does not have.
package struct SensorReadings: Sendable {
    /// When.
    package var at: MonotonicInstant
    /// The stalls.
    package var stalls: PressureStall?
    /// How often the limits were met.
    package var limitEvents: MemoryEvents?
    /// What was left.
    package var headroom: Headroom?
    /// The counts of reclaim.
    package var reclaim: ReclaimCounters?
    /// What could not be read, and may be the next time: there was no descriptor left, or no memory.
    package var failed: SensorReads = []

    package init(at instant: MonotonicInstant) {
        at = instant
    }
}
