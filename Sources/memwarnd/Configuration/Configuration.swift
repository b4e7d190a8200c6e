import MemoryPressure

/// What can be configured.
struct Configuration {
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

    /// How long hosts have to answer at a level.
    func deadline(of level: PressureLevel) -> Duration {
        level == .critical ? criticalDeadline : deadline
    }
}
