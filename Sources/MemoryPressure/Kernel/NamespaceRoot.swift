internal import CLinux
internal import Synchronization

/// The position of this process's cgroup namespace below mounts that begin above its root.
///
/// A container with the host's hierarchy mounted reads the cgroups of other processes as `/../other`: up from its own,
/// and down again. The kernel does not show the names on the way up, so they are searched for, once: a cgroup that
/// contains a process can be neither renamed nor removed.
///
/// Source: cgroup_namespaces(7).
final class NamespaceRoot: Sendable {
    private let first = AtomicLazyReference<Finding>()

    /// The names of the cgroups between the top of a mount and the namespace's root, the latter included.
    ///
    /// The first call for a mount reads its directories, at some 50 µs each, until it finds this process's own.
    ///
    /// - Parameters:
    ///   - top: the directory of the mount.
    ///   - height: how many levels above the namespace the mount begins.
    /// - Returns: `height` names; `nil` if this process is not below the mount.
    func names(below top: String, height: Int) -> [String]? {
        (first.load() ?? first.storeIfNil(Finding(below: top, height: height))).names(below: top, height: height)
    }
}

/// The result for a mount, which may be nothing, followed by the result for the next requested mount.
private final class Finding: Sendable {
    private let top: String
    private let names: [String]?
    // Two threads may search the same mount at the same time, with the same result; the later result is dropped.
    private let next = AtomicLazyReference<Finding>()

    init(below top: String, height: Int) {
        self.top = top
        names = Self.look(below: top, height: height)
    }

    func names(below top: String, height: Int) -> [String]? {
        if top == self.top { return names }
        return (next.load() ?? next.storeIfNil(Self(below: top, height: height))).names(below: top, height: height)
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

    /// The processes in a cgroup, by their numbers in this process's pid namespace; empty if they cannot be read.
    private static func members(of directory: String) -> [Substring] {
        ((try? KernelFile.text(of: directory + "/cgroup.procs")) ?? "").split(separator: "\n")
    }
}
