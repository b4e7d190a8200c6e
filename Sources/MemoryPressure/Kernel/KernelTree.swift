/// Where the kernel's files are: below `/`, or below a directory that stands in for it in a test.
package struct KernelTree: Sendable {
    private let root: String
    /// What was found out about this process's cgroup namespace.
    let namespaceRoot = NamespaceRoot()

    /// The real one.
    package static let live = Self(root: "")

    /// A tree whose `proc` and `sys` lie below `root`.
    package init(root: String) {
        self.root = root
    }

    /// The host's PSI file.
    package var hostPressure: String { "\(root)/proc/pressure/memory" }
    /// The host's memory in numbers.
    package var meminfo: String { "\(root)/proc/meminfo" }
    /// The host's counts of what the kernel did with memory.
    package var vmstat: String { "\(root)/proc/vmstat" }
    /// What is mounted where, in this process's mount namespace.
    package var mountinfo: String { "\(root)/proc/self/mountinfo" }
    /// What the kernel says about this process.
    package var status: String { "\(root)/proc/self/status" }
    /// The pid namespace that this process is in.
    package var pidNamespace: String { "\(root)/proc/self/ns/pid" }
    /// The cgroups of a process, as seen from this process's cgroup namespace.
    package func cgroups(of process: ProcessSelector) -> String { "\(root)/proc/\(process)/cgroup" }
    /// A path that one of the files above named, made absolute in this tree.
    package func path(_ named: String) -> String { root + named }
}

/// Which process a file below `/proc` is about.
package enum ProcessSelector: Sendable, CustomStringConvertible {
    /// The one that asks.
    case current
    /// The one with this pid.
    case pid(UInt32)

    package var description: String {
        switch self {
        case .current: "self"
        case .pid(let pid): "\(pid)"
        }
    }
}
