package import MemoryPressure

/// One round: a warning from its first sending to its last answer, and its results.
package struct RoundRecord: FrameBody, Equatable, Sendable {
    /// Whether the round can still receive answers.
    package enum State: UInt8, CaseIterable, Sendable {
        /// Some hosts have not been warned or have not answered yet; the counts can grow.
        case running = 0
        /// Nothing changes any more.
        case finished = 1
    }

    /// The round's number, which is the sequence of its warnings; never 0.
    package var id: UInt64 = 0
    /// Whether the round can still receive answers.
    package var state: State = .running
    /// The announced level.
    package var level: PressureLevel = .normal
    /// The options of its warnings.
    package var options: WarningOptions = []
    /// The reason for the round.
    package var reason = PressureReason(.unknown)
    /// The bytes wanted of all hosts together; 0 if unknown.
    package var bytesWanted: UInt64 = 0
    /// How many hosts were addressed.
    package var hosts: UInt32 = 0
    /// How many of them answered in time.
    package var answered: UInt32 = 0
    /// How many let the deadline pass.
    package var silent: UInt32 = 0
    /// How many could not be reached.
    package var undeliverable: UInt32 = 0
    /// The bytes that the hosts claim to have released.
    package var released: UInt64 = 0
    /// The bytes by which the hosts' resident memory fell.
    package var residentFreed: UInt64 = 0
    /// How long ago the round began, in milliseconds.
    package var age: UInt64 = 0
    /// How long the round took, or has taken so far, in microseconds.
    package var duration: UInt64 = 0
    /// The scope under pressure: `/` or the path of a cgroup, within ``TextLimit/path``.
    package var scope = ""
    /// The number of planned stages.
    package var stages: UInt8 = 1
    /// The number of stages that have begun; fewer than planned at the end of the round if the pressure ended earlier.
    package var stage: UInt8 = 1
    /// How many hosts were warned through a door that takes no answers.
    package var unacknowledged: UInt32 = 0
    /// The bytes used of the scope's limit before the round; 0 if unknown.
    package var usedBefore: UInt64 = 0
    /// The bytes used of it after the round; 0 if unknown.
    package var usedAfter: UInt64 = 0
    /// The share of time in which tasks stalled before the round.
    package var stallsBefore = Share.zero
    /// The share of time in which tasks stalled from the last answer on.
    package var stallsAfter = Share.zero
    /// The median time of the answers, in microseconds.
    package var medianAnswer: UInt64 = 0
    /// How long the slowest answer took, in microseconds.
    package var slowestAnswer: UInt64 = 0

    /// Creates a record of a round.
    package init(
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

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integer(&id, "id")
        try fields.choice(&state, "state")
        try fields.choice(&level, "level")
        try fields.flags(&options, "flags", known: .known)
        try fields.reason(&reason)
        try fields.integer(&bytesWanted, "bytesWanted", in: .bytes)
        try fields.integer(&hosts, "hosts")
        try fields.integer(&answered, "answered")
        try fields.integer(&silent, "silent")
        try fields.integer(&undeliverable, "undeliverable")
        try fields.integer(&released, "released", in: .bytes)
        try fields.integer(&residentFreed, "residentFreed", in: .bytes)
        try fields.integer(&age, "age", in: .milliseconds)
        try fields.integer(&duration, "duration", in: .microseconds)
        try fields.text(&scope, "scope", within: TextLimit.path)
        try fields.integer(&stages, "stages")
        try fields.integer(&stage, "stage")
        try fields.integer(&unacknowledged, "unacknowledged")
        try fields.integer(&usedBefore, "usedBefore", in: .bytes)
        try fields.integer(&usedAfter, "usedAfter", in: .bytes)
        try fields.share(&stallsBefore, "stallsBefore")
        try fields.share(&stallsAfter, "stallsAfter")
        try fields.integer(&medianAnswer, "medianAnswer", in: .microseconds)
        try fields.integer(&slowestAnswer, "slowestAnswer", in: .microseconds)
        try fields.limit(&reason.limit)
    }
}
