/// When headroom has to be looked at again: seldom while much is left, often while it shrinks towards the rise point.
package struct SamplingPolicy: Hashable, Sendable {
    /// As long as this much is left there are no looks at all: a calm machine wakes no process.
    package var far = Share.percent(50)
    /// Less than this left raises a level.
    package var rise = Share.percent(10)
    /// The longest pause, just below ``far``.
    ///
    /// Growth from a standstill is seen within it, as stalls are within the window of a trigger without privilege. Growth
    /// that takes longer than a window from the rise point to the limit is so seen in time.
    package var seldom = Duration.seconds(2)
    /// The shortest pause, near the rise point.
    ///
    /// A process that takes a third of a limit in a second, which is little for a limit of a few hundred MiB, is seen 3 % below that
    /// point at the latest.
    package var often = Duration.milliseconds(100)
    /// The pause at or below the fall point while nothing shrinks: a level that stands, or is about to end.
    package var standing = Duration.seconds(1)

    /// For so long after a level ended headroom is taken to shrink by ``reload``, however much is left: hosts hear that all
    /// is well, and load again what they gave.
    package var settling = Duration.seconds(10)
    /// How fast they may, in hundredths of a percent of the limit, a second: a third of it, which is little for a limit of a
    /// few hundred MiB.
    package var reload = 3_333.0

    /// The defaults.
    package init() {}

    /// The fall point.
    package var fall: Share { rise.headroomFallPoint }

    /// How long to wait before the next look.
    ///
    /// Below ``far`` the pause goes down in proportion to what is left above the rise point, from ``seldom`` to ``often``.
    /// While headroom shrinks, or did lately, it is at most half the time in which the rise point would be reached at that
    /// pace, so that the rise is seen before it is over; but never less than ``often``.
    ///
    /// - Parameters:
    ///   - share: what is left now.
    ///   - pace: how fast it shrinks, in hundredths of a percent a second.
    ///   - relief: how long ago a level ended; `nil` if there was none.
    /// - Returns: the pause, or `nil` if no look is due before something else happens.
    package func pause(at share: Share, pace: Double = 0, relief: Duration? = nil) -> Duration? {
        let isSettling = relief.map { $0 < settling } ?? false
        let pace = isSettling ? max(pace, reload) : pace
        let distance = Self.distance(from: rise, to: share)
        // First of all: with a rise point above `far` a level would stand that is not looked at again.
        var pause = standing
        if share > fall {
            guard share < far || isSettling else { return nil }
            pause = min(seldom, often + (seldom - often) * distance / Self.distance(from: rise, to: far))
        }
        if pace > 0 { pause = min(pause, .seconds(Double(distance) / (2 * pace))) }
        return max(pause, often)
    }

    /// How long to wait before the next look while headroom shrinks towards a rise point: half the time in which it is
    /// reached, but never less than ``often``.
    ///
    /// - Returns: the pause, or `nil` if nothing shrinks or the rise point is behind.
    package func pause(from share: Share, to point: Share, pace: Double) -> Duration? {
        guard share >= point, pace > 0 else { return nil }
        return max(often, .seconds(Double(Self.distance(from: point, to: share)) / (2 * pace)))
    }

    /// How far one share is above another, in hundredths of a percent; 0 if it is below.
    private static func distance(from low: Share, to high: Share) -> Int {
        max(0, Int(high.basisPoints) - Int(low.basisPoints))
    }
}
