/// The limit that memory use is compared with: that of a cgroup, or the size of the machine's memory.
public struct BindingLimit: Hashable, Sendable {
    /// Which of the kernel's limits it is.
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// All memory of the machine: `MemTotal`.
        case machine = 1
        /// `memory.high` of a cgroup: above it the kernel throttles and reclaims, and does not kill.
        case high = 2
        /// `memory.max` of a cgroup: above it the kernel kills.
        case max = 3
        /// `memory.limit_in_bytes` of a cgroup v1.
        case v1 = 4
    }

    /// Which limit it is.
    public var kind: Kind
    /// The limit, in bytes.
    public var bytes: UInt64
    /// The cgroup that it is set on; `/` for the machine.
    public var path: String

    /// Creates a limit of `bytes` bytes.
    public init(_ kind: Kind, bytes: UInt64, path: String) {
        self.kind = kind
        self.bytes = bytes
        self.path = path
    }

    /// Whether it is the same limit, whatever its present size; compares the bytes of paths, like the kernel.
    package func isSame(as other: Self) -> Bool { kind == other.kind && path.utf8.elementsEqual(other.path.utf8) }
}

extension BindingLimit.Kind: CustomStringConvertible {
    /// The file that contains the limit: `MemTotal`, `memory.high`, `memory.max` or `memory.limit_in_bytes`.
    public var description: String {
        switch self {
        case .machine: "MemTotal"
        case .high: "memory.high"
        case .max: "memory.max"
        case .v1: "memory.limit_in_bytes"
        }
    }
}

extension BindingLimit: CustomStringConvertible {
    /// For example `memory.max of /system.slice/search.service`; just `MemTotal` for the machine.
    public var description: String {
        kind == .machine ? "\(kind)" : "\(kind) of \(path)"
    }
}
