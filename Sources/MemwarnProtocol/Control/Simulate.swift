public import MemoryPressure

/// A request for a warning without pressure, so that a service can be tested.
///
/// The answer is a ``RoundRecord`` that is running and, when every answer is in or the deadline is over, the same one
/// finished; or a ``Refusal``.
public struct Simulate: Equatable, Sendable {
    /// Which hosts are warned.
    public enum Target: Equatable, Sendable {
        /// Every host that the client's user may warn.
        case all
        /// The hosts of this name, which is within ``TextLimit/name``.
        case name(String)
        /// The hosts of this process, by its number as the daemon sees it.
        case pid(UInt32)
        /// The hosts in the cgroup with this path and below it; the path is within ``TextLimit/path``.
        case cgroup(String)
    }

    /// The level to announce; `normal` announces that the pressure is over.
    public var level: PressureLevel
    /// Which hosts are warned.
    public var target: Target
    /// What the warning asks each host for, in bytes; 0 if it asks for no amount.
    public var bytesWanted: UInt64
    /// How long hosts have to answer, in milliseconds; 0 takes the daemon's own.
    public var deadline: UInt32

    /// A request for a warning without pressure.
    public init(level: PressureLevel, target: Target = .all, bytesWanted: UInt64 = 0, deadline: UInt32 = 0) {
        self.level = level
        self.target = target
        self.bytesWanted = bytesWanted
        self.deadline = deadline
    }
}

extension Simulate {
    /// The byte on the wire for the kind of target.
    private enum TargetKind: UInt8 {
        case all = 0
        case name = 1
        case pid = 2
        case cgroup = 3

        /// What stands in the field for a text.
        var limit: ClosedRange<Int> {
            switch self {
            case .name: TextLimit.name
            case .cgroup: TextLimit.path
            case .all, .pid: 0...0
            }
        }
    }

    init(from reader: inout FrameReader) throws(FrameError) {
        level = try reader.choice("level")
        let kind: TargetKind = try reader.choice("target")
        let pid: UInt32 = try reader.integer("pid")
        bytesWanted = try reader.integer("bytesWanted")
        deadline = try reader.integer("deadline")
        // A name beside another target is refused: guessing which was meant would warn the wrong hosts.
        let name = try reader.text("name", within: kind.limit)
        target =
            switch kind {
            case .all: .all
            case .name: .name(name)
            case .pid: .pid(pid)
            case .cgroup: .cgroup(name)
            }
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        let (kind, pid, name): (TargetKind, UInt32, String) =
            switch target {
            case .all: (.all, 0, "")
            case .name(let name): (.name, 0, name)
            case .pid(let pid): (.pid, pid, "")
            case .cgroup(let path): (.cgroup, 0, path)
            }
        try writer.put(level)
        try writer.put(kind)
        try writer.put(pid)
        try writer.put(bytesWanted)
        try writer.put(deadline)
        try writer.put(name, "name", within: kind.limit)
    }
}
