package import MemoryPressure
package import MemwarnProtocol

/// One warning from its first send to its last acknowledgement or its deadline.
///
/// A value: it counts what happens and knows when it is over.
package struct Round: Sendable {
    package let id: UInt64
    package let level: PressureLevel
    package let options: WarningOptions
    package let reason: PressureReason
    package let scope: String
    package let bytesWanted: UInt64
    /// How long hosts have to answer.
    package let deadline: Duration
    package let started: MonotonicInstant

    /// When hosts that have not answered are counted silent.
    package private(set) var expires: MonotonicInstant
    /// When the last answer came, or the deadline passed, as far as it is known.
    package private(set) var answeredAt: MonotonicInstant?
    /// Whether nothing changes any more.
    package private(set) var isFinished = false
    package private(set) var hosts: UInt32 = 0
    package private(set) var answered: UInt32 = 0
    package private(set) var silent: UInt32 = 0
    package private(set) var undeliverable: UInt32 = 0
    /// Hosts that were told and cannot answer.
    package private(set) var unacknowledged: UInt32 = 0
    package private(set) var released: UInt64 = 0
    package private(set) var residentFreed: UInt64 = 0
    /// How long the answers took.
    package private(set) var answerTimes = AnswerTimes()
    /// How many stages it was planned in, and how many have begun.
    package var stages = 1
    package var stage = 1
    /// What was used of the scope's limit, in bytes, and the share of time in which tasks stalled.
    package var usedBefore: UInt64 = 0
    package var usedAfter: UInt64 = 0
    package var stallsBefore = Share.zero
    package var stallsAfter = Share.zero

    package init(
        id: UInt64,
        level: PressureLevel,
        options: WarningOptions,
        reason: PressureReason,
        scope: String,
        bytesWanted: UInt64 = 0,
        deadline: Duration,
        at instant: MonotonicInstant
    ) {
        self.id = id
        self.level = level
        self.options = options
        self.reason = reason
        self.scope = scope
        self.bytesWanted = bytesWanted
        self.deadline = deadline
        started = instant
        expires = instant.advanced(by: deadline)
    }

    /// How many answers are still to come.
    package var outstanding: UInt32 {
        options.contains(.answerWanted) ? hosts - answered - silent - undeliverable - unacknowledged : 0
    }

    /// Whether this is about real pressure, whose relief can be seen.
    package var isMeasured: Bool { options.contains(.answerWanted) && !options.contains(.simulated) }

    /// One more host is told.
    package mutating func address() {
        hosts += 1
    }

    /// A host cannot be told: its queue is full, or it is gone.
    package mutating func fail() {
        undeliverable += 1
    }

    /// A host that was taken for told, and could not be; `isUnacknowledged` if it was one of those that cannot answer.
    package mutating func fail(isUnacknowledged: Bool) {
        if isUnacknowledged { unacknowledged -= 1 }
        fail()
    }

    /// A host was told through a door that takes no answers.
    package mutating func tellUnacknowledged() {
        unacknowledged += 1
    }

    /// A host that was not told yet will be told of a newer round instead.
    package mutating func withdraw() {
        hosts -= 1
    }

    /// A host is told late, since another warning was in flight: it has the whole deadline from then on.
    package mutating func extend(from instant: MonotonicInstant) {
        expires = max(expires, instant.advanced(by: deadline))
    }

    package mutating func answer(_ answer: Acknowledgement, after time: Duration) {
        answered += 1
        answerTimes.add(time)
        released = released.addingClamped(answer.released)
        if answer.residentBefore > answer.residentAfter {
            residentFreed = residentFreed.addingClamped(answer.residentBefore - answer.residentAfter)
        }
    }

    /// A host did not answer in time, or died first.
    package mutating func silence() {
        silent += 1
    }

    /// The last answer of a stage came, or the deadline passed.
    package mutating func endStage(at instant: MonotonicInstant) {
        answeredAt = instant
    }

    package mutating func finish() {
        isFinished = true
    }

    /// The warning to send; what each host is asked for is filled in for each.
    package var warning: Warning {
        Warning(
            level: level,
            options: options,
            reason: reason,
            bytesWanted: bytesWanted,
            deadline: UInt32(clamping: deadline.milliseconds),
            scope: scope.prefix(utf8: TextLimit.path.upperBound)
        )
    }

    package func record(at now: MonotonicInstant) -> RoundRecord {
        RoundRecord(
            id: id,
            state: isFinished ? .finished : .running,
            level: level,
            options: options,
            reason: reason,
            bytesWanted: bytesWanted,
            hosts: hosts,
            answered: answered,
            silent: silent,
            undeliverable: undeliverable,
            released: released,
            residentFreed: residentFreed,
            age: started.duration(to: now).milliseconds,
            duration: started.duration(to: answeredAt ?? now).microseconds,
            scope: scope.prefix(utf8: TextLimit.path.upperBound),
            stages: UInt8(clamping: stages),
            stage: UInt8(clamping: stage),
            unacknowledged: unacknowledged,
            usedBefore: usedBefore,
            usedAfter: usedAfter,
            stallsBefore: stallsBefore,
            stallsAfter: stallsAfter,
            medianAnswer: answerTimes.median.microseconds,
            slowestAnswer: answerTimes.slowest.microseconds
        )
    }
}

extension UInt64 {
    /// The sum, or the largest number: what hosts claim is not to be trusted to stay within it.
    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
