/// The location of a scope's files.
package struct SensorPlace: Hashable, Sendable {
    /// Its cgroup of the v2 hierarchy; `nil` for the whole host.
    package var cgroup: Cgroup?
    /// The cgroup that its memory is charged to, which on a hybrid host is a different one; `nil` if that is unknown.
    package var memory: MemoryCgroup?

    /// The whole host.
    package static let host = Self()

    package init(cgroup: Cgroup? = nil, memory: MemoryCgroup? = nil) {
        self.cgroup = cgroup
        self.memory = memory
    }

    /// The cgroup of a process, or the host if the process has none that can be watched separately.
    ///
    /// - Throws: ``KernelError``; `ENOENT` and `ESRCH` mean that the process is gone.
    package static func of(_ process: ProcessSelector, in tree: KernelTree = .live) throws(KernelError) -> Self {
        try of(process, below: CgroupMounts(in: tree))
    }

    /// The same with cached mounts, for repeated queries.
    ///
    /// - Throws: ``KernelError``; `ENOENT` and `ESRCH` mean that the process is gone.
    package static func of(_ process: ProcessSelector, below mounts: CgroupMounts) throws(KernelError) -> Self {
        let membership = try KernelFile.text(of: mounts.tree.cgroups(of: process))
        guard let cgroup = try Cgroup.of(membership: membership, below: mounts), !cgroup.isHierarchyRoot else {
            return .host
        }
        // A scope without limits still has stalls.
        return Self(cgroup: cgroup, memory: try? MemoryCgroup.of(membership: membership, below: mounts))
    }

    /// The PSI file.
    func pressure(in tree: KernelTree) -> String { cgroup?.pressure ?? tree.hostPressure }

    /// Whether the cgroup exists; the host always does.
    var isThere: Bool { cgroup.map { KernelFile.exists($0.directory) } ?? true }

    /// The files that set the limits of the scope and of the cgroups above; not all of them need to exist.
    package var limitFiles: [String] { memory.map { $0.lineage.flatMap { $0.limitFiles } } ?? [] }

    /// The name of the scope: `/` for the host, `/.` for the root of a cgroup namespace, whose own name is also `/`,
    /// otherwise the cgroup's path.
    package var name: String {
        guard let cgroup else { return "/" }
        return cgroup.path == "/" ? "/." : cgroup.path
    }

    /// The headroom to the tightest limit, or `nil` if none is set.
    ///
    /// - Throws: ``KernelError`` if it cannot be read.
    func headroom(in tree: KernelTree, from files: OpenFiles) throws(KernelError) -> Headroom? {
        if let memory { return try Headroom.read(of: memory, from: files) }
        return cgroup == nil ? try Headroom.readHost(in: tree, from: files) : nil
    }
}
