package import MemoryPressure

/// The daemon's answer to a registration: the present level, so that a host that registers late misses nothing.
package struct Welcome: FrameBody, Equatable, Sendable {
    /// The number of the host until its connection ends; never 0 and not used again while the daemon runs.
    package var hostID: UInt64 = 0
    /// The level of the host's scope now.
    ///
    /// It is not a warning, and the host does not acknowledge it.
    package var level: PressureLevel = .normal
    /// Why the scope has that level.
    package var reason = PressureReason(.unknown)
    /// The scope of the host: `/` for the whole machine, otherwise the path of a cgroup.
    package var scope = ""

    /// Creates an answer to a registration.
    package init(hostID: UInt64, level: PressureLevel, reason: PressureReason, scope: String) {
        self.hostID = hostID
        self.level = level
        self.reason = reason
        self.scope = scope
    }

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integer(&hostID, "hostID")
        try fields.choice(&level, "level")
        try fields.reason(&reason)
        try fields.text(&scope, "scope", within: TextLimit.path)
        try fields.limit(&reason.limit)
    }
}
