/// The bytes that a cache may hold under pressure and for some time after it: the limit falls at once, and recovers
/// slowly.
///
/// A pure value without timers: the caller passes the time, in nanoseconds of any clock that does not go back.
package struct RecoveringLimit: Sendable, Hashable {
    /// The recovery per second, as a share of the bytes before the event.
    ///
    /// It is slow enough to spread loads over some ten seconds, so that a new event finds little to drop again.
    package static let growthPerSecond = 0.075
    /// The time between the end of pressure and the beginning of growth, in nanoseconds.
    ///
    /// Levels may oscillate, and each event drops values that were just loaded.
    package static let dwell: UInt64 = 2_000_000_000

    private enum Phase: Hashable {
        case unlimited
        case held
        /// The limit grows from this time on.
        case growing(since: UInt64)
    }

    private var phase = Phase.unlimited
    private var kept = 0
    private var before = 0

    /// Creates a value without a limit.
    package init() {}

    /// Lowers the limit for an event.
    ///
    /// While pressure lasts the smallest `kept` counts, and the later growth is relative to the largest `before`. An
    /// event during growth starts again from the present bytes. An empty cache is not limited: its growth would be 0.
    ///
    /// - Parameters:
    ///   - kept: The bytes that stay.
    ///   - before: The bytes held at the event.
    package mutating func shrink(to kept: Int, from before: Int) {
        guard before > 0 else { return }
        let kept = max(0, min(kept, before))
        if phase == .held {
            self.kept = min(self.kept, kept)
            self.before = max(self.before, before)
        } else {
            phase = .held
            self.kept = kept
            self.before = before
        }
    }

    /// Raises the bytes that stay, up to those before the event, because more could not leave.
    package mutating func keep(_ kept: Int) {
        self.kept = max(self.kept, min(kept, before))
    }

    /// Lets the limit grow again after a dwell; does nothing if it grows already, or if there is none.
    ///
    /// - Parameter now: The time at which pressure ended.
    package mutating func recover(at now: UInt64) {
        guard phase == .held else { return }
        let (start, isLate) = now.addingReportingOverflow(Self.dwell)
        phase = .growing(since: isLate ? .max : start)
    }

    /// The bytes that may be held at a time; `nil` for any number.
    package func limit(at now: UInt64) -> Int? {
        switch phase {
        case .unlimited: return nil
        case .held: return kept
        case .growing(let start):
            guard now > start else { return kept }
            let grown = Double(before) * Self.growthPerSecond * Double(now - start) / 1_000_000_000
            return grown < Double(before - kept) ? kept + Int(grown) : nil
        }
    }
}
