package import MemoryPressure

/// A request for a warning without pressure, so that a service can be tested.
///
/// The answer is a ``RoundRecord`` of a running round and, when every answer is in or the deadline has passed, the
/// record of the finished round; or a ``Refusal``.
package struct Simulate: FrameBody, Equatable, Sendable {
    /// The hosts to warn.
    package enum Target: Equatable, Sendable {
        /// Every host that the client's user may warn.
        case all
        /// The hosts with this name, within ``TextLimit/name``.
        case name(String)
        /// The hosts of the process with this ID in the daemon's pid namespace.
        case pid(UInt32)
        /// The hosts in the cgroup with this path and below it; the path is within ``TextLimit/path``.
        case cgroup(String)
    }

    /// The level to announce; `normal` announces that the pressure is over.
    package var level = PressureLevel.normal
    /// The hosts to warn.
    package var target = Target.all
    /// The bytes wanted of each host; 0 for no amount.
    package var bytesWanted: UInt64 = 0
    /// The deadline for answers, in milliseconds; 0 for the daemon's default.
    package var deadline: UInt32 = 0

    /// Creates a request for a warning without pressure.
    package init(level: PressureLevel, target: Target = .all, bytesWanted: UInt64 = 0, deadline: UInt32 = 0) {
        self.level = level
        self.target = target
        self.bytesWanted = bytesWanted
        self.deadline = deadline
    }

    package init() {}

    /// The byte on the wire for the kind of target.
    private enum TargetKind: UInt8 {
        case all = 0
        case name = 1
        case pid = 2
        case cgroup = 3

        /// The permitted length of the text field.
        var limit: ClosedRange<Int> {
            switch self {
            case .name: TextLimit.name
            case .cgroup: TextLimit.path
            case .all, .pid: 0...0
            }
        }
    }

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        var (kind, pid, name): (TargetKind, UInt32, String) =
            switch target {
            case .all: (.all, 0, "")
            case .name(let name): (.name, 0, name)
            case .pid(let pid): (.pid, pid, "")
            case .cgroup(let path): (.cgroup, 0, path)
            }
        try fields.choice(&level, "level")
        try fields.choice(&kind, "target")
        try fields.integer(&pid, "pid")
        try fields.integer(&bytesWanted, "bytesWanted", in: .bytes)
        try fields.integer(&deadline, "deadline", in: .milliseconds)
        // A frame with both a name and another target is refused: a guess could warn the wrong hosts.
        try fields.text(&name, "name", within: kind.limit)
        target =
            switch kind {
            case .all: .all
            case .name: .name(name)
            case .pid: .pid(pid)
            case .cgroup: .cgroup(name)
            }
    }
}
