public import MemoryPressure

/// The daemon's answer to a registration: how things stand, so that a host that comes late misses nothing.
public struct Welcome: Equatable, Sendable {
    /// The number of the host until its connection ends; never 0 and not used again while the daemon runs.
    public var hostID: UInt64
    /// The level of the host's scope now.
    ///
    /// It is not a warning and not acknowledged.
    public var level: PressureLevel
    /// Why the scope has that level.
    public var reason: PressureReason
    /// The scope that the host was put in: `/` for the whole machine, else the path of a cgroup.
    public var scope: String

    /// An answer to a registration.
    public init(hostID: UInt64, level: PressureLevel, reason: PressureReason, scope: String) {
        self.hostID = hostID
        self.level = level
        self.reason = reason
        self.scope = scope
    }
}

extension Welcome {
    init(from reader: inout FrameReader) throws(FrameError) {
        hostID = try reader.integer("hostID")
        level = try reader.choice("level")
        reason = try reader.reason()
        scope = try reader.text("scope", within: TextLimit.path)
        reason.limit = try reader.limit()
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(hostID)
        try writer.put(level)
        try writer.put(reason)
        try writer.put(scope, "scope", within: TextLimit.path)
        try writer.put(reason.limit)
    }
}
