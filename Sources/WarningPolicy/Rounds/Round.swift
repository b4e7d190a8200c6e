package import MemoryPressure
package import MemwarnProtocol

/// One warning from its first send to its last acknowledgement or its deadline.
///
/// A value: it counts the events of the round and knows when the round is over.
package struct Round: Sendable {
    package let id: UInt64
    package let level: PressureLevel
    package let options: WarningOptions
    package let reason: PressureReason
    package let scope: String
    package let bytesWanted: UInt64
    /// The time that hosts have to answer.
    package let deadline: Duration
    package let started: MonotonicInstant

    /// When hosts that have not answered are counted as silent.
    package private(set) var expires: MonotonicInstant
    /// When the last answer came or the deadline passed, if it has.
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
    /// The times that the answers took.
    package private(set) var answerTimes = AnswerTimes()
    /// The number of planned stages, and of stages that have begun.
    package var stages = 1
    package var stage = 1
    /// The bytes used of the scope's limit, and the share of time in which tasks stalled.
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

    /// Whether hosts are to answer.
    var wantsAnswers: Bool { options.contains(.answerWanted) }

    /// The number of outstanding answers.
    package var outstanding: UInt32 {
        wantsAnswers ? hosts - answered - silent - undeliverable - unacknowledged : 0
    }

    /// Whether the round answers real pressure, whose relief can be measured.
    package var isMeasured: Bool { wantsAnswers && !options.contains(.simulated) }

    /// Counts a host that is told.
    package mutating func address() {
        hosts += 1
    }

    /// Counts a host that cannot be told: its queue is full, or it is gone.
    package mutating func fail() {
        undeliverable += 1
    }

    /// Corrects the count of a host that was counted as told and could not be; `isUnacknowledged` if it cannot answer.
    package mutating func fail(isUnacknowledged: Bool) {
        if isUnacknowledged { unacknowledged -= 1 }
        fail()
    }

    /// Counts a host that was told through a door that takes no answers.
    package mutating func tellUnacknowledged() {
        unacknowledged += 1
    }

    /// Removes a host that will be told of a newer round instead.
    package mutating func withdraw() {
        hosts -= 1
    }

    /// Extends the deadline for a host that is told late because another warning was in flight: it has the whole
    /// deadline from now on.
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

    /// Counts a host that did not answer in time, or ended first.
    package mutating func silence() {
        silent += 1
    }

    /// Ends a stage: its last answer came, or the deadline passed.
    package mutating func endStage(at instant: MonotonicInstant) {
        answeredAt = instant
    }

    package mutating func finish() {
        isFinished = true
    }

    /// The warning to send; the bytes wanted are filled in for each host.
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
    /// The sum, clamped to the largest number: the claims of hosts are not trusted to stay below it.
    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
