/// The memory limit that binds a process: the tightest one up its cgroups, or the machine's memory.
///
/// Source: cgroup-v2.rst, `memory.max`, `memory.high`, `memory.current`: each cgroup's limit applies to all cgroups
/// below it.
package struct MemoryLimit: Hashable, Sendable {
    /// In bytes.
    package var bytes: UInt64
    /// The bytes charged against it.
    package var used: UInt64

    package init(bytes: UInt64, used: UInt64) {
        self.bytes = bytes
        self.used = used
    }

    /// Reads the limit that binds this process now.
    ///
    /// - Throws: ``KernelError`` if not even the machine's memory can be read.
    package static func read(in tree: KernelTree = .live) throws(KernelError) -> Self {
        let machine = try Headroom.readHost(in: tree)
        var tightest = Self(bytes: machine.limit.bytes, used: machine.used)
        for cgroup in lineage(in: tree) {
            guard let limit = try? cgroup.limits().map({ $0.bytes }).min(), limit < tightest.bytes else { continue }
            tightest = Self(bytes: limit, used: (try? cgroup.charged()) ?? 0)
        }
        return tightest
    }

    /// The files that determine the limit, to watch for changes.
    package static func files(in tree: KernelTree = .live) -> [String] {
        lineage(in: tree).flatMap { $0.limitFiles }.filter(KernelFile.exists)
    }

    /// The process's cgroup and those above it.
    private static func lineage(in tree: KernelTree) -> [MemoryCgroup] {
        guard let cgroup = try? MemoryCgroup.of(.current, in: tree) else { return [] }
        return cgroup.lineage
    }
}
