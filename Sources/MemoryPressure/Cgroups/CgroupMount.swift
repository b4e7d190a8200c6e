/// Where a cgroup hierarchy is mounted, and which part of it the mount shows.
///
/// Source: proc(5), `/proc/pid/mountinfo`; cgroup_namespaces(7).
package struct CgroupMount: Hashable, Sendable {
    /// The hierarchy to look for.
    package enum Hierarchy: Sendable {
        /// The v2 hierarchy.
        case unified
        /// The v1 hierarchy that has the memory controller.
        case memoryV1

        /// Whether the file system type and the super options of a mount belong to this hierarchy.
        fileprivate func matches(type: Substring, options: Substring?) -> Bool {
            switch self {
            case .unified: type == "cgroup2"
            case .memoryV1: type == "cgroup" && options?.split(separator: ",").contains("memory") == true
            }
        }
    }

    /// The directory it is mounted on.
    package var directory: String
    /// The path of the mounted cgroup, in the form in which this process names cgroups.
    package var root: String
    /// The number of levels between the mount's root and this process's cgroup namespace below it: the host's hierarchy
    /// in a container.
    ///
    /// If it is not 0, ``root`` is `/`, and cgroups have the names that they have on the host, not those in
    /// `/proc/PID/cgroup`.
    package var above: Int

    package init(directory: String, root: String, above: Int = 0) {
        self.directory = directory
        self.root = root
        self.above = above
    }

    /// All mounts of a hierarchy in the text of a mountinfo file, in its order.
    package static func all(inMountinfo text: String, of hierarchy: Hierarchy = .unified) -> [Self] {
        text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { bytes in
            // Few of the thousands of lines are about cgroups, and parsing a line costs fifty times as much as this
            // check.
            guard bytes.contains("cgroup") else { return nil }
            let line = Substring(bytes)
            // id, parent, device, root, mount point, options, optional fields …, "-", type, source, options
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard let dash = fields.dropFirst(6).firstIndex(of: "-"), dash + 1 < fields.endIndex,
                hierarchy.matches(type: fields[dash + 1], options: fields.dropFirst(dash + 3).first)
            else { return nil }
            let root = unescape(fields[3])
            let names = root.split(separator: "/")
            // A cgroup beside the namespace, such as /../other, has the same name in /proc/PID/cgroup.
            let isAbove = !names.isEmpty && names.allSatisfy { $0 == ".." }
            return Self(
                directory: unescape(fields[4]),
                root: isAbove ? "/" : root,
                above: isAbove ? names.count : 0
            )
        }
    }

    /// The name below this mount of the cgroup that `/proc/PID/cgroup` calls `path`; `nil` if the mount does not show
    /// it.
    fileprivate func name(of path: String, in tree: KernelTree) -> String? {
        guard above > 0 else { return path }
        let names = path.split(separator: "/")
        let up = names.prefix { $0 == ".." }.count
        guard up <= above else { return nil }
        // Paths that begin at the top of the mount need no names from the namespace's root.
        let known = up == above ? [] : tree.namespaceRoot.names(below: tree.path(directory), height: above)
        let start = known?.prefix(above - up)
        return start.map { "/" + ($0.map { $0[...] } + names.dropFirst(up)).joined(separator: "/") }
    }

    /// The directory of the cgroup with this path, or `nil` if the mount does not show it.
    package func directory(of cgroup: String) -> String? {
        guard let inside = cgroup.path(below: root) else { return nil }
        return inside == "/" ? directory : directory + inside
    }

    /// mountinfo writes blank, tab, newline and backslash as three octal digits.
    private static func unescape(_ field: Substring) -> String {
        guard field.contains("\\") else { return String(field) }
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Substring.UTF8View {
    fileprivate func contains(_ word: String) -> Bool {
        var rest = self
        while let start = rest.firstIndex(where: { $0 == word.utf8.first }) {
            if rest[start...].starts(with: word.utf8) { return true }
            rest = rest[start...].dropFirst()
        }
        return false
    }
}

extension String {
    /// The part of this path below `ancestor`, beginning with `/`; `nil` if `ancestor` does not contain it.
    fileprivate func path(below ancestor: String) -> String? {
        if ancestor == "/" { return hasPrefix("/..") ? nil : self }
        if self == ancestor { return "/" }
        return hasPrefix(ancestor + "/") ? String(dropFirst(ancestor.count)) : nil
    }
}

extension [CgroupMount] {
    /// Finds the directory of a cgroup below the mounts of its hierarchy.
    ///
    /// If no mount shows it, because a container sees the host's paths but only its own part of the tree, the first
    /// mount's root is used instead.
    ///
    /// - Returns: the path and the directory of the cgroup; `nil` without mounts, or if the cgroup belongs to another
    ///   namespace.
    func find(_ path: String, in tree: KernelTree) -> (path: String, directory: String)? {
        for mount in self {
            guard let name = mount.name(of: path, in: tree), let directory = mount.directory(of: name).map(tree.path)
            else { continue }
            if KernelFile.exists(directory) { return (name, directory) }
        }
        // A path that begins with /.. belongs to another namespace's cgroup: the mount's root is not its ancestor. And
        // a mount that begins above the namespace would be the whole host.
        guard let mount = first, mount.above == 0, !path.hasPrefix("/..") else { return nil }
        let directory = tree.path(mount.directory)
        return KernelFile.exists(directory) ? (mount.root, directory) : nil
    }
}
