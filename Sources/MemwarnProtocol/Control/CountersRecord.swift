/// The daemon's counters since its start; none of them decreases while it runs.
package struct CountersRecord: FrameBody, Equatable, Sendable {
    /// Finished rounds by the announced level, without simulated rounds.
    package var rounds = LevelCounts()
    /// Finished simulated rounds by the announced level.
    package var simulations = LevelCounts()
    /// Changes of a scope's level, by the new level.
    package var changes = LevelCounts()
    /// Warnings sent, one for each host of a round, whether or not an answer was wanted.
    package var sent: UInt64 = 0
    /// Warnings that were answered in time.
    package var answered: UInt64 = 0
    /// Warnings that were not answered in time.
    package var silent: UInt64 = 0
    /// Warnings that could not be sent.
    package var undeliverable: UInt64 = 0
    /// Warnings through a door that takes no answers.
    package var unacknowledged: UInt64 = 0
    /// The bytes that hosts claim to have released.
    package var released: UInt64 = 0
    /// The bytes by which hosts claim that their resident memory fell.
    package var residentFreed: UInt64 = 0
    /// The bytes that hosts claim to have released in rounds before and after which the kernel's usage was read.
    package var releasedMeasured: UInt64 = 0
    /// The bytes by which the use of the limit fell in those rounds; a round with an increase counts as 0.
    package var kernelFreed: UInt64 = 0
    /// The times of the answers that came in time, by the daemon's clock.
    package var answers = AnswerHistogram()
    /// Hosts that registered.
    package var registrations: UInt64 = 0
    /// Registered hosts whose connections ended.
    package var disconnections: UInt64 = 0
    /// Refusals, by kind.
    package var refusals = RefusalCounts()
    /// Log entries that were dropped because the log could not keep up.
    package var droppedEntries: UInt64 = 0
    /// Configurations that took effect while the daemon ran.
    package var reloads: UInt64 = 0
    /// Configurations that were refused while the daemon ran.
    package var failedReloads: UInt64 = 0

    /// Creates counters that are all zero.
    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try rounds.visit(&fields, "rounds")
        try simulations.visit(&fields, "simulations")
        try changes.visit(&fields, "changes")
        try fields.integer(&sent, "sent")
        try fields.integer(&answered, "answered")
        try fields.integer(&silent, "silent")
        try fields.integer(&undeliverable, "undeliverable")
        try fields.integer(&unacknowledged, "unacknowledged")
        try fields.integer(&released, "released", in: .bytes)
        try fields.integer(&residentFreed, "residentFreed", in: .bytes)
        try fields.integer(&releasedMeasured, "releasedMeasured", in: .bytes)
        try fields.integer(&kernelFreed, "kernelFreed", in: .bytes)
        try answers.visit(&fields)
        try fields.integer(&registrations, "registrations")
        try fields.integer(&disconnections, "disconnections")
        try refusals.visit(&fields)
        try fields.integer(&droppedEntries, "droppedEntries")
        try fields.integer(&reloads, "reloads")
        try fields.integer(&failedReloads, "failedReloads")
    }
}
