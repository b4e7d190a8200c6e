/// The rules by which a scope's level rises, falls, and is announced again.
package struct LevelPolicy: Hashable, Sendable {
    /// `some` at this share raises to warning, if it lasts for ``warningWindows``.
    package var warning = Share.percent(10)
    /// How many consecutive readings have to reach ``warning``: one burst is not yet pressure.
    ///
    /// This applies while ``headroomFar`` or more is left, or headroom is unknown. With less left one reading is
    /// enough.
    package var warningWindows = 2
    /// `some` at this share raises to critical at once.
    package var critical = Share.percent(40)
    /// `full` at this share raises to critical at once.
    ///
    /// low-memory-monitor's figure. At GLib's 5 % a single task that reads more files than its cgroup may cache is
    /// occasionally critical: if only one task runs, `full` is as high as `some`.
    package var criticalFull = Share.percent(10)
    /// Less than this left raises to warning at once.
    package var headroom = Share.percent(10)
    /// Less than this left raises to critical at once.
    package var headroomCritical = Share.percent(4)
    /// With at least this much left headroom is not read at all: a calm scope costs no wake-ups.
    package var headroomFar = Share.percent(50)
    /// Whether stalls count only while the kernel reclaims: compaction also stalls tasks, with plenty of memory left.
    package var needsReclaim = true
    /// How far below its rise point a figure has to be before a level falls: rise and fall points lie apart so that the
    /// level does not oscillate.
    package var fall = Share.percent(50)
    /// How long all figures have to stay that low.
    package var dwell = Duration.seconds(10)
    /// The interval after which a lasting level is announced again.
    package var repeatInterval = Duration.seconds(15)
    /// The interval after which a level is announced again if headroom had risen above the fall point and is below the
    /// rise point again.
    ///
    /// What the hosts released has been taken by then, and ``repeatInterval`` may be too long: at 1 % of the limit a
    /// second the last 10 % are taken in 10 s. Stalls that come back do not count: they come and go with every lull of
    /// a machine that is short of CPUs, and headroom does not.
    package var returnInterval: Duration { repeatInterval / 3 }
    /// The time after which a level is derived again from the current reading alone.
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

    /// The headroom below which `level` rises to the next level; `nil` at the highest.
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
