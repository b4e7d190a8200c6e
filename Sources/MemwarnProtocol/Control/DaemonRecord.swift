package import MemoryPressure

/// The daemon as a whole.
package struct DaemonRecord: FrameBody, Equatable, Sendable {
    /// Its process ID.
    package var pid: UInt32 = 0
    /// How long it has run, in milliseconds.
    package var uptime: UInt64 = 0
    /// The worst level of all scopes.
    package var level: PressureLevel = .normal
    /// How many hosts are registered.
    package var hosts: UInt32 = 0
    /// How many scopes are watched.
    package var scopes: UInt32 = 0
    /// The number of rounds since it started.
    package var rounds: UInt64 = 0
    /// Its version, within ``TextLimit/version``.
    package var version = ""
    /// The doors, and why one of them is closed, within ``TextLimit/message``; for people.
    package var doors = ""
    /// The parts of the configuration that are not in force, and why, within ``TextLimit/message``; empty if everything
    /// is in force; for people.
    package var refusal = ""

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integer(&pid, "pid")
        try fields.integer(&uptime, "uptime", in: .milliseconds)
        try fields.choice(&level, "level")
        try fields.integer(&hosts, "hosts")
        try fields.integer(&scopes, "scopes")
        try fields.integer(&rounds, "rounds")
        try fields.text(&version, "version", within: TextLimit.version)
        try fields.text(&doors, "doors", within: TextLimit.message)
        // Daemons older than the field do not send it.
        guard !fields.isAtEnd else { return }
        try fields.text(&refusal, "refusal", within: TextLimit.message)
    }
}
