import MemoryPressure

/// How often one scope's level would have changed, and how long each level would have lasted.
struct ReplayCounts: Encodable {
    /// The scope's path.
    let scope: String
    private(set) var risesToWarning = 0
    private(set) var risesToCritical = 0
    /// How often a level was announced again.
    private(set) var repeats = 0
    /// Rises within a minute of a fall: the level oscillates, and empties caches that have just been filled.
    private(set) var flaps = 0
    /// How long each level lasted, in milliseconds.
    private(set) var normalTime: UInt64 = 0
    private(set) var warningTime: UInt64 = 0
    private(set) var criticalTime: UInt64 = 0

    /// The longest time between a fall and a rise that counts as a flap.
    static let flap: UInt64 = 60_000

    init(_ replay: Replay, scope index: Int) {
        scope = replay.header.scopes[index].path
        var level = PressureLevel.normal
        var since: UInt64 = 0
        var fell: UInt64?
        for announcement in replay.announcements where announcement.scope == index {
            stand(level, for: announcement.at - since)
            since = announcement.at
            level = announcement.level
            switch announcement.change {
            case .rose:
                if level == .warning { risesToWarning += 1 } else { risesToCritical += 1 }
                if let fell, announcement.at - fell <= Self.flap { flaps += 1 }
            case .persists, .returned: repeats += 1
            case .fell: fell = announcement.at
            }
        }
        stand(level, for: replay.end - since)
    }

    private mutating func stand(_ level: PressureLevel, for time: UInt64) {
        switch level {
        case .normal: normalTime += time
        case .warning: warningTime += time
        case .critical: criticalTime += time
        }
    }
}
