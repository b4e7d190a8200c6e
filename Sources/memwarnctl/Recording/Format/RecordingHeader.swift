import MemoryPressure

/// The beginning of a recording: where and how it was made, and its scopes.
struct RecordingHeader: Hashable {
    /// The interval between samples, in milliseconds.
    var interval: UInt64
    /// When it began: seconds since 1970.
    var began: UInt64
    /// The kernel's release, such as `6.12.0`.
    var kernel: String
    /// All memory of the machine, in bytes.
    var memoryTotal: UInt64
    /// The scopes, to which samples refer by their positions in this list.
    var scopes: [Scope]

    /// One scope of a recording.
    struct Scope: Hashable {
        /// `/` for the machine, or a cgroup's path.
        var path: String
        /// How it was watched.
        var rung: Rung
        /// The window of its triggers, in microseconds.
        var window: UInt64
        /// The figures that could be read.
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
    /// The permitted intervals: from the shortest that is meaningful to the longest window that the kernel accepts.
    static let intervals: ClosedRange<UInt64> = 10...10_000
    /// The maximum number of scopes: their numbers are the bits of a mask.
    static let scopeLimit = 32
    /// The longest path, which is the kernel's own limit, and longer than any release.
    static let textLimit = 4096
}

/// The figures of a scope at one instant of a recording.
struct RecordedFigures: Hashable {
    /// The stall totals, in microseconds.
    var some: UInt64 = 0
    var full: UInt64 = 0
    /// The headroom; `nil` without a limit.
    var headroom: Headroom?
    /// How often `memory.high` and `memory.max` were reached.
    var high: UInt64 = 0
    var max: UInt64 = 0
    /// Pages scanned and refaulted.
    var scanned: UInt64 = 0
    var refaulted: UInt64 = 0
    /// Whether the scope's files are gone.
    var isGone = false
}

/// One item of a recording, with its time in milliseconds since the first sample.
enum RecordingItem: Hashable {
    /// All scopes were read.
    case sample(at: UInt64)
    /// The kernel sent an event for a scope.
    case event(scope: Int, PressureSensor.Trigger, at: UInt64)
    /// A user marked the beginning or the end of a storm.
    case mark(isStart: Bool, at: UInt64)
}

/// The kinds of record, in the two lowest bits of the number that a record begins with; the rest of that number counts
/// the preceding samples without changes.
enum RecordKind: UInt64 {
    case calm = 0
    case sample = 1
    case event = 2
    case mark = 3
}

/// The figures of a scope that a sample changes: one bit each.
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
