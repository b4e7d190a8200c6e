import MemoryPressure

/// What can be configured; ``ConfigurationKey`` says by which keys.
struct Configuration: Equatable {
    /// Where the system's configuration is.
    static let systemPath = "/etc/memwarnd/memwarnd.toml"

    /// Where to listen; the default depends on who starts the daemon.
    var socket: String?
    /// When levels rise and fall.
    var levels = LevelPolicy()
    /// What PSI is asked to wake the daemon for: its thresholds are the levels' own rise points.
    var stalls = StallPlan()
    /// How long hosts have to answer a warning.
    var deadline = Duration.seconds(2)
    /// How long they have at critical.
    var criticalDeadline = Duration.seconds(1)
    /// How long after a stage's last answer its effect is looked at: stalls are counted over time.
    var settle = Duration.milliseconds(500)
    /// Patterns of cgroups that are watched whether or not a host lives in them.
    var cgroups: [String] = []
    /// Where programs with `$MEMORY_PRESSURE_WATCH` connect to; the default lies beside ``socket``.
    var pressureSocket: PressureSocket = .beside
    /// Whether the D-Bus name of low-memory-monitor is asked for.
    var offersLowMemoryMonitor = true
    /// How many connections one user may have, root and the daemon's own user excepted; `nil` is half of all.
    var peersPerUser: Int?
    /// Whether the daemon's memory is locked, so that it works while everything else is swapped.
    var locksMemory = true

    /// Where the socket for `$MEMORY_PRESSURE_WATCH` is.
    enum PressureSocket: Equatable {
        /// `pressure.sock` in the directory of the native one.
        case beside
        /// At this path.
        case path(String)
        /// There is none.
        case off
    }

    /// How long hosts have to answer at a level.
    func deadline(of level: PressureLevel) -> Duration {
        level == .critical ? criticalDeadline : deadline
    }

    /// Reads the configuration at `path`, or the system's if that is `nil`, and its drop-ins.
    ///
    /// The system's file need not be there; one that was asked for must.
    ///
    /// - Throws: ``ConfigurationError`` with all that is wrong.
    static func load(_ path: String?) throws(ConfigurationError) -> Self {
        let reading = ConfigurationReading(of: path)
        guard reading.problems.isEmpty else { throw ConfigurationError(problems: reading.problems) }
        return reading.configuration
    }
}
