package import MemoryPressure

/// What one responder is asked for in one event.
package struct ReclaimDemand: Sendable, Hashable {
    /// How urgent it is; never normal.
    package var level: PressureLevel
    /// The bytes to give back, 0 if nothing more is needed than not to grow.
    ///
    /// `nil` leaves it to the responder's own rule for the level; a cache keeps ``PressureLevel/keptShare`` of what it
    /// holds.
    package var bytes: Int?

    /// What the responder has given already in this event, as spare; its own rule takes that off.
    package var given: Int

    /// A demand by the responder's own rule, or for so many bytes.
    package init(level: PressureLevel, bytes: Int? = nil, given: Int = 0) {
        self.level = level
        self.bytes = bytes
        self.given = given
    }

    /// How many bytes it asks a responder for that follows the usual rule for the level, no more than it could give.
    ///
    /// - Parameter cost: What could be given now, not negative.
    /// - Returns: The bytes.
    package func bytes(of cost: Int) -> Int {
        let before = cost.addingSaturated(given)
        return min(cost, bytes ?? max(0, before - level.kept(of: before) - given))
    }
}

extension PressureLevel {
    /// The share of its present bytes that a cache keeps at this level, if no number of bytes is asked for.
    ///
    /// Of what it holds and not of its limit, or a cache that is half full would give nothing. Half, because emptied
    /// caches load up to 3.5 times as much in the next thousand requests, and halved ones at most 1.3 times.
    package var keptShare: Double {
        switch self {
        case .normal: 1
        case .warning: 0.5
        case .critical: 0.1
        }
    }

    /// How much of an amount that share is, rounded down.
    package func kept(of amount: Int) -> Int {
        self == .normal ? amount : Int(Double(amount) * keptShare)
    }
}
