package import MemoryPressure
package import MemwarnProtocol

/// The daemon's counters since its start; none of them decreases while it runs.
package struct Counters: Sendable {
    package private(set) var record = CountersRecord()

    /// The maximum that one round adds to a number of bytes: more than any machine has.
    ///
    /// Claims of hosts are not trusted: a host that claims the maximum must not saturate the counter for good.
    private static let plausible: UInt64 = 1 << 48

    package init() {}

    /// Counts a finished round.
    package mutating func add(_ round: RoundRecord) {
        if round.options.contains(.simulated) {
            record.simulations[round.level] += 1
        } else {
            record.rounds[round.level] += 1
        }
        record.sent += UInt64(round.hosts - min(round.hosts, round.undeliverable))
        record.answered += UInt64(round.answered)
        record.silent += UInt64(round.silent)
        record.undeliverable += UInt64(round.undeliverable)
        record.unacknowledged += UInt64(round.unacknowledged)
        let released = min(round.released, Self.plausible)
        record.released = record.released.addingClamped(released)
        record.residentFreed = record.residentFreed.addingClamped(min(round.residentFreed, Self.plausible))
        if round.usedBefore > 0, round.usedAfter > 0 {
            let freed = round.usedBefore - min(round.usedBefore, round.usedAfter)
            record.releasedMeasured = record.releasedMeasured.addingClamped(released)
            record.kernelFreed = record.kernelFreed.addingClamped(min(freed, Self.plausible))
        }
    }

    /// Counts an answer that came in time.
    package mutating func answer(after time: Duration) {
        record.answers.add(microseconds: time.microseconds)
    }

    /// Counts a change of a scope's level; a repeated announcement does not count.
    package mutating func add(_ change: LevelMachine.Change, to level: PressureLevel) {
        if !change.isRepeat { record.changes[level] += 1 }
    }

    package mutating func register() {
        record.registrations += 1
    }

    package mutating func disconnect() {
        record.disconnections += 1
    }

    package mutating func refuse(_ code: Refusal.Code) {
        record.refusals[code] += 1
    }

    /// Counts a configuration that took effect, or was refused, while the daemon ran.
    package mutating func reload(succeeded: Bool) {
        if succeeded {
            record.reloads += 1
        } else {
            record.failedReloads += 1
        }
    }
}
