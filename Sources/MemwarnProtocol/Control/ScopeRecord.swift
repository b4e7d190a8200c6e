public import MemoryPressure

/// One scope: how it stands, and how it is watched.
public struct ScopeRecord: Equatable, Sendable {
    /// How the scope's pressure is learned, best first.
    public enum Rung: UInt8, CaseIterable, Sendable {
        /// Not at all.
        case none = 0
        /// By a PSI trigger with a short window, which takes `CAP_SYS_RESOURCE`.
        case privileged = 1
        /// By a PSI trigger with a window of two seconds or a multiple, as anyone may have.
        case unprivileged = 2
        /// By reading the totals at intervals.
        case polling = 3
    }

    /// The scope's number; not used again while the daemon runs.
    public var id: UInt64
    /// Whether the scope is still watched.
    public var state: RecordState
    /// Its level.
    public var level: PressureLevel
    /// Why it has that level.
    public var reason: PressureReason
    /// How long it has had that level, in milliseconds.
    public var since: UInt64
    /// How its pressure is learned.
    public var rung: Rung
    /// The window of the trigger or the interval of the polling, in microseconds.
    public var window: UInt32
    /// How many hosts are registered in it.
    public var hosts: UInt32
    /// PSI `some`: the stall time so far, in microseconds.
    public var someTotal: UInt64
    /// PSI `full`: the stall time so far, in microseconds.
    public var fullTotal: UInt64
    /// How many kernel events were not believed, because the totals had not grown by the threshold.
    public var suppressed: UInt64
    /// `/` for the whole machine, else the path of the cgroup; within ``TextLimit/path``.
    public var path: String
    /// Why it is this rung and no better, for people, within ``TextLimit/message``.
    ///
    /// Empty if there is no better.
    public var rungReason: String

    /// A record of a scope.
    public init(
        id: UInt64,
        state: RecordState,
        level: PressureLevel,
        reason: PressureReason,
        since: UInt64,
        rung: Rung,
        window: UInt32,
        hosts: UInt32,
        someTotal: UInt64,
        fullTotal: UInt64,
        suppressed: UInt64,
        path: String,
        rungReason: String
    ) {
        self.id = id
        self.state = state
        self.level = level
        self.reason = reason
        self.since = since
        self.rung = rung
        self.window = window
        self.hosts = hosts
        self.someTotal = someTotal
        self.fullTotal = fullTotal
        self.suppressed = suppressed
        self.path = path
        self.rungReason = rungReason
    }
}

extension ScopeRecord {
    init(from reader: inout FrameReader) throws(FrameError) {
        id = try reader.integer("id")
        state = try reader.choice("state")
        level = try reader.choice("level")
        reason = try reader.reason()
        since = try reader.integer("since")
        rung = try reader.choice("rung")
        window = try reader.integer("window")
        hosts = try reader.integer("hosts")
        someTotal = try reader.integer("someTotal")
        fullTotal = try reader.integer("fullTotal")
        suppressed = try reader.integer("suppressed")
        path = try reader.text("path", within: TextLimit.path)
        rungReason = try reader.text("rungReason", within: TextLimit.message)
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(id)
        try writer.put(state)
        try writer.put(level)
        try writer.put(reason)
        try writer.put(since)
        try writer.put(rung)
        try writer.put(window)
        try writer.put(hosts)
        try writer.put(someTotal)
        try writer.put(fullTotal)
        try writer.put(suppressed)
        try writer.put(path, "path", within: TextLimit.path)
        try writer.put(rungReason, "rungReason", within: TextLimit.message)
    }
}
