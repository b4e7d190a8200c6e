internal import CLinux

/// A cgroup of the v2 hierarchy: its path as the kernel tells it, and the directory of its files.
package struct Cgroup: Hashable, Sendable {
    /// The path in `/proc/PID/cgroup`, seen from this process's cgroup namespace; the host's where the host's whole
    /// hierarchy is mounted here (``CgroupMount/above``).
    package var path: String
    /// Where its files are.
    package var directory: String

    package init(path: String, directory: String) {
        self.path = path
        self.directory = directory
    }

    /// Its PSI file.
    package var pressure: String { directory + "/memory.pressure" }

    /// Whether it is the root of the hierarchy, whose stalls are the host's: only there `cgroup.events` is missing.
    package var isHierarchyRoot: Bool { !KernelFile.exists(directory + "/cgroup.events") }

    /// Finds the cgroup of a process.
    ///
    /// Works on a pure v2 host, on a hybrid one, and inside a cgroup namespace. Where the path cannot be found below
    /// the mount, because a container sees the host's paths but only its own part of the tree, the mount's root
    /// stands in for it.
    ///
    /// - Returns: the cgroup, or `nil` if the process has none that can be seen from here.
    /// - Throws: ``KernelError``; `ENOENT` or `ESRCH` say that the process is gone.
    package static func of(_ process: ProcessSelector, in tree: KernelTree = .live) throws(KernelError) -> Self? {
        let membership = try KernelFile.text(of: tree.cgroups(of: process))
        return try of(membership: membership, below: CgroupMounts(in: tree))
    }

    /// Finds the cgroup that the text of a `/proc/PID/cgroup` file names.
    ///
    /// - Throws: ``KernelError`` where the mounts cannot be read.
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
    /// A path of `/proc/PID/cgroup` without the mark of a cgroup that was removed under a process that has not ended yet.
    var withoutDeletedMark: String {
        String(hasSuffix(" (deleted)") ? dropLast(" (deleted)".count) : self)
    }
}
