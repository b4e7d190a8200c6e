import MemoryPressure

/// What a recording begins with: where and how it was made, and which scopes are in it.
struct RecordingHeader: Hashable {
    /// How far apart the samples are, in milliseconds.
    var interval: UInt64
    /// When it began: seconds since 1970.
    var began: UInt64
    /// The kernel's release, such as `6.12.0`.
    var kernel: String
    /// All memory of the machine, in bytes.
    var memoryTotal: UInt64
    /// The scopes, which samples refer to by their places in this list.
    var scopes: [Scope]

    /// One scope of a recording.
    struct Scope: Hashable {
        /// `/` for the host, or a cgroup's path.
        var path: String
        /// How it was watched.
        var rung: Rung
        /// The window of its triggers, in microseconds.
        var window: UInt64
        /// What could be read of it.
        var figures: Figures
    }

    /// Figures that not every scope has.
    struct Figures: OptionSet, Hashable {
        let rawValue: UInt8
        /// PSI.
        static let stalls = Self(rawValue: 1)
        /// `memory.events`.
        static let limitEvents = Self(rawValue: 2)
        /// Counts of reclaim.
        static let reclaim = Self(rawValue: 4)
    }

    /// The first bytes of every recording; the last one is the version.
    static let magic = Array("memwarnd recording\n".utf8) + [1]
    /// What interval is taken: from the shortest in which anything can be told to one that misses nothing of the
    /// longest window the kernel takes.
    static let intervals: ClosedRange<UInt64> = 10...10_000
    /// How many scopes there may be: their numbers are the bits of a mask.
    static let scopeLimit = 32
    /// The longest path, which is the kernel's own limit, and longer than any release.
    static let textLimit = 4096
}

/// What is known of a scope at one instant of a recording.
struct RecordedFigures: Hashable {
    /// The stall totals, in microseconds.
    var some: UInt64 = 0
    var full: UInt64 = 0
    /// What is left; `nil` where there is no limit.
    var headroom: Headroom?
    /// How often `memory.high` and `memory.max` were met.
    var high: UInt64 = 0
    var max: UInt64 = 0
    /// Pages scanned and refaulted.
    var scanned: UInt64 = 0
    var refaulted: UInt64 = 0
    /// Whether the scope's files are gone.
    var isGone = false
}

/// One thing that a recording says, with its time in milliseconds since the first sample.
enum RecordingItem: Hashable {
    /// All scopes were looked at.
    case sample(at: UInt64)
    /// The kernel sent an event for a scope.
    case event(scope: Int, PressureSensor.Trigger, at: UInt64)
    /// Somebody said that a storm begins, or that it ends.
    case mark(isStart: Bool, at: UInt64)
}

/// The kinds of record, in the two lowest bits of the number that a record begins with; the rest of that number is how
/// many samples without any change came before.
enum RecordKind: UInt64 {
    case calm = 0
    case sample = 1
    case event = 2
    case mark = 3
}

/// Which figures of a scope a sample changes: a bit each.
struct RecordedChanges: OptionSet {
    let rawValue: UInt8
    static let some = Self(rawValue: 1)
    static let full = Self(rawValue: 2)
    static let used = Self(rawValue: 4)
    static let limit = Self(rawValue: 8)
    static let high = Self(rawValue: 16)
    static let max = Self(rawValue: 32)
    static let reclaim = Self(rawValue: 64)
    static let gone = Self(rawValue: 128)
}
