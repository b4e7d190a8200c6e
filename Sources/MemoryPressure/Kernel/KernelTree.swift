/// The location of the kernel's files: below `/`, or in a test below another directory.
package struct KernelTree: Sendable {
    private let root: String
    /// The position of this process's cgroup namespace, once it is known.
    let namespaceRoot = NamespaceRoot()

    /// The files of the running kernel.
    package static let live = Self(root: "")

    /// A tree whose `proc` and `sys` lie below `root`.
    package init(root: String) {
        self.root = root
    }

    /// The host's PSI file.
    package var hostPressure: String { "\(root)/proc/pressure/memory" }
    /// The host's memory statistics.
    package var meminfo: String { "\(root)/proc/meminfo" }
    /// The host's counters of the kernel's memory management.
    package var vmstat: String { "\(root)/proc/vmstat" }
    /// The mounts of this process's mount namespace.
    package var mountinfo: String { "\(root)/proc/self/mountinfo" }
    /// The status file of this process.
    package var status: String { "\(root)/proc/self/status" }
    /// The pid namespace that this process is in.
    package var pidNamespace: String { "\(root)/proc/self/ns/pid" }
    /// The cgroups of a process, as seen from this process's cgroup namespace.
    package func cgroups(of process: ProcessSelector) -> String { "\(root)/proc/\(process)/cgroup" }
    /// A path that one of the files above named, made absolute in this tree.
    package func path(_ named: String) -> String { root + named }
}

/// The process that a file below `/proc` describes.
package enum ProcessSelector: Sendable, CustomStringConvertible {
    /// The calling process.
    case current
    /// The process with this pid.
    case pid(UInt32)

    package var description: String {
        switch self {
        case .current: "self"
        case .pid(let pid): "\(pid)"
        }
    }
}
