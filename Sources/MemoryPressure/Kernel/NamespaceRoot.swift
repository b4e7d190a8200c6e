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
    private let first = AtomicLazyReference<Finding>()

    /// The names of the cgroups from below the top of a mount down to the namespace's root.
    ///
    /// The first call for a mount reads through its directories: some 50 µs for each until this process's own is found.
    ///
    /// - Parameters:
    ///   - top: the directory of the mount.
    ///   - height: how many levels above the namespace the mount begins.
    /// - Returns: as many names; `nil` if this process is nowhere below the mount.
    func names(below top: String, height: Int) -> [String]? {
        (first.load() ?? first.storeIfNil(Finding(below: top, height: height))).names(below: top, height: height)
    }
}

/// What was found below a mount, which may be nothing; followed by what was found below the next that was asked for.
private final class Finding: Sendable {
    private let top: String
    private let names: [String]?
    // Two threads may look for the same at the same time, and find the same; the later one's is dropped.
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

    /// The processes in a cgroup, by their numbers in this process's pid namespace; none where it cannot be asked.
    private static func members(of directory: String) -> [Substring] {
        ((try? KernelFile.text(of: directory + "/cgroup.procs")) ?? "").split(separator: "\n")
    }
}
