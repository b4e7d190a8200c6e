/// The bytes that a cache may hold under pressure and for some time after it: falls at once, and comes back slowly.
///
/// A pure value without timers: the caller says what time it is, in nanoseconds on any clock that does not go back.
package struct RecoveringLimit: Sendable, Hashable {
    /// What comes back in a second, as a share of what there was before.
    ///
    /// So slow that loads are spread over some ten seconds, and that a new event finds little to drop again.
    package static let growthPerSecond = 0.075
    /// How long after the end of pressure growth begins, in nanoseconds.
    ///
    /// Levels flutter, and each event drops what was just loaded.
    package static let dwell: UInt64 = 2_000_000_000

    private enum Phase: Hashable {
        case unlimited
        case held
        /// From this time on.
        case growing(since: UInt64)
    }

    private var phase = Phase.unlimited
    private var kept = 0
    private var before = 0

    /// No limit.
    package init() {}

    /// Lowers the limit for an event.
    ///
    /// While pressure lasts the smallest amount counts, and growth is later reckoned by the largest one before. An event
    /// that finds the limit growing starts anew from what is held then. What holds nothing is not limited: it would
    /// have nothing to grow by.
    ///
    /// - Parameters:
    ///   - kept: The bytes that stay.
    ///   - before: The bytes that were held when the event came.
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

    /// Lets the limit grow again after a dwell; does nothing if it does so already, or if there is none.
    ///
    /// - Parameter now: The time at which pressure ended.
    package mutating func recover(at now: UInt64) {
        guard phase == .held else { return }
        let (start, isLate) = now.addingReportingOverflow(Self.dwell)
        phase = .growing(since: isLate ? .max : start)
    }

    /// The bytes that may be held at a time, `nil` for any number.
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
