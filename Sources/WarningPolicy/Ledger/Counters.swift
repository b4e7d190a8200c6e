package import MemoryPressure
package import MemwarnProtocol

/// What has happened since the daemon started; no number goes down while it runs.
package struct Counters: Sendable {
    package private(set) var record = CountersRecord()

    /// The most that one round adds to a number of bytes: more than any machine has.
    ///
    /// What hosts claim is not to be trusted, and one that claims everything must not end the count for good.
    private static let plausible: UInt64 = 1 << 48

    package init() {}

    /// Counts a round that is over.
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

    /// Counts what became of a scope's level; one that is merely told again does not count.
    package mutating func add(_ change: LevelMachine.Change, to level: PressureLevel) {
        if change != .persists { record.changes[level] += 1 }
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
