package import MemoryPressure

/// One round: a warning from its first sending to its last answer, and what came of it.
package struct RoundRecord: FrameBody, Equatable, Sendable {
    /// Whether more answers can come.
    package enum State: UInt8, CaseIterable, Sendable {
        /// Hosts are still to be asked or to answer; the counts can grow.
        case running = 0
        /// Nothing changes any more.
        case finished = 1
    }

    /// The round's number, which is the sequence of its warnings; never 0.
    package var id: UInt64 = 0
    /// Whether more answers can come.
    package var state: State = .running
    /// The level that was announced.
    package var level: PressureLevel = .normal
    /// The options of its warnings.
    package var options: WarningOptions = []
    /// Why there was a round.
    package var reason = PressureReason(.unknown)
    /// What was wanted of all hosts together, in bytes; 0 if it was not known.
    package var bytesWanted: UInt64 = 0
    /// How many hosts were addressed.
    package var hosts: UInt32 = 0
    /// How many of them answered in time.
    package var answered: UInt32 = 0
    /// How many let the deadline pass.
    package var silent: UInt32 = 0
    /// How many could not be reached.
    package var undeliverable: UInt32 = 0
    /// What the hosts say they released, in bytes.
    package var released: UInt64 = 0
    /// By how much the hosts' resident memory fell, in bytes.
    package var residentFreed: UInt64 = 0
    /// How long ago the round began, in milliseconds.
    package var age: UInt64 = 0
    /// How long the round took, or has taken so far, in microseconds.
    package var duration: UInt64 = 0
    /// The scope under pressure: `/` or the path of a cgroup, within ``TextLimit/path``.
    package var scope = ""
    /// How many stages it was planned in.
    package var stages: UInt8 = 1
    /// How many of them have begun; fewer at its end where the pressure was gone before the others.
    package var stage: UInt8 = 1
    /// How many hosts were told through a door that takes no answers.
    package var unacknowledged: UInt32 = 0
    /// What was used of the scope's limit before, in bytes; 0 if it is not known.
    package var usedBefore: UInt64 = 0
    /// What was used of it afterwards, in bytes; 0 if it is not known.
    package var usedAfter: UInt64 = 0
    /// The share of time in which tasks stalled before.
    package var stallsBefore = Share.zero
    /// The share of time in which tasks stalled from the last answer on.
    package var stallsAfter = Share.zero
    /// Within which time half of those that answered did, in microseconds.
    package var medianAnswer: UInt64 = 0
    /// How long the slowest answer took, in microseconds.
    package var slowestAnswer: UInt64 = 0

    /// A record of a round.
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
