internal import CLinux
internal import Synchronization

/// Where the root of this process's cgroup namespace lies below mounts that show what is above it.
///
/// A container that was given the host's hierarchy reads the cgroups of others as `/../other`: up from its own, and
/// down again. The kernel does not tell the names on the way up, so they are looked for, once: a cgroup in which a
/// process lives can be neither renamed nor removed.
///
/// Source: cgroup_namespaces(7).
final class NamespaceRoot: Sendable {
    /// By the directory of the mount: what was found, which may be nothing.
    private let found = Mutex<[String: [String]?]>([:])

    /// The names of the cgroups from below the top of a mount down to the namespace's root.
    ///
    /// The first call for a mount reads through its directories: some 50 µs for each until this process's own is found.
    ///
    /// - Returns: as many names as the mount begins above the namespace; `nil` if this process is nowhere below it.
    func names(below mount: CgroupMount, in tree: KernelTree) -> [String]? {
        found.withLock { found in
            if let known = found[mount.directory] { return known }
            let names = Self.look(below: tree.path(mount.directory), height: mount.above)
            found[mount.directory] = .some(names)
            return names
        }
    }

    private static func look(below top: String, height: Int) -> [String]? {
        let own = "\(getpid())"
        var left: [[String]] = [[]]
        while let names = left.popLast() {
            let directory = names.reduce(top) { "\($0)/\($1)" }
            if names.count >= height, members(of: directory).contains(own[...]) { return Array(names.prefix(height)) }
            left += ((try? KernelFile.directories(in: directory)) ?? []).map { names + [$0] }
        }
        return nil
    }

    /// The processes in a cgroup, by their numbers in this process's pid namespace; none where it cannot be asked.
    private static func members(of directory: String) -> [Substring] {
        ((try? KernelFile.text(of: directory + "/cgroup.procs")) ?? "").split(separator: "\n")
    }
}
