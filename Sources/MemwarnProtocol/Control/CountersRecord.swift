/// What the daemon has counted since it started; none of these numbers goes down while it runs.
package struct CountersRecord: FrameBody, Equatable, Sendable {
    /// Rounds that are over, by the level that was announced; simulated ones not counted.
    package var rounds = LevelCounts()
    /// Simulated rounds that are over, by the level that was announced.
    package var simulations = LevelCounts()
    /// How often a scope came to a level that it did not have before, by the new level.
    package var changes = LevelCounts()
    /// Warnings that were sent to a host, one for each host of a round, whether an answer was wanted or not.
    package var sent: UInt64 = 0
    /// Warnings that were answered in time.
    package var answered: UInt64 = 0
    /// Warnings that were not answered in time.
    package var silent: UInt64 = 0
    /// Warnings that could not be sent.
    package var undeliverable: UInt64 = 0
    /// Warnings through a door that takes no answers.
    package var unacknowledged: UInt64 = 0
    /// What hosts say they released, in bytes.
    package var released: UInt64 = 0
    /// By how much hosts say their resident memory fell, in bytes.
    package var residentFreed: UInt64 = 0
    /// What hosts say they released in the rounds before and after which the kernel was asked, in bytes.
    package var releasedMeasured: UInt64 = 0
    /// By how much less was used of the limit after those rounds, in bytes; where more was used it counts as nothing.
    package var kernelFreed: UInt64 = 0
    /// How long the answers took that came in time, by the daemon's clock.
    package var answers = AnswerHistogram()
    /// Hosts that registered.
    package var registrations: UInt64 = 0
    /// Registered hosts whose connections ended.
    package var disconnections: UInt64 = 0
    /// What was refused, by the kind of refusal.
    package var refusals = RefusalCounts()
    /// Entries of the log that were dropped because the log could not keep up.
    package var droppedEntries: UInt64 = 0
    /// Configurations that took effect while the daemon ran.
    package var reloads: UInt64 = 0
    /// Configurations that were refused while the daemon ran.
    package var failedReloads: UInt64 = 0

    /// A record of a daemon to which nothing has happened yet.
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
