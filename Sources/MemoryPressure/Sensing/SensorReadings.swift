/// The files of a scope that are read for one decision.
package struct SensorReads: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The stalls; if they cannot be read, the scope is gone.
    package static let stalls = Self(rawValue: 1 << 0)
    /// The counts of reached limits; if they cannot be read, the scope is gone.
    package static let limitEvents = Self(rawValue: 1 << 1)
    /// The headroom to the tightest limit.
    package static let headroom = Self(rawValue: 1 << 2)
    /// The counts of reclaim.
    package static let reclaim = Self(rawValue: 1 << 3)
}

/// The contents of a scope's files at one instant; `nil` for files that were not read or do not exist.
package struct SensorReadings: Sendable {
    /// When they were read.
    package var at: MonotonicInstant
    /// The stalls.
    package var stalls: PressureStall?
    /// The counts of reached limits.
    package var limitEvents: MemoryEvents?
    /// The headroom.
    package var headroom: Headroom?
    /// The counts of reclaim.
    package var reclaim: ReclaimCounters?
    /// The files that could not be read, and may be readable the next time: there was no descriptor or no memory left.
    package var failed: SensorReads = []

    package init(at instant: MonotonicInstant) {
        at = instant
    }
}
