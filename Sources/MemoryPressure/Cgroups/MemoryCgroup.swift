internal import CLinux

/// Where memory is charged and limited: a cgroup in the hierarchy that has the memory controller.
///
/// On a pure v2 host it is the process's ``Cgroup``; on a hybrid or v1 host it is another one, in a hierarchy of its own.
package struct MemoryCgroup: Hashable, Sendable {
    /// Whose files it has.
    package enum Version: Sendable {
        /// `memory.limit_in_bytes` and `memory.usage_in_bytes`.
        case one
        /// `memory.high`, `memory.max` and `memory.current`.
        case two
    }

    /// Whose files it has.
    package var version: Version
    /// The path in `/proc/PID/cgroup`, seen from this process's cgroup namespace.
    package var path: String
    /// Where its files are.
    package var directory: String

    package init(_ version: Version, path: String, directory: String) {
        self.version = version
        self.path = path
        self.directory = directory
    }

    /// The same cgroup, on a host that has the memory controller on v2.
    package init(_ cgroup: Cgroup) {
        self.init(.two, path: cgroup.path, directory: cgroup.directory)
    }

    /// Finds where the memory of a process is charged.
    ///
    /// - Returns: the cgroup, or `nil` if the process has none that can be seen from here.
    /// - Throws: ``KernelError``; `ENOENT` or `ESRCH` say that the process is gone.
    package static func of(_ process: ProcessSelector, in tree: KernelTree = .live) throws(KernelError) -> Self? {
        let membership = try KernelFile.text(of: tree.cgroups(of: process))
        return try of(membership: membership, below: CgroupMounts(in: tree))
    }

    /// Finds where the memory is charged of a process whose `/proc/PID/cgroup` file has this text.
    ///
    /// - Throws: ``KernelError`` where the mounts cannot be read.
    static func of(membership: String, below mounts: CgroupMounts) throws(KernelError) -> Self? {
        // A controller is in one hierarchy: where v1 names it, v2 does not have it.
        guard let path = path(inMembership: membership) else {
            return try Cgroup.of(membership: membership, below: mounts).map { Self($0) }
        }
        return try mounts.all(of: .memoryV1).find(path, in: mounts.tree).map {
            Self(.one, path: $0.path, directory: $0.directory)
        }
    }

    /// The path in the v1 memory hierarchy in the text of a `/proc/PID/cgroup` file; `nil` on a host without one.
    package static func path(inMembership text: String) -> String? {
        for line in text.split(separator: "\n") {
            // id, controllers, path; the path may have colons in it.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[2].hasPrefix("/"), fields[1].split(separator: ",").contains("memory")
            else { continue }
            return fields[2].withoutDeletedMark
        }
        return nil
    }

    /// This cgroup and those above it, whose limits hold for it too, in this order; of more than 32 the topmost.
    ///
    /// It ends where the mount shows no more. What lies deeper than 32 is left out, and costs nothing: systemd's own trees are
    /// less than twelve deep, and a user with a subtree of its own can make one of thousands. The topmost stay since
    /// limits above that subtree are the administrator's, which no user may put out of sight, and since the kernel
    /// walks a path name by name.
    package var lineage: [Self] {
        // The directories follow the path up to the cgroup that is mounted. By bytes: a name may begin with a mark that
        // makes one Character of it and the slash before.
        var ends = [0]
        if path != "/" {
            for (length, (byte, other)) in zip(path.utf8.reversed(), directory.utf8.reversed()).enumerated() {
                guard byte == other else { break }
                if byte == UInt8(ascii: "/") { ends.append(length + 1) }
            }
        }
        return ends.suffix(32).map { end in
            Self(
                version,
                path: end == path.utf8.count ? "/" : String(Substring(path.utf8.dropLast(end))),
                directory: String(Substring(directory.utf8.dropLast(end)))
            )
        }
    }
}
