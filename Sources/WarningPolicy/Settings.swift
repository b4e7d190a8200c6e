package import MemoryPressure

/// What can be configured, with its defaults.
package struct Settings: Equatable, Sendable {
    /// Where to listen; the default depends on who starts the daemon.
    package var socket: String?
    /// When levels rise and fall.
    package var levels = LevelPolicy()
    /// What PSI is asked to wake the daemon for: its thresholds are the levels' own rise points.
    package var stalls = StallPlan()
    /// How long hosts have to answer a warning.
    package var deadline = Duration.seconds(2)
    /// How long they have at critical.
    package var criticalDeadline = Duration.seconds(1)
    /// How long after a stage's last answer its effect is looked at: stalls are counted over time.
    package var settle = Duration.milliseconds(500)
    /// Patterns of cgroups that are watched whether or not a host lives in them.
    package var cgroups: [String] = []
    /// Where programs with `$MEMORY_PRESSURE_WATCH` connect to; the default lies beside ``socket``.
    package var pressureSocket: PressureSocket = .beside
    /// Whether the D-Bus name of low-memory-monitor is asked for.
    package var offersLowMemoryMonitor = true
    /// How many connections one user may have, root and the daemon's own user excepted; `nil` is half of all.
    package var peersPerUser: Int?
    /// Whether the daemon's memory is locked, so that it works while everything else is swapped.
    package var locksMemory = true

    /// Where the socket for `$MEMORY_PRESSURE_WATCH` is.
    package enum PressureSocket: Equatable, Sendable {
        /// `pressure.sock` in the directory of the native one.
        case beside
        /// At this path.
        case path(String)
        /// There is none.
        case off
    }

    /// What scopes are watched for.
    package var sensing: SensorPolicy { SensorPolicy(levels: levels, stalls: stalls) }

    /// How long hosts have to answer at a level.
    package func deadline(of level: PressureLevel) -> Duration {
        level == .critical ? criticalDeadline : deadline
    }

    /// The defaults.
    package init() {}
}
