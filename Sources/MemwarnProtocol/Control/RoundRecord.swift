public import MemoryPressure

/// One round: a warning from its first sending to its last answer, and what came of it.
public struct RoundRecord: Equatable, Sendable {
    /// Whether more answers can come.
    public enum State: UInt8, CaseIterable, Sendable {
        /// Hosts are still to be asked or to answer; the counts can grow.
        case running = 0
        /// Nothing changes any more.
        case finished = 1
    }

    /// The round's number, which is the sequence of its warnings; never 0.
    public var id: UInt64
    /// Whether more answers can come.
    public var state: State
    /// The level that was announced.
    public var level: PressureLevel
    /// The options of its warnings.
    public var options: WarningOptions
    /// Why there was a round.
    public var reason: PressureReason
    /// What was wanted of all hosts together, in bytes; 0 if it was not known.
    public var bytesWanted: UInt64
    /// How many hosts were addressed.
    public var hosts: UInt32
    /// How many of them answered in time.
    public var answered: UInt32
    /// How many let the deadline pass.
    public var silent: UInt32
    /// How many could not be reached.
    public var undeliverable: UInt32
    /// What the hosts say they released, in bytes.
    public var released: UInt64
    /// By how much the hosts' resident memory fell, in bytes.
    public var residentFreed: UInt64
    /// How long ago the round began, in milliseconds.
    public var age: UInt64
    /// How long the round took, or has taken so far, in microseconds.
    public var duration: UInt64
    /// The scope under pressure: `/` or the path of a cgroup, within ``TextLimit/path``.
    public var scope: String
    /// How many stages it was planned in.
    public var stages: UInt8
    /// How many of them have begun; fewer at its end where the pressure was gone before the others.
    public var stage: UInt8
    /// How many hosts were told through a door that takes no answers.
    public var unacknowledged: UInt32
    /// What was used of the scope's limit before, in bytes; 0 if it is not known.
    public var usedBefore: UInt64
    /// What was used of it afterwards, in bytes; 0 if it is not known.
    public var usedAfter: UInt64
    /// The share of time in which tasks stalled before.
    public var stallsBefore: Share
    /// The share of time in which tasks stalled from the last answer on.
    public var stallsAfter: Share
    /// Within which time half of those that answered did, in microseconds.
    public var medianAnswer: UInt64
    /// How long the slowest answer took, in microseconds.
    public var slowestAnswer: UInt64

    /// A record of a round.
    public init(
        id: UInt64,
        state: State,
        level: PressureLevel,
        options: WarningOptions,
        reason: PressureReason,
        bytesWanted: UInt64,
        hosts: UInt32,
        answered: UInt32,
        silent: UInt32,
        undeliverable: UInt32,
        released: UInt64,
        residentFreed: UInt64,
        age: UInt64,
        duration: UInt64,
        scope: String,
        stages: UInt8 = 1,
        stage: UInt8 = 1,
        unacknowledged: UInt32 = 0,
        usedBefore: UInt64 = 0,
        usedAfter: UInt64 = 0,
        stallsBefore: Share = .zero,
        stallsAfter: Share = .zero,
        medianAnswer: UInt64 = 0,
        slowestAnswer: UInt64 = 0
    ) {
        self.id = id
        self.state = state
        self.level = level
        self.options = options
        self.reason = reason
        self.bytesWanted = bytesWanted
        self.hosts = hosts
        self.answered = answered
        self.silent = silent
        self.undeliverable = undeliverable
        self.released = released
        self.residentFreed = residentFreed
        self.age = age
        self.duration = duration
        self.scope = scope
        self.stages = stages
        self.stage = stage
        self.unacknowledged = unacknowledged
        self.usedBefore = usedBefore
        self.usedAfter = usedAfter
        self.stallsBefore = stallsBefore
        self.stallsAfter = stallsAfter
        self.medianAnswer = medianAnswer
        self.slowestAnswer = slowestAnswer
    }
}

extension RoundRecord {
    init(from reader: inout FrameReader) throws(FrameError) {
        id = try reader.integer("id")
        state = try reader.choice("state")
        level = try reader.choice("level")
        options = try reader.options()
        reason = try reader.reason()
        bytesWanted = try reader.integer("bytesWanted")
        hosts = try reader.integer("hosts")
        answered = try reader.integer("answered")
        silent = try reader.integer("silent")
        undeliverable = try reader.integer("undeliverable")
        released = try reader.integer("released")
        residentFreed = try reader.integer("residentFreed")
        age = try reader.integer("age")
        duration = try reader.integer("duration")
        scope = try reader.text("scope", within: TextLimit.path)
        stages = try reader.integer("stages")
        stage = try reader.integer("stage")
        unacknowledged = try reader.integer("unacknowledged")
        usedBefore = try reader.integer("usedBefore")
        usedAfter = try reader.integer("usedAfter")
        stallsBefore = Share(basisPoints: try reader.integer("stallsBefore"))
        stallsAfter = Share(basisPoints: try reader.integer("stallsAfter"))
        medianAnswer = try reader.integer("medianAnswer")
        slowestAnswer = try reader.integer("slowestAnswer")
        reason.limit = try reader.limit()
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(id)
        try writer.put(state)
        try writer.put(level)
        try writer.put(options)
        try writer.put(reason)
        try writer.put(bytesWanted)
        try writer.put(hosts)
        try writer.put(answered)
        try writer.put(silent)
        try writer.put(undeliverable)
        try writer.put(released)
        try writer.put(residentFreed)
        try writer.put(age)
        try writer.put(duration)
        try writer.put(scope, "scope", within: TextLimit.path)
        try writer.put(stages)
        try writer.put(stage)
        try writer.put(unacknowledged)
        try writer.put(usedBefore)
        try writer.put(usedAfter)
        try writer.put(stallsBefore.basisPoints)
        try writer.put(stallsAfter.basisPoints)
        try writer.put(medianAnswer)
        try writer.put(slowestAnswer)
        try writer.put(reason.limit)
    }
}
