public import MemoryPressure

/// The daemon as a whole.
public struct DaemonRecord: Equatable, Sendable {
    /// Its process number.
    public var pid: UInt32
    /// How long it has run, in milliseconds.
    public var uptime: UInt64
    /// The worst level of all scopes.
    public var level: PressureLevel
    /// How many hosts are registered.
    public var hosts: UInt32
    /// How many scopes are watched.
    public var scopes: UInt32
    /// How many rounds there have been since it started.
    public var rounds: UInt64
    /// Its version, within ``TextLimit/version``.
    public var version: String
    /// The ways in, and why one of them is closed, within ``TextLimit/message``; for people.
    public var doors: String

    /// A record of the daemon.
    public init(
        pid: UInt32,
        uptime: UInt64,
        level: PressureLevel,
        hosts: UInt32,
        scopes: UInt32,
        rounds: UInt64,
        version: String,
        doors: String = ""
    ) {
        self.pid = pid
        self.uptime = uptime
        self.level = level
        self.hosts = hosts
        self.scopes = scopes
        self.rounds = rounds
        self.version = version
        self.doors = doors
    }
}

extension DaemonRecord {
    init(from reader: inout FrameReader) throws(FrameError) {
        pid = try reader.integer("pid")
        uptime = try reader.integer("uptime")
        level = try reader.choice("level")
        hosts = try reader.integer("hosts")
        scopes = try reader.integer("scopes")
        rounds = try reader.integer("rounds")
        version = try reader.text("version", within: TextLimit.version)
        doors = try reader.text("doors", within: TextLimit.message)
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(pid)
        try writer.put(uptime)
        try writer.put(level)
        try writer.put(hosts)
        try writer.put(scopes)
        try writer.put(rounds)
        try writer.put(version, "version", within: TextLimit.version)
        try writer.put(doors, "doors", within: TextLimit.message)
    }
}
