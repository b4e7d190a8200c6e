/// Where a cgroup hierarchy is mounted, and which part of it the mount shows.
///
/// Source: proc(5), `/proc/pid/mountinfo`; cgroup_namespaces(7).
package struct CgroupMount: Hashable, Sendable {
    /// Which hierarchy is looked for.
    package enum Hierarchy: Sendable {
        /// The one of v2.
        case unified
        /// The one of v1 that has the memory controller.
        case memoryV1

        /// Whether the file system type and the super options of a mount are this hierarchy's.
        fileprivate func matches(type: Substring, options: Substring?) -> Bool {
            switch self {
            case .unified: type == "cgroup2"
            case .memoryV1: type == "cgroup" && options?.split(separator: ",").contains("memory") == true
            }
        }
    }

    /// The directory it is mounted on.
    package var directory: String
    /// The cgroup that this directory is, as cgroups are named here.
    package var root: String
    /// So many levels above this process's cgroup namespace it begins: the host's hierarchy in a container.
    ///
    /// Then ``root`` is `/` and cgroups have the names that they have on the host, and not those of `/proc/PID/cgroup`.
    package var above: Int

    package init(directory: String, root: String, above: Int = 0) {
        self.directory = directory
        self.root = root
        self.above = above
    }

    /// All mounts of a hierarchy in the text of a mountinfo file, in its order.
    package static func all(inMountinfo text: String, of hierarchy: Hierarchy = .unified) -> [Self] {
        text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { bytes in
            // Of thousands of lines few are of cgroups, and to take a line apart costs fifty times as much as this.
            guard bytes.contains("cgroup") else { return nil }
            let line = Substring(bytes)
            // id, parent, device, root, mount point, options, optional fields …, "-", type, source, options
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard let dash = fields.dropFirst(6).firstIndex(of: "-"), dash + 1 < fields.endIndex,
                hierarchy.matches(type: fields[dash + 1], options: fields.dropFirst(dash + 3).first)
            else { return nil }
            let root = unescape(fields[3])
            let names = root.split(separator: "/")
            // Something beside the namespace, such as /../other, is named alike in /proc/PID/cgroup.
            let isAbove = !names.isEmpty && names.allSatisfy { $0 == ".." }
            return Self(
                directory: unescape(fields[4]),
                root: isAbove ? "/" : root,
                above: isAbove ? names.count : 0
            )
        }
    }

    /// The name here of what `/proc/PID/cgroup` calls `path`; `nil` if the mount does not show it.
    fileprivate func name(of path: String, in tree: KernelTree) -> String? {
        guard above > 0 else { return path }
        let names = path.split(separator: "/")
        let up = names.prefix { $0 == ".." }.count
        guard up <= above else { return nil }
        // From the top of the mount down no name has to be known.
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
    /// What is left of this path below `ancestor`, beginning with `/`; `nil` if it does not lie there.
    fileprivate func path(below ancestor: String) -> String? {
        if ancestor == "/" { return hasPrefix("/..") ? nil : self }
        if self == ancestor { return "/" }
        return hasPrefix(ancestor + "/") ? String(dropFirst(ancestor.count)) : nil
    }
}

extension [CgroupMount] {
    /// Finds the directory of a cgroup below the mounts of its hierarchy.
    ///
    /// Where none shows it, because a container sees the host's paths but only its own part of the tree, the first
    /// mount's root stands in for it.
    ///
    /// - Returns: the path and the directory of what was found; `nil` without mounts, or if the cgroup is another
    ///   namespace's.
    func find(_ path: String, in tree: KernelTree) -> (path: String, directory: String)? {
        for mount in self {
            guard let name = mount.name(of: path, in: tree), let directory = mount.directory(of: name).map(tree.path)
            else { continue }
            if KernelFile.exists(directory) { return (name, directory) }
        }
        // A path that begins with /.. is of another namespace's cgroup: the mount's root is not an ancestor of it. And a
        // mount from above would be the whole host.
        guard let mount = first, mount.above == 0, !path.hasPrefix("/..") else { return nil }
        let directory = tree.path(mount.directory)
        return KernelFile.exists(directory) ? (mount.root, directory) : nil
    }
}
