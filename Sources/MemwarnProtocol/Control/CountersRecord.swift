/// What the daemon has counted since it started; none of these numbers goes down while it runs.
public struct CountersRecord: Equatable, Sendable {
    /// Rounds that are over, by the level that was announced; simulated ones not counted.
    public var rounds = LevelCounts()
    /// Simulated rounds that are over, by the level that was announced.
    public var simulations = LevelCounts()
    /// How often a scope came to a level that it did not have before, by the new level.
    public var changes = LevelCounts()
    /// Warnings that were sent to a host, one for each host of a round, whether an answer was wanted or not.
    public var sent: UInt64 = 0
    /// Warnings that were answered in time.
    public var answered: UInt64 = 0
    /// Warnings that were not answered in time.
    public var silent: UInt64 = 0
    /// Warnings that could not be sent.
    public var undeliverable: UInt64 = 0
    /// Warnings through a door that takes no answers.
    public var unacknowledged: UInt64 = 0
    /// What hosts say they released, in bytes.
    public var released: UInt64 = 0
    /// By how much hosts say their resident memory fell, in bytes.
    public var residentFreed: UInt64 = 0
    /// What hosts say they released in the rounds before and after which the kernel was asked, in bytes.
    public var releasedMeasured: UInt64 = 0
    /// By how much less was used of the limit after those rounds, in bytes; where more was used it counts as nothing.
    public var kernelFreed: UInt64 = 0
    /// How long the answers took that came in time, by the daemon's clock.
    public var answers = AnswerHistogram()
    /// Hosts that registered.
    public var registrations: UInt64 = 0
    /// Registered hosts whose connections ended.
    public var disconnections: UInt64 = 0
    /// What was refused, by the kind of refusal.
    public var refusals = RefusalCounts()
    /// Entries of the log that were dropped because the log could not keep up.
    public var droppedEntries: UInt64 = 0
    /// Configurations that took effect while the daemon ran.
    public var reloads: UInt64 = 0
    /// Configurations that were refused while the daemon ran.
    public var failedReloads: UInt64 = 0

    /// A record of a daemon to which nothing has happened yet.
    public init() {}
}

extension CountersRecord {
    init(from reader: inout FrameReader) throws(FrameError) {
        rounds = try LevelCounts("rounds", from: &reader)
        simulations = try LevelCounts("simulations", from: &reader)
        changes = try LevelCounts("changes", from: &reader)
        sent = try reader.integer("sent")
        answered = try reader.integer("answered")
        silent = try reader.integer("silent")
        undeliverable = try reader.integer("undeliverable")
        unacknowledged = try reader.integer("unacknowledged")
        released = try reader.integer("released")
        residentFreed = try reader.integer("residentFreed")
        releasedMeasured = try reader.integer("releasedMeasured")
        kernelFreed = try reader.integer("kernelFreed")
        answers = try AnswerHistogram(from: &reader)
        registrations = try reader.integer("registrations")
        disconnections = try reader.integer("disconnections")
        refusals = try RefusalCounts(from: &reader)
        droppedEntries = try reader.integer("droppedEntries")
        reloads = try reader.integer("reloads")
        failedReloads = try reader.integer("failedReloads")
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try rounds.write(to: &writer)
        try simulations.write(to: &writer)
        try changes.write(to: &writer)
        try writer.put(sent)
        try writer.put(answered)
        try writer.put(silent)
        try writer.put(undeliverable)
        try writer.put(unacknowledged)
        try writer.put(released)
        try writer.put(residentFreed)
        try writer.put(releasedMeasured)
        try writer.put(kernelFreed)
        try answers.write(to: &writer)
        try writer.put(registrations)
        try writer.put(disconnections)
        try refusals.write(to: &writer)
        try writer.put(droppedEntries)
        try writer.put(reloads)
        try writer.put(failedReloads)
    }
}
