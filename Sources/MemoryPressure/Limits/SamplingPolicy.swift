/// When headroom has to be looked at again: seldom while much is left, often while it shrinks towards the rise point.
package struct SamplingPolicy: Hashable, Sendable {
    /// As long as this much is left nobody looks at all: a calm machine wakes nobody.
    package var far = Share.percent(50)
    /// Less than this left raises a level.
    package var rise = Share.percent(10)
    /// The longest pause, just below ``far``.
    package var seldom = Duration.seconds(10)
    /// The shortest pause, at the rise point.
    package var often = Duration.milliseconds(250)
    /// The pause at or below the fall point while nothing shrinks: a level that stands, or is about to end.
    package var standing = Duration.seconds(1)

    /// The defaults.
    package init() {}

    /// The fall point.
    package var fall: Share { rise.headroomFallPoint }

    /// How long to wait before the next look.
    ///
    /// Below ``far`` the pause goes down in proportion to what is left above the rise point, from ``seldom`` to ``often``.
    /// While headroom shrinks it is at most half the time in which the rise point would be reached at the pace since the
    /// last look, so that the rise is seen before it is over; but never less than ``often``.
    ///
    /// - Parameters:
    ///   - share: what is left now.
    ///   - last: what was left at the last look, and how long ago that was; `nil` at the first look.
    /// - Returns: the pause, or `nil` if nobody has to look before something else happens.
    package func pause(at share: Share, last: (share: Share, elapsed: Duration)? = nil) -> Duration? {
        let shrinks = last.map { $0.elapsed > .zero && share < $0.share } ?? false
        // First of all: with a rise point above `far` a level would stand that nobody looks after.
        if share <= fall, !shrinks { return standing }
        if share > fall, share >= far { return nil }
        let distance = Self.distance(from: rise, to: share)
        var pause = often
        let span = Self.distance(from: rise, to: far)
        if span > 0 { pause += (seldom - often) * min(distance, span) / span }
        if let last, shrinks {
            pause = min(pause, last.elapsed * distance / (2 * Self.distance(from: share, to: last.share)))
        }
        return max(pause, often)
    }

    /// How far one share is above another, in hundredths of a percent; 0 if it is below.
    private static func distance(from low: Share, to high: Share) -> Int {
        max(0, Int(high.basisPoints) - Int(low.basisPoints))
    }
}
