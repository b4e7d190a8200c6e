internal import Glibc

/// The memory limit that binds a process: the tightest one up its cgroups, or the machine's memory.
///
/// Source: cgroup-v2.rst, `memory.max`, `memory.high`, `memory.current`: each cgroup's limit holds for all below it.
package struct MemoryLimit: Hashable, Sendable {
    /// In bytes.
    package var bytes: UInt64
    /// What is charged against it, in bytes.
    package var used: UInt64

    package init(bytes: UInt64, used: UInt64) {
        self.bytes = bytes
        self.used = used
    }

    /// Reads what binds this process now.
    ///
    /// - Throws: ``KernelError`` if not even the machine's memory can be read.
    package static func read(in tree: KernelTree = .live) throws(KernelError) -> Self {
        let machine = try MemoryAvailability.read(in: tree)
        var tightest = Self(bytes: machine.total, used: machine.total - min(machine.total, machine.available))
        for directory in directories(in: tree) {
            guard let limit = limit(of: directory), limit < tightest.bytes else { continue }
            tightest = Self(bytes: limit, used: number(in: directory + "/memory.current") ?? 0)
        }
        return tightest
    }

    /// The files whose text decides, for whoever wants to hear of changes.
    package static func files(in tree: KernelTree = .live) -> [String] {
        directories(in: tree).flatMap { ["\($0)/memory.max", "\($0)/memory.high"] }
    }

    /// The directories of the process's cgroup and those above it that can limit memory: the root cgroup has no such file.
    private static func directories(in tree: KernelTree) -> [String] {
        guard let cgroup = try? Cgroup.of(.current, in: tree) else { return [] }
        var directories: [String] = []
        var directory = cgroup.directory
        while KernelFile.exists(directory + "/memory.max") {
            directories.append(directory)
            guard let slash = directory.lastIndex(of: "/") else { break }
            directory = String(directory[..<slash])
        }
        return directories
    }

    private static func limit(of directory: String) -> UInt64? {
        ["memory.max", "memory.high"].compactMap { number(in: "\(directory)/\($0)") }.min()
    }

    /// A file of one number; `nil` for the word `max`, and for a file that is gone.
    private static func number(in path: String) -> UInt64? {
        guard let text = try? KernelFile.text(of: path) else { return nil }
        return UInt64(text.prefix { $0 != "\n" })
    }
}
