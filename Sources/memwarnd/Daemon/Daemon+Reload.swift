import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import MemwarnSettings
import Systemd
import WarningPolicy

extension Daemon {
    /// Reads the configuration again and applies it; a refused configuration changes nothing.
    ///
    /// The event loop waits while the files are read: an administrator has just requested it.
    func reload() {
        // A failed notice to the service manager must not stop the reload.
        try? notifier.reloading()
        let reading = load()
        if reading.problems.isEmpty {
            let fixed = apply(reading.configuration)
            let keys = fixed.joined(separator: ", ")
            refusal = fixed.isEmpty ? nil : "the daemon does not use \(keys) until it is restarted"
            log.reloaded(configurationPath)
        } else {
            refusal = "the configuration is refused, the old one stays: \(reading.problems.summary)"
            feed(.settingsRefused)
            for mistake in reading.problems.lines { log.reloadFailed(mistake) }
        }
        // Reading took memory, and the former configuration is no longer needed.
        scheduleShrinking()
        // In every case, since the manager waits for it.
        try? tellReady()
    }

    /// Reports the mistakes in the files that are left out at the start.
    func leaveOut(_ problems: [ConfigurationProblem]) {
        refusal = "a file of the configuration is left out as a whole: \(problems.summary)"
        for mistake in problems.lines { log.leftOut(mistake) }
        // A file that was left out may contain the setting that closes them.
        for door in ["pressure socket", "D-Bus door"] { log.closed(door, "correct the configuration first") }
    }

    /// - Returns: The keys whose values differ, but cannot change while the daemon runs.
    private func apply(_ wanted: Settings) -> [String] {
        var new = wanted
        let fixed = new.keepWhatIsFixed(
            from: configuration,
            doors: !awaitsConfiguration,
            pressure: !awaitsConfiguration && pressureFailure == nil
        )
        for key in fixed { log.ignored("\(key) cannot change while the daemon runs; restart it") }
        let cgroups = configuration.cgroups
        configuration = new
        feed(.settings(new))
        admission.follow(perUser: new.peersPerUser)
        rights = .current()
        if new.cgroups != cgroups { watchConfigured(waits: false) }
        if awaitsConfiguration || pressureFailure != nil { openClosedDoors() }
        saveState()
        return fixed
    }

    /// Opens the doors that waited for a configuration without mistakes, or the pressure socket whose path could not be
    /// used.
    private func openClosedDoors() {
        do throws(SystemdError) {
            guard awaitsConfiguration else { return try openPressureDoor() }
            try openConfigurableDoors()
            lowMemoryMonitor?.begin()
        } catch {
            log.ignored("\(error)")
        }
    }

    /// Watches the cgroups that the configuration names, as far as possible; with `waits` before this returns,
    /// otherwise after a search has found them.
    func watchConfigured(waits: Bool) {
        do throws(CgroupPattern.ParseError) {
            let patterns = try configuration.cgroups.map { text throws(CgroupPattern.ParseError) in
                try CgroupPattern(text)
            }
            do throws(KernelError) {
                try sensors.watch(patterns, waits: waits)
            } catch {
                log.ignored("\(error)")
            }
        } catch {
            log.ignored("\(error)")
        }
    }
}

extension Settings {
    /// Keeps the running values of settings that cannot change while the daemon runs; those of the doors only with
    /// `doors`, and that of the pressure socket with `pressure`.
    ///
    /// - Returns: The keys whose values differ.
    fileprivate mutating func keepWhatIsFixed(from running: Self, doors: Bool, pressure: Bool) -> [String] {
        var keys: [String] = []
        func keep<Value: Equatable>(_ value: inout Value, _ running: Value, _ key: String) {
            guard value != running else { return }
            value = running
            keys.append(key)
        }
        keep(&socket, running.socket, "socket")
        if pressure { keep(&pressureSocket, running.pressureSocket, "doors.pressure-socket") }
        if doors {
            keep(&offersLowMemoryMonitor, running.offersLowMemoryMonitor, "doors.low-memory-monitor")
        }
        keep(&locksMemory, running.locksMemory, "process.lock-memory")
        return keys
    }
}
