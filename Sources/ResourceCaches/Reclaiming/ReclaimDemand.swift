package import MemoryPressure

/// The demand on one responder in one event.
package struct ReclaimDemand: Sendable, Hashable {
    /// Its urgency; never `normal`.
    package var level: PressureLevel
    /// The bytes to give back; 0 if the responder only must not grow.
    ///
    /// `nil` leaves it to the responder's own rule for the level; a cache keeps ``PressureLevel/keptShare`` of its
    /// cost.
    package var bytes: Int?

    /// The spare bytes that the responder has already given in this event, and held before it; its own rule subtracts
    /// them.
    package var given: Int

    /// The number of the rise that led to the level, as ``Rises`` counts them; 0 if none did.
    package var rise: UInt64

    /// Creates a demand by the responder's own rule, or for a number of bytes.
    package init(level: PressureLevel, bytes: Int? = nil, given: Int = 0, rise: UInt64 = 0) {
        self.level = level
        self.bytes = bytes
        self.given = given
        self.rise = rise
    }

    /// The bytes that it asks of a responder with the usual rule for the level, at most `cost`.
    ///
    /// - Parameter cost: The bytes that could be given now, not negative.
    /// - Returns: The bytes.
    package func bytes(of cost: Int) -> Int {
        let before = cost.addingSaturated(given)
        return min(cost, bytes ?? max(0, before - level.kept(of: before) - given))
    }
}

extension PressureLevel {
    /// The share of its present bytes that a cache keeps at this level, if no number of bytes is wanted.
    ///
    /// It is a share of the present bytes rather than of the limit, or a half-full cache would give nothing. At a
    /// warning it is a half, because emptied caches load up to 3.5 times as much in the next thousand requests, and
    /// halved ones at most 1.3 times.
    package var keptShare: Double {
        switch self {
        case .normal: 1
        case .warning: 0.5
        case .critical: 0.1
        }
    }

    /// That share of an amount, rounded down.
    package func kept(of amount: Int) -> Int {
        self == .normal ? amount : Int(Double(amount) * keptShare)
    }
}
