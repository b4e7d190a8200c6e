package import MemoryPressure

/// The settings, with their defaults.
package struct Settings: Equatable, Sendable {
    /// The path to listen on; the default depends on the user of the daemon.
    package var socket: String?
    /// The conditions under which levels rise and fall.
    package var levels = LevelPolicy()
    /// The stalls for which PSI wakes the daemon: the thresholds are the rise points of the levels.
    package var stalls = StallPlan()
    /// The time that hosts have to answer a warning.
    package var deadline = Duration.seconds(2)
    /// The time that they have at critical.
    package var criticalDeadline = Duration.seconds(1)
    /// The time between a stage's last answer and the reading of its effect: stalls are counted over time.
    package var settle = Duration.milliseconds(500)
    /// Patterns of cgroups that are watched whether or not a host lives in them.
    package var cgroups: [String] = []
    /// The socket for programs with `$MEMORY_PRESSURE_WATCH`; by default beside ``socket``.
    package var pressureSocket: PressureSocket = .beside
    /// Whether the daemon requests the D-Bus name of low-memory-monitor.
    package var offersLowMemoryMonitor = true
    /// The maximum number of connections of one user, except root and the daemon's own user; `nil` for the default.
    package var peersPerUser: Int?
    /// Whether the daemon's memory is locked, so that it works while everything else is swapped out.
    package var locksMemory = true

    /// The location of the socket for `$MEMORY_PRESSURE_WATCH`.
    package enum PressureSocket: Equatable, Sendable {
        /// `pressure.sock` in the directory of the native one.
        case beside
        /// At this path.
        case path(String)
        /// There is none.
        case off
    }

    /// The policy of the sensors.
    package var sensing: SensorPolicy { SensorPolicy(levels: levels, stalls: stalls) }

    /// The time that hosts have to answer at a level.
    package func deadline(of level: PressureLevel) -> Duration {
        level == .critical ? criticalDeadline : deadline
    }

    /// The defaults.
    package init() {}
}
