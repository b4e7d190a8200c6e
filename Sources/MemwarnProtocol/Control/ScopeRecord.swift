package import MemoryPressure

/// One scope: its state, and how it is watched.
package struct ScopeRecord: FrameBody, Equatable, Sendable {
    /// How the scope's pressure is measured, best first.
    package enum Rung: UInt8, CaseIterable, Sendable {
        /// Not at all.
        case none = 0
        /// By a PSI trigger with a short window, which requires `CAP_SYS_RESOURCE`.
        case privileged = 1
        /// By a PSI trigger with a window of two seconds or a multiple, which any user may have.
        case unprivileged = 2
        /// By reading the totals at intervals.
        case polling = 3
        /// Without PSI, by the events of the cgroup's limits.
        case events = 4
        /// Without PSI and events, by how much of the tightest limit is used.
        case usage = 5
        /// Without a limit as well, by the machine's available memory.
        case available = 6
    }

    /// The scope's number; not used again while the daemon runs.
    package var id: UInt64 = 0
    /// Whether the scope is still watched.
    package var state: RecordState = .gone
    /// Its level.
    package var level: PressureLevel = .normal
    /// Why it has that level.
    package var reason = PressureReason(.unknown)
    /// How long it has had that level, in milliseconds.
    package var since: UInt64 = 0
    /// How its pressure is measured.
    package var rung: Rung = .none
    /// The window of the trigger or the interval of the polling, in microseconds.
    package var window: UInt32 = 0
    /// How many hosts are registered in it.
    package var hosts: UInt32 = 0
    /// PSI `some`: the stall time so far, in microseconds.
    package var someTotal: UInt64 = 0
    /// PSI `full`: the stall time so far, in microseconds.
    package var fullTotal: UInt64 = 0
    /// How many kernel events were not believed, because the totals had not grown by the threshold.
    package var suppressed: UInt64 = 0
    /// `/` for the whole machine, else the path of the cgroup; within ``TextLimit/path``.
    package var path = ""
    /// Why the rung is no better, for people, within ``TextLimit/message``.
    ///
    /// Empty on the best rung.
    package var rungReason = ""
    /// The share of the last ten seconds in which at least one task stalled.
    package var someAverage = Share.zero
    /// The share of the last ten seconds in which all tasks stalled.
    package var fullAverage = Share.zero
    /// How often the cgroup and those below it were throttled at `memory.high` so far.
    package var highEvents: UInt64 = 0
    /// How often they reached `memory.max` so far.
    package var maxEvents: UInt64 = 0
    /// The time until its headroom is read again without an event, in microseconds; 0 if it is not read.
    package var sampling: UInt64 = 0
    /// The bytes used of ``limit``.
    package var used: UInt64 = 0
    /// The limit that binds it; `nil` if there is none, or it is unknown.
    package var limit: BindingLimit?

    /// Creates a record of a scope.
    package init(
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

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integer(&id, "id")
        try fields.choice(&state, "state")
        try fields.choice(&level, "level")
        try fields.reason(&reason)
        try fields.integer(&since, "since", in: .milliseconds)
        try fields.choice(&rung, "rung")
        try fields.integer(&window, "window", in: .microseconds)
        try fields.integer(&hosts, "hosts")
        try fields.integer(&someTotal, "someTotal", in: .microseconds)
        try fields.integer(&fullTotal, "fullTotal", in: .microseconds)
        try fields.integer(&suppressed, "suppressed")
        try fields.text(&path, "path", within: TextLimit.path)
        try fields.text(&rungReason, "rungReason", within: TextLimit.message)
        try fields.share(&someAverage, "someAverage")
        try fields.share(&fullAverage, "fullAverage")
        try fields.integer(&highEvents, "highEvents")
        try fields.integer(&maxEvents, "maxEvents")
        try fields.integer(&sampling, "sampling", in: .microseconds)
        try fields.integer(&used, "used", in: .bytes)
        try fields.limit(&limit)
    }
}
