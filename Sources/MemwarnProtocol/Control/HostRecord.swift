public import MemoryPressure

/// One host: which it is, and how its last round went.
public struct HostRecord: Equatable, Sendable {
    /// What became of the last warning to a host.
    public enum Outcome: UInt8, CaseIterable, Sendable {
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
    public enum Door: UInt8, CaseIterable, Sendable {
        /// The socket of this protocol.
        case native = 0
        /// The socket for `$MEMORY_PRESSURE_WATCH`, where a warning is a byte and there are no answers.
        case pressure = 1
    }

    /// The host's number, as in its ``Welcome``.
    public var id: UInt64
    /// Whether the host is still registered.
    public var state: RecordState
    /// Its process, by the socket's credentials.
    public var pid: UInt32
    /// Its user, by the socket's credentials.
    public var uid: UInt32
    /// When it is asked: 0 first, 255 last.
    public var priority: UInt8
    /// The level that it was told last.
    public var level: PressureLevel
    /// What it said last that it could release, in bytes; 0 if nothing or not known.
    public var releasable: UInt64
    /// The round that the fields from ``outcome`` to ``duration`` are about; 0 for none.
    public var lastRound: UInt64
    /// What became of the warning in that round.
    public var outcome: Outcome
    /// What the host says it released in that round, in bytes.
    public var released: UInt64
    /// What it says was resident before, in bytes.
    public var residentBefore: UInt64
    /// What it says was resident afterwards, in bytes.
    public var residentAfter: UInt64
    /// How long it says it took, in microseconds.
    public var duration: UInt64
    /// Its name, within ``TextLimit/name``.
    ///
    /// It is text from a client: escape it before it is printed.
    public var name: String
    /// The scope that it is in: `/` or the path of a cgroup, within ``TextLimit/path``.
    public var scope: String
    /// The way in by which it came.
    public var door: Door
    /// What is behind malloc(3) in its process, as it said when it registered.
    public var allocator: HostAllocator

    /// A record of a host.
    public init(
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
}

extension HostRecord {
    init(from reader: inout FrameReader) throws(FrameError) {
        id = try reader.integer("id")
        state = try reader.choice("state")
        pid = try reader.integer("pid")
        uid = try reader.integer("uid")
        priority = try reader.integer("priority")
        level = try reader.choice("level")
        releasable = try reader.integer("releasable")
        lastRound = try reader.integer("lastRound")
        outcome = try reader.choice("outcome")
        released = try reader.integer("released")
        residentBefore = try reader.integer("residentBefore")
        residentAfter = try reader.integer("residentAfter")
        duration = try reader.integer("duration")
        name = try reader.text("name", within: TextLimit.name)
        scope = try reader.text("scope", within: TextLimit.path)
        door = try reader.choice("door")
        allocator = try reader.allocator()
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(id)
        try writer.put(state)
        try writer.put(pid)
        try writer.put(uid)
        try writer.put(priority)
        try writer.put(level)
        try writer.put(releasable)
        try writer.put(lastRound)
        try writer.put(outcome)
        try writer.put(released)
        try writer.put(residentBefore)
        try writer.put(residentAfter)
        try writer.put(duration)
        try writer.put(name, "name", within: TextLimit.name)
        try writer.put(scope, "scope", within: TextLimit.path)
        try writer.put(door)
        try writer.put(allocator)
    }
}
