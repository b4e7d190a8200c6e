/// Where a scope's files are.
package struct SensorPlace: Hashable, Sendable {
    /// Its cgroup of the v2 hierarchy; `nil` for the whole host.
    package var cgroup: Cgroup?
    /// The cgroup that its memory is charged to, which on a hybrid host is another one; `nil` where that is not known.
    package var memory: MemoryCgroup?

    /// The whole host.
    package static let host = Self()

    package init(cgroup: Cgroup? = nil, memory: MemoryCgroup? = nil) {
        self.cgroup = cgroup
        self.memory = memory
    }

    /// The cgroup of a process, or the host where it has none that can be watched apart from it.
    ///
    /// - Throws: ``KernelError``; `ENOENT` or `ESRCH` say that the process is gone.
    package static func of(_ process: ProcessSelector, in tree: KernelTree = .live) throws(KernelError) -> Self {
        try of(process, below: CgroupMounts(in: tree))
    }

    /// The same, by mounts that are kept: for a process that asks again and again.
    ///
    /// - Throws: ``KernelError``; `ENOENT` or `ESRCH` say that the process is gone.
    package static func of(_ process: ProcessSelector, below mounts: CgroupMounts) throws(KernelError) -> Self {
        let membership = try KernelFile.text(of: mounts.tree.cgroups(of: process))
        guard let cgroup = try Cgroup.of(membership: membership, below: mounts), !cgroup.isHierarchyRoot else {
            return .host
        }
        // Without its limits a scope still has its stalls.
        return Self(cgroup: cgroup, memory: try? MemoryCgroup.of(membership: membership, below: mounts))
    }

    /// The PSI file.
    func pressure(in tree: KernelTree) -> String { cgroup?.pressure ?? tree.hostPressure }

    /// Whether the cgroup is there; the host always is.
    var isThere: Bool { cgroup.map { KernelFile.exists($0.directory) } ?? true }

    /// The files that a limit of the scope is set by, the limits of cgroups above included; not all need to be there.
    package var limitFiles: [String] { memory.map { $0.lineage.flatMap { $0.limitFiles } } ?? [] }

    /// The name of the scope: `/` for the host, `/.` for the root of a cgroup namespace, which calls itself what the host is
    /// called, and else the cgroup's path.
    package var name: String {
        guard let cgroup else { return "/" }
        return cgroup.path == "/" ? "/." : cgroup.path
    }

    /// What is left to the tightest limit, or `nil` where none is set.
    ///
    /// - Throws: ``KernelError`` if it cannot be told.
    func headroom(in tree: KernelTree) throws(KernelError) -> Headroom? {
        if let memory { return try Headroom.read(of: memory) }
        return cgroup == nil ? try Headroom.readHost(in: tree) : nil
    }
}
