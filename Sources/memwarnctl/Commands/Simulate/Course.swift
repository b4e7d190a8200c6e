import MemoryPressure

/// The sequence of levels in a simulation, each with a duration.
struct Course: Equatable {
    /// The maximum number of steps: more than a user reads, and little memory.
    static let limit = 10_000

    /// A level, with its start and its duration.
    struct Step: Equatable {
        let level: PressureLevel
        /// When it is announced, relative to the beginning of the course; later, if answers are late.
        let start: Duration
        /// The minimum duration.
        let hold: Duration
        /// Whether the level is not new but lasts.
        let isRepeat: Bool
    }

    let steps: [Step]

    /// Creates a sequence of steps: a level that follows itself is a repetition, except normal.
    init(_ levels: [(level: PressureLevel, hold: Duration)]) {
        var start = Duration.zero
        var last = PressureLevel.normal
        steps = levels.map { level, hold in
            defer {
                start += hold
                last = level
            }
            return Step(level: level, start: start, hold: hold, isRepeat: level == last && level > .normal)
        }
    }

    /// The minimum duration of the course.
    var duration: Duration { steps.last.map { $0.start + $0.hold } ?? .zero }

    /// The course repeated this number of times, at least once.
    func repeated(_ times: Int) -> Self {
        let levels = steps.map { (level: $0.level, hold: $0.hold) }
        return Self(repeatElement(levels, count: max(1, times)).flatMap(\.self))
    }

    /// Pressure that rises, lasts, and ends.
    static let storm = Self([
        (.warning, .seconds(1)), (.warning, .seconds(1)), (.critical, .seconds(1)), (.critical, .seconds(1)),
        (.critical, .seconds(1)), (.normal, .zero),
    ])

    /// Pressure that rises and falls: released data is loaded again, and wanted again at once.
    static let flap = Self(
        [(level: PressureLevel.warning, hold: Duration.milliseconds(200)), (.normal, .milliseconds(200))]
    ).repeated(10)
}
