internal import MemoryPressure

extension ControllerHost {
    /// What the process may use and what it uses, read from the kernel now.
    ///
    /// Reads some small files: `memory.max`, `memory.high` and `memory.current` up the cgroups, `/proc/meminfo`. Takes
    /// tens of microseconds. If not even the last can be read, the memory is 0.
    public var capacity: Capacity {
        let limit = try? MemoryLimit.read(in: kernel)
        return Capacity(memoryLimit: limit?.bytes ?? 0, memoryUsed: limit?.used ?? 0, cores: cores)
    }

    /// Takes over a limit that has moved since the host last looked.
    ///
    /// Windows that follow the host's capacity get their new budget and environment, which no controller can veto (rule 5.35).
    /// While ``run()`` runs it does this by itself when a limit of the process's cgroups is written, and after each warning.
    public func updateCapacity() {
        // Nothing is built on an older one.
        guard let knownEnvironment else { return }
        let now = Environment(capacity)
        guard now != knownEnvironment else { return }
        self.knownEnvironment = now
        windows.visit { $0.follow(now) }
    }

    /// The processors that the scheduler may put this process on: `Cpus_allowed` of proc_pid_status(5), a mask in hex.
    private var cores: Int {
        guard let status = try? KernelFile.text(of: kernel.status) else { return 1 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
        return max(
            1,
            (line ?? "").dropFirst("Cpus_allowed:".count).reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount }
        )
    }
}
