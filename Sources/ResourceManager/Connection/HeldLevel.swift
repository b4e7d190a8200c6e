internal import MemoryPressure

/// The level that a host was told last, and until when it holds if nothing is watched any more: a pure value.
///
/// What is watched says when pressure is over. If nothing is, a raised level would last for ever, and caches would stay
/// small.
struct HeldLevel {
    /// How long a daemon may be away: longer than it takes to be started again.
    static let grace = Duration.seconds(30)

    private(set) var level: PressureLevel
    private let grace: Duration
    /// When it ends, while it is raised and nothing is watched.
    private(set) var end: MonotonicInstant?

    init(_ level: PressureLevel = .normal, grace: Duration = Self.grace) {
        self.level = level
        self.grace = grace
    }

    /// Notes what the host is told.
    mutating func tell(_ level: PressureLevel) {
        self.level = level
        if level == .normal { end = nil }
    }

    /// Notes whether anything is watched, and tells whether the level has to fall, since nothing was for long enough.
    mutating func hasToFall(isWatched: Bool, at now: MonotonicInstant) -> Bool {
        guard !isWatched, level > .normal else {
            end = nil
            return false
        }
        let end = end ?? now.advanced(by: grace)
        self.end = end
        return now >= end
    }
}
