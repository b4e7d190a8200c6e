/// When a scope's level rises, falls, and is told again.
package struct LevelPolicy: Hashable, Sendable {
    /// `some` at this share raises to warning, if it lasts for ``warningWindows``.
    package var warning = Share.percent(10)
    /// For how many readings in a row ``warning`` has to be reached: one burst is not yet pressure.
    ///
    /// That is while ``headroomFar`` or more is left, or it is not known. With less left one reading is enough.
    package var warningWindows = 2
    /// `some` at this share raises to critical at once.
    package var critical = Share.percent(40)
    /// `full` at this share raises to critical at once.
    ///
    /// low-memory-monitor's figure. At GLib's 5 % a lone task that reads more files than its cgroup may keep is critical now
    /// and then: where one task is all that runs, `full` is as high as `some`.
    package var criticalFull = Share.percent(10)
    /// Less than this left raises to warning at once.
    package var headroom = Share.percent(10)
    /// Less than this left raises to critical at once.
    package var headroomCritical = Share.percent(4)
    /// With this much left headroom is not read at all: a calm scope costs no wake-ups.
    package var headroomFar = Share.percent(50)
    /// Whether stalls count only while the kernel reclaims: compaction stalls as well, with memory in plenty.
    package var needsReclaim = true
    /// How far below its rise point a figure has to be before a level falls: rise and fall points lie apart so that
    /// the level does not flutter between them.
    package var fall = Share.percent(50)
    /// For how long a figure has to be that low.
    package var dwell = Duration.seconds(10)
    /// After how long a level that lasts is told again.
    package var repeatInterval = Duration.seconds(15)
    /// After how long a level is derived anew from live readings, however it got there.
    package var hold = Duration.seconds(300)

    /// The defaults: systemd's 10 % of 2 s to warn; low-memory-monitor's and GLib's interval to repeat; psi-notify's
    /// time to fall.
    package init() {}

    /// The fall point of a figure that grows with pressure.
    package func fallPoint(of rise: Share) -> Share {
        Share(basisPoints: UInt32(UInt64(rise.basisPoints) * UInt64(fall.basisPoints) / 10_000))
    }

    /// The fall point of headroom, which shrinks with pressure.
    package var headroomFallPoint: Share { headroom.headroomFallPoint }

    /// Less than this left raises from a level to the next; `nil` at the highest.
    package func headroom(above level: PressureLevel) -> Share? {
        switch level {
        case .normal: headroom
        case .warning: headroomCritical
        case .critical: nil
        }
    }

    /// The point above which headroom no longer holds a scope at critical.
    package var headroomCriticalFallPoint: Share { headroomCritical.headroomFallPoint }
}
