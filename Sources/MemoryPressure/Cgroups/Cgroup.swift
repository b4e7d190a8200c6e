internal import CLinux

/// A cgroup of the v2 hierarchy: its path as the kernel shows it, and the directory of its files.
package struct Cgroup: Hashable, Sendable {
    /// The path in `/proc/PID/cgroup`, relative to this process's cgroup namespace; relative to the host's if the
    /// host's whole hierarchy is mounted here (``CgroupMount/above``).
    package var path: String
    /// The directory of its files.
    package var directory: String

    package init(path: String, directory: String) {
        self.path = path
        self.directory = directory
    }

    /// Its PSI file.
    package var pressure: String { directory + "/memory.pressure" }

    /// Whether it is the root of the hierarchy, whose stalls are the host's: only the root has no `cgroup.events`.
    package var isHierarchyRoot: Bool { !KernelFile.exists(directory + "/cgroup.events") }

    /// Finds the cgroup of a process.
    ///
    /// Works on a pure v2 host, on a hybrid one, and inside a cgroup namespace. If the path is not found below the
    /// mount, because a container sees the host's paths but only its own part of the tree, the mount's root is used
    /// instead.
    ///
    /// - Returns: the cgroup, or `nil` if the process has none that can be seen from here.
    /// - Throws: ``KernelError``; `ENOENT` and `ESRCH` mean that the process is gone.
    package static func of(_ process: ProcessSelector, in tree: KernelTree = .live) throws(KernelError) -> Self? {
        let membership = try KernelFile.text(of: tree.cgroups(of: process))
        return try of(membership: membership, below: CgroupMounts(in: tree))
    }

    /// Finds the cgroup that the text of a `/proc/PID/cgroup` file names.
    ///
    /// - Throws: ``KernelError`` if the mounts cannot be read.
    static func of(membership: String, below mounts: CgroupMounts) throws(KernelError) -> Self? {
        guard let path = path(inMembership: membership) else { return nil }
        return try mounts.all(of: .unified).find(path, in: mounts.tree).map {
            Self(path: $0.path, directory: $0.directory)
        }
    }

    /// The path of the v2 hierarchy in the text of a `/proc/PID/cgroup` file; `nil` on a host without one.
    ///
    /// It is the line with hierarchy 0, which on a hybrid host is not the first one.
    package static func path(inMembership text: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix("0::/") {
            return line.dropFirst("0::".count).withoutDeletedMark
        }
        return nil
    }
}

extension Substring {
    /// The path without the suffix that the kernel appends when a cgroup was removed before its last process was
    /// reaped.
    var withoutDeletedMark: String {
        String(hasSuffix(" (deleted)") ? dropLast(" (deleted)".count) : self)
    }
}
