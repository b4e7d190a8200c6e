internal import CLinux

/// The cgroup that memory is charged to and that limits it, in the hierarchy that has the memory controller.
///
/// On a pure v2 host it is the process's ``Cgroup``; on a hybrid or v1 host it is another one, in a hierarchy of its own.
package struct MemoryCgroup: Hashable, Sendable {
    /// The version of the memory controller, which decides the names of its files.
    package enum Version: Sendable {
        /// `memory.limit_in_bytes` and `memory.usage_in_bytes`.
        case one
        /// `memory.high`, `memory.max` and `memory.current`.
        case two
    }

    /// The version of the memory controller, which decides the names of its files.
    package var version: Version
    /// The path in `/proc/PID/cgroup`, relative to this process's cgroup namespace.
    package var path: String
    /// The directory of its files.
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

    /// Finds the cgroup that the memory of a process is charged to.
    ///
    /// - Returns: the cgroup, or `nil` if the process has none that can be seen from here.
    /// - Throws: ``KernelError``; `ENOENT` and `ESRCH` mean that the process is gone.
    package static func of(_ process: ProcessSelector, in tree: KernelTree = .live) throws(KernelError) -> Self? {
        let membership = try KernelFile.text(of: tree.cgroups(of: process))
        return try of(membership: membership, below: CgroupMounts(in: tree))
    }

    /// Finds the memory cgroup of a process whose `/proc/PID/cgroup` file has this text.
    ///
    /// - Throws: ``KernelError`` if the mounts cannot be read.
    static func of(membership: String, below mounts: CgroupMounts) throws(KernelError) -> Self? {
        // A controller belongs to one hierarchy: if v1 names it, v2 does not have it.
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

    /// This cgroup and the cgroups above it, whose limits apply to it as well, in this order; the topmost 32 of a
    /// deeper tree.
    ///
    /// It ends at the root of the mount. Levels below the 32nd are left out and cost nothing: systemd's own trees have
    /// fewer than twelve levels, and a user with a delegated subtree can create thousands. The topmost levels are kept
    /// because the limits above that subtree are the administrator's, which no user may hide, and because the kernel
    /// walks a path name by name.
    package var lineage: [Self] {
        // The directories follow the path up to the cgroup that is mounted. Splits bytes: a name may begin with a
        // combining mark, which forms one Character with the slash before it.
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
