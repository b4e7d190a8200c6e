/// The texts of configuration files.
public enum SampleConfiguration {
    /// Sets each key to a value that is not its default.
    public static let everyKey = """
        socket = "/run/elsewhere.sock"

        [levels]
        warning = 12.5
        warning-windows = 3
        critical = 60
        critical-full = 8
        needs-reclaim = false
        headroom = 15
        headroom-critical = 7
        fall = 40
        dwell = "500ms"
        repeat = "30s"
        hold = "10min"

        [sensors]
        cgroups = ["/system.slice/*.service", "/user.slice"]
        headroom-far = 75
        window = "1s"

        [rounds]
        deadline = "3s"
        critical-deadline = "1500ms"
        settle = "2s"

        [doors]
        pressure-socket = "/run/pressure.sock"
        low-memory-monitor = false

        [limits]
        peers-per-user = 100

        [process]
        lock-memory = false
        """
}
