internal import MemoryPressure

extension ControllerHost {
    /// The memory and processors that the process may use, and the memory that it uses, read from the kernel now.
    ///
    /// Reads a few small files: `memory.max`, `memory.high` and `memory.current` up the cgroup tree, and
    /// `/proc/meminfo`. Takes tens of microseconds. If not even `/proc/meminfo` can be read, the memory is 0.
    public var capacity: Capacity {
        let limit = try? MemoryLimit.read(in: kernel)
        return Capacity(memoryLimit: limit?.bytes ?? 0, memoryUsed: limit?.used ?? 0, cores: cores)
    }

    /// Applies a limit that has changed since the host last read it.
    ///
    /// Windows that follow the host's capacity get the new budget and environment, which no controller can veto (rule
    /// 5.35). While ``run()`` is running, it calls this when a limit of the process's cgroups is written, and after
    /// each warning.
    public func updateCapacity() {
        // Keeps no environment that was built from an older capacity.
        guard let knownEnvironment else { return }
        let now = Environment(capacity)
        guard now != knownEnvironment else { return }
        self.knownEnvironment = now
        windows.visit { $0.follow(now) }
    }

    /// The processors that the scheduler may run this process on: `Cpus_allowed` of proc_pid_status(5), a mask in
    /// hexadecimal.
    private var cores: Int {
        guard let status = try? KernelFile.text(of: kernel.status) else { return 1 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
        return max(
            1,
            (line ?? "").dropFirst("Cpus_allowed:".count).reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount }
        )
    }
}
