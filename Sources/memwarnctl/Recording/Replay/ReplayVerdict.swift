import MemoryPressure

/// The quality of a replay's announcements, if the times of real shortages are known.
struct ReplayVerdict: Encodable {
    /// The number of storms.
    private(set) var storms = 0
    /// Rises that are neither in a storm nor close to one: milliseconds since the first sample.
    private(set) var falseAlarms: [UInt64] = []
    /// Storms during which no level rose or lasted.
    private(set) var missed: [Storm] = []
    /// How long after its storm began each first warning came, in milliseconds; 0 if a level was raised already.
    private(set) var warningLateness: [UInt64] = []
    /// The same for the first critical, for the storms that had one.
    private(set) var criticalLateness: [UInt64] = []

    /// Creates a verdict without storms and alarms.
    init() {}

    /// Compares a replay with storms; a rise up to `grace` before or after a storm belongs to it.
    init(_ replay: Replay, storms: [Storm], grace: Duration) {
        let grace = grace.milliseconds
        self.storms = storms.count
        for announcement in replay.announcements {
            guard case .rose = announcement.change else { continue }
            let belongs = storms.contains { storm in
                announcement.at + grace >= storm.start && announcement.at <= storm.end + grace
            }
            if !belongs { falseAlarms.append(announcement.at) }
        }
        for storm in storms {
            let until = storm.end + grace
            let first = { (level: PressureLevel) in Self.first(level, in: replay, from: storm.start, until: until) }
            guard let warning = first(.warning) else {
                missed.append(storm)
                continue
            }
            warningLateness.append(warning)
            if let critical = first(.critical) { criticalLateness.append(critical) }
        }
    }

    /// The time until a level was first reached in any scope; 0 if it was raised at the start, `nil` if it was not
    /// reached.
    private static func first(
        _ level: PressureLevel,
        in replay: Replay,
        from start: UInt64,
        until end: UInt64
    ) -> UInt64? {
        var standing: [Int: PressureLevel] = [:]
        for announcement in replay.announcements where announcement.at <= end {
            if announcement.at > start {
                if standing.values.contains(where: { $0 >= level }) { return 0 }
                if announcement.level >= level { return announcement.at - start }
            }
            standing[announcement.scope] = announcement.level
        }
        return standing.values.contains { $0 >= level } ? 0 : nil
    }

    /// Adds another verdict to this one.
    mutating func add(_ other: Self) {
        storms += other.storms
        falseAlarms += other.falseAlarms
        missed += other.missed
        warningLateness += other.warningLateness
        criticalLateness += other.criticalLateness
    }
}

extension [UInt64] {
    /// The median, the greater of two; `nil` if there are none.
    var median: UInt64? { isEmpty ? nil : sorted()[count / 2] }
}
