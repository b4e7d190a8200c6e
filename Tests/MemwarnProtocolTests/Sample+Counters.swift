import MemoryPressure
import MemwarnProtocol

extension Sample {
    static let counters = Sample(
        "counters",
        sequence: 3,
        .counters(.made)
    )
}

extension CountersRecord {
    /// A record with a different number in every field.
    static var made: Self {
        var record = Self()
        for (level, count) in zip(PressureLevel.allCases, 1...) {
            record.rounds[level] = UInt64(count)
            record.simulations[level] = UInt64(count + 3)
            record.changes[level] = UInt64(count + 6)
        }
        record.sent = 1000
        record.answered = 900
        record.silent = 60
        record.undeliverable = 40
        record.unacknowledged = 30
        record.released = 64 << 20
        record.residentFreed = 63 << 20
        record.releasedMeasured = 32 << 20
        record.kernelFreed = 16 << 20
        // At a bound, just above it, and above all bounds.
        for time: UInt64 in [1_000, 10_000, 10_001, 5_000_001] { record.answers.add(microseconds: time) }
        record.registrations = 12
        record.disconnections = 2
        for (code, count) in zip(RefusalCounts.codes, 1...) { record.refusals[code] = UInt64(count) }
        record.refusals[Refusal.Code(rawValue: 99)] = 9
        record.droppedEntries = 11
        record.reloads = 3
        record.failedReloads = 1
        return record
    }
}
