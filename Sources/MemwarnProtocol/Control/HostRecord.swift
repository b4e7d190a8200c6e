package import MemoryPressure

/// One host: its identity, and its part in its last round.
package struct HostRecord: FrameBody, Equatable, Sendable {
    /// The outcome of the last warning to a host.
    package enum Outcome: UInt8, CaseIterable, Sendable {
        /// There was no warning yet, or none that wanted an answer.
        case none = 0
        /// It was sent, and the deadline has not passed.
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

    /// The door by which a host came in.
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
    /// Its process ID, from the socket's credentials.
    package var pid: UInt32 = 0
    /// Its user ID, from the socket's credentials.
    package var uid: UInt32 = 0
    /// Its position in the order of warnings: 0 first, 255 last.
    package var priority: UInt8 = 0
    /// The level that was sent to it last.
    package var level: PressureLevel = .normal
    /// The bytes that it could release by its own last statement; 0 if nothing or unknown.
    package var releasable: UInt64 = 0
    /// The round that the fields from ``outcome`` to ``duration`` describe; 0 for none.
    package var lastRound: UInt64 = 0
    /// The outcome of the warning in that round.
    package var outcome: Outcome = .none
    /// The bytes that the host claims to have released in that round.
    package var released: UInt64 = 0
    /// Its resident memory before the round by its own statement, in bytes.
    package var residentBefore: UInt64 = 0
    /// Its resident memory after the round by its own statement, in bytes.
    package var residentAfter: UInt64 = 0
    /// The time it took by its own statement, in microseconds.
    package var duration: UInt64 = 0
    /// Its name, within ``TextLimit/name``.
    ///
    /// The text comes from a client: escape it before printing.
    package var name = ""
    /// The scope that it is in: `/` or the path of a cgroup, within ``TextLimit/path``.
    package var scope = ""
    /// The door by which it came in.
    package var door: Door = .native
    /// The allocator behind malloc(3) in its process, as it stated when it registered.
    package var allocator: HostAllocator = .unstated

    /// Creates a record of a host.
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
        // Peers older than the field do not send it.
        guard !fields.isAtEnd else { return }
        try fields.choice(&allocator, "allocator", unknown: .unstated)
    }
}
