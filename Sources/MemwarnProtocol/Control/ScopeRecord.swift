public import MemoryPressure

/// One scope: how it stands, and how it is watched.
public struct ScopeRecord: Equatable, Sendable {
    /// How the scope's pressure is learned, best first.
    public enum Rung: UInt8, CaseIterable, Sendable {
        /// Not at all.
        case none = 0
        /// By a PSI trigger with a short window, which takes `CAP_SYS_RESOURCE`.
        case privileged = 1
        /// By a PSI trigger with a window of two seconds or a multiple, as any user may have.
        case unprivileged = 2
        /// By reading the totals at intervals.
        case polling = 3
        /// Without PSI, by the events of the cgroup's limits.
        case events = 4
        /// Without PSI and events, by how much of the tightest limit is used.
        case usage = 5
        /// Without a limit as well: by how much memory the machine has available.
        case available = 6
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
    /// The share of the last ten seconds in which at least one task stalled.
    public var someAverage: Share
    /// The share of the last ten seconds in which all tasks stalled.
    public var fullAverage: Share
    /// How often it was throttled at `memory.high` so far, itself and what is below it.
    public var highEvents: UInt64
    /// How often it ran into `memory.max` so far.
    public var maxEvents: UInt64
    /// How long until its headroom is looked at again without an event, in microseconds; 0 if it is not.
    public var sampling: UInt64
    /// What is used of ``limit``, in bytes.
    public var used: UInt64
    /// The limit that binds it; `nil` if there is none, or it is not known.
    public var limit: BindingLimit?

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
        rungReason: String,
        someAverage: Share = .zero,
        fullAverage: Share = .zero,
        highEvents: UInt64 = 0,
        maxEvents: UInt64 = 0,
        sampling: UInt64 = 0,
        used: UInt64 = 0,
        limit: BindingLimit? = nil
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
        self.someAverage = someAverage
        self.fullAverage = fullAverage
        self.highEvents = highEvents
        self.maxEvents = maxEvents
        self.sampling = sampling
        self.used = used
        self.limit = limit
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
        someAverage = Share(basisPoints: try reader.integer("someAverage"))
        fullAverage = Share(basisPoints: try reader.integer("fullAverage"))
        highEvents = try reader.integer("highEvents")
        maxEvents = try reader.integer("maxEvents")
        sampling = try reader.integer("sampling")
        used = try reader.integer("used")
        limit = try reader.limit()
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
        try writer.put(someAverage.basisPoints)
        try writer.put(fullAverage.basisPoints)
        try writer.put(highEvents)
        try writer.put(maxEvents)
        try writer.put(sampling)
        try writer.put(used)
        try writer.put(limit)
    }
}
