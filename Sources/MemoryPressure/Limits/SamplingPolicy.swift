/// The intervals between readings of headroom: long while much is left, short while it shrinks towards the rise point.
package struct SamplingPolicy: Hashable, Sendable {
    /// While at least this much is left headroom is not read at all: a calm machine wakes no process.
    package var far = Share.percent(50)
    /// Less than this left raises a level.
    package var rise = Share.percent(10)
    /// The longest pause, just below ``far``.
    ///
    /// Growth from a standstill is seen within it, just as stalls are seen within the window of an unprivileged
    /// trigger. So growth that takes longer than a window from the rise point to the limit is seen in time.
    package var seldom = Duration.seconds(2)
    /// The shortest pause, near the rise point.
    ///
    /// If a process allocates a third of the limit in a second, which is little for a limit of a few hundred MiB, the
    /// level rises at most 3 % below that point.
    package var often = Duration.milliseconds(100)
    /// The pause at or below the fall point while headroom does not shrink: a level is raised, or about to end.
    package var standing = Duration.seconds(1)

    /// How long after the end of a level headroom is assumed to shrink by ``reload``, however much is left: hosts
    /// receive `normal` and reload what they gave back.
    package var settling = Duration.seconds(10)
    /// The assumed pace of reloading, in hundredths of a percent of the limit a second: a third of it, which is little
    /// for a limit of a few hundred MiB.
    package var reload = 3_333.0

    /// The defaults.
    package init() {}

    /// The fall point.
    package var fall: Share { rise.headroomFallPoint }

    /// The time to wait before the next reading.
    ///
    /// Below ``far`` the pause decreases in proportion to the headroom above the rise point, from ``seldom`` to
    /// ``often``. While headroom shrinks, or shrank recently, it is at most half the time in which the rise point would
    /// be reached at that pace, so that a reading precedes the rise point; but never less than ``often``.
    ///
    /// - Parameters:
    ///   - share: what is left now.
    ///   - pace: how fast it shrinks, in hundredths of a percent a second.
    ///   - relief: how long ago a level ended; `nil` if there was none.
    /// - Returns: the pause, or `nil` if no reading is due before the next event.
    package func pause(at share: Share, pace: Double = 0, relief: Duration? = nil) -> Duration? {
        let isSettling = relief.map { $0 < settling } ?? false
        let pace = isSettling ? max(pace, reload) : pace
        let distance = Self.distance(from: rise, to: share)
        // This check comes first: with a rise point above `far` a level would otherwise be raised and never read again.
        var pause = standing
        if share > fall {
            guard share < far || isSettling else { return nil }
            pause = min(seldom, often + (seldom - often) * distance / Self.distance(from: rise, to: far))
        }
        if pace > 0 { pause = min(pause, .seconds(Double(distance) / (2 * pace))) }
        return max(pause, often)
    }

    /// The time to wait before the next reading while headroom shrinks towards a rise point: half the time in which it
    /// is reached, but never less than ``often``.
    ///
    /// - Returns: the pause, or `nil` if headroom does not shrink or has passed the rise point.
    package func pause(from share: Share, to point: Share, pace: Double) -> Duration? {
        guard share >= point, pace > 0 else { return nil }
        return max(often, .seconds(Double(Self.distance(from: point, to: share)) / (2 * pace)))
    }

    /// How far one share is above another, in hundredths of a percent; 0 if it is below.
    private static func distance(from low: Share, to high: Share) -> Int {
        max(0, Int(high.basisPoints) - Int(low.basisPoints))
    }
}
