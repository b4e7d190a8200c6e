import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Systemd
import WarningPolicy

extension Daemon {
    /// Reads the configuration anew and goes by it; one that is refused changes nothing.
    ///
    /// The files are read where the loop waits for it: an administrator asked for that now.
    func reload() {
        // A service manager that does not listen is no reason to do anything else.
        try? notifier.reloading()
        do throws(Failure) {
            apply(try load())
            refusal = nil
            log.reloaded(configurationPath)
        } catch {
            // A line for each mistake.
            let mistakes = error.message.split(separator: "\n")
            refusal = mistakes.first.map(String.init)
            feed(.settingsRefused)
            log.reloadFailed(mistakes.joined(separator: "; "))
        }
        // In any case: the manager waits for it.
        try? tellReady()
    }

    private func apply(_ wanted: Settings) {
        var new = wanted
        for key in new.keepWhatIsFixed(from: configuration) {
            log.ignored("\(key) cannot change while the daemon runs; restart it")
        }
        let cgroups = configuration.cgroups
        configuration = new
        feed(.settings(new))
        admission.follow(perUser: new.peersPerUser)
        rights = .current()
        if new.cgroups != cgroups { watchConfigured() }
        saveState()
    }

    /// Watches the cgroups that the configuration names, as far as they can be.
    func watchConfigured() {
        do throws(CgroupPattern.ParseError) {
            let patterns = try configuration.cgroups.map { text throws(CgroupPattern.ParseError) in
                try CgroupPattern(text)
            }
            do throws(KernelError) {
                try sensors.watch(patterns)
                if let failure = sensors.patrolFailure { log.ignored(failure) }
            } catch {
                log.ignored("\(error)")
            }
        } catch {
            log.ignored("\(error)")
        }
    }
}

extension Settings {
    /// Takes over what cannot change while the daemon runs.
    ///
    /// - Returns: the keys that were to change.
    fileprivate mutating func keepWhatIsFixed(from running: Self) -> [String] {
        var keys: [String] = []
        func keep<Value: Equatable>(_ value: inout Value, _ running: Value, _ key: String) {
            guard value != running else { return }
            value = running
            keys.append(key)
        }
        keep(&socket, running.socket, "socket")
        keep(&pressureSocket, running.pressureSocket, "doors.pressure-socket")
        keep(&offersLowMemoryMonitor, running.offersLowMemoryMonitor, "doors.low-memory-monitor")
        keep(&locksMemory, running.locksMemory, "process.lock-memory")
        return keys
    }
}
