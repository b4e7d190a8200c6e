extension Headroom {
    /// Reads the headroom to the tightest limit: the smallest share among the limits of a cgroup and of those above it.
    ///
    /// If shares are equal, the limit closest to the cgroup is returned. Reads up to four small files for each cgroup
    /// of the ``MemoryCgroup/lineage``, which is bounded; takes tens of microseconds.
    ///
    /// - Returns: the headroom, or `nil` if no limit is set anywhere below the root.
    /// - Throws: ``KernelError``; `ENOENT` and `ENODEV` mean that a cgroup was removed in the meantime, `EBADMSG`
    ///   stands for a text that does not conform to cgroup-v2.rst.
    package static func read(
        of cgroup: MemoryCgroup,
        from files: OpenFiles = OpenFiles()
    ) throws(KernelError) -> Self? {
        var tightest: Self?
        for cgroup in cgroup.lineage {
            let limits = try cgroup.limits(from: files)
            if limits.isEmpty { continue }
            let used = try cgroup.used(from: files)
            for limit in limits {
                let headroom = Self(limit: limit, used: used)
                if tightest.map({ headroom.share < $0.share }) ?? true { tightest = headroom }
            }
        }
        return tightest
    }

    /// Reads the headroom of the machine's memory: `MemAvailable` of `MemTotal`.
    ///
    /// - Throws: ``KernelError``; `EBADMSG` stands for a text that does not conform to proc(5).
    package static func readHost(
        in tree: KernelTree = .live,
        from files: OpenFiles = OpenFiles()
    ) throws(KernelError) -> Self {
        let memory = try MemoryAvailability.read(in: tree, from: files)
        return Self(
            limit: BindingLimit(.machine, bytes: memory.total, path: "/"),
            used: memory.total - min(memory.total, memory.available)
        )
    }
}
