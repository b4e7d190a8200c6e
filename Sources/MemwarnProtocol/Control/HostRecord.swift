package import MemoryPressure

/// One host: which it is, and how its last round went.
package struct HostRecord: FrameBody, Equatable, Sendable {
    /// What became of the last warning to a host.
    package enum Outcome: UInt8, CaseIterable, Sendable {
        /// There was none yet, or none that wanted an answer.
        case none = 0
        /// It was sent, and the deadline is not over.
        case awaiting = 1
        /// The host answered in time.
        case answered = 2
        /// The deadline passed without an answer.
        case silent = 3
        /// It could not be sent: the host's socket was full.
        case undeliverable = 4
        /// It was sent through a door that takes no answers.
        case unacknowledged = 5
    }

    /// The way in by which a host came.
    package enum Door: UInt8, CaseIterable, Sendable {
        /// The socket of this protocol.
        case native = 0
        /// The socket for `$MEMORY_PRESSURE_WATCH`, where a warning is a byte and there are no answers.
        case pressure = 1
    }

    /// The host's number, as in its ``Welcome``.
    package var id: UInt64 = 0
    /// Whether the host is still registered.
    package var state: RecordState = .gone
    /// Its process, by the socket's credentials.
    package var pid: UInt32 = 0
    /// Its user, by the socket's credentials.
    package var uid: UInt32 = 0
    /// When it is asked: 0 first, 255 last.
    package var priority: UInt8 = 0
    /// The level that it was told last.
    package var level: PressureLevel = .normal
    /// What it said last that it could release, in bytes; 0 if nothing or not known.
    package var releasable: UInt64 = 0
    /// The round that the fields from ``outcome`` to ``duration`` are about; 0 for none.
    package var lastRound: UInt64 = 0
    /// What became of the warning in that round.
    package var outcome: Outcome = .none
    /// What the host says it released in that round, in bytes.
    package var released: UInt64 = 0
    /// What it says was resident before, in bytes.
    package var residentBefore: UInt64 = 0
    /// What it says was resident afterwards, in bytes.
    package var residentAfter: UInt64 = 0
    /// How long it says it took, in microseconds.
    package var duration: UInt64 = 0
    /// Its name, within ``TextLimit/name``.
    ///
    /// It is text from a client: escape it before it is printed.
    package var name = ""
    /// The scope that it is in: `/` or the path of a cgroup, within ``TextLimit/path``.
    package var scope = ""
    /// The way in by which it came.
    package var door: Door = .native
    /// What is behind malloc(3) in its process, as it said when it registered.
    package var allocator: HostAllocator = .unstated

    /// A record of a host.
    package init(
        id: UInt64,
        state: RecordState,
        pid: UInt32,
        uid: UInt32,
        priority: UInt8,
        level: PressureLevel,
        releasable: UInt64,
        lastRound: UInt64,
        outcome: Outcome,
        released: UInt64,
        residentBefore: UInt64,
        residentAfter: UInt64,
        duration: UInt64,
        name: String,
        scope: String,
        door: Door = .native,
        allocator: HostAllocator = .unstated
    ) {
        self.id = id
        self.state = state
        self.pid = pid
        self.uid = uid
        self.priority = priority
        self.level = level
        self.releasable = releasable
        self.lastRound = lastRound
        self.outcome = outcome
        self.released = released
        self.residentBefore = residentBefore
        self.residentAfter = residentAfter
        self.duration = duration
        self.name = name
        self.scope = scope
        self.door = door
        self.allocator = allocator
    }

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integer(&id, "id")
        try fields.choice(&state, "state")
        try fields.integer(&pid, "pid")
        try fields.integer(&uid, "uid")
        try fields.integer(&priority, "priority")
        try fields.choice(&level, "level")
        try fields.integer(&releasable, "releasable", in: .bytes)
        try fields.integer(&lastRound, "lastRound")
        try fields.choice(&outcome, "outcome")
        try fields.integer(&released, "released", in: .bytes)
        try fields.integer(&residentBefore, "residentBefore", in: .bytes)
        try fields.integer(&residentAfter, "residentAfter", in: .bytes)
        try fields.integer(&duration, "duration", in: .microseconds)
        try fields.text(&name, "name", within: TextLimit.name)
        try fields.text(&scope, "scope", within: TextLimit.path)
        try fields.choice(&door, "door")
        // Peers that were there before the field do not send it.
        guard !fields.isAtEnd else { return }
        try fields.choice(&allocator, "allocator", unknown: .unstated)
    }
}
