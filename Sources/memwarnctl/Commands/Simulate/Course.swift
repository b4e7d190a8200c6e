import MemoryPressure

/// Levels that follow each other, each held for a time: what a simulation goes through.
struct Course: Equatable {
    /// More steps than anybody looks at, and less memory than anybody misses.
    static let limit = 10_000

    /// A level, when it is due, and for how long it is held.
    struct Step: Equatable {
        let level: PressureLevel
        /// When it is announced, counted from the course's beginning; later, if answers are late.
        let start: Duration
        /// For how long it is held at least.
        let hold: Duration
        /// Whether the level is not new but still held.
        let isRepeat: Bool
    }

    let steps: [Step]

    /// Puts steps one after the other: a level that follows on itself is a repetition, except for normal.
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

    /// How long it takes at least.
    var duration: Duration { steps.last.map { $0.start + $0.hold } ?? .zero }

    /// The course so many times, at least once.
    func repeated(_ times: Int) -> Self {
        let levels = steps.map { (level: $0.level, hold: $0.hold) }
        return Self(repeatElement(levels, count: max(1, times)).flatMap(\.self))
    }

    /// Pressure that rises, lasts, and ends.
    static let storm = Self([
        (.warning, .seconds(1)), (.warning, .seconds(1)), (.critical, .seconds(1)), (.critical, .seconds(1)),
        (.critical, .seconds(1)), (.warning, .seconds(1)), (.normal, .zero),
    ])

    /// Pressure that comes and goes: what was given back is loaded again, and asked for again at once.
    static let flap = Self(
        [(level: PressureLevel.warning, hold: Duration.milliseconds(200)), (.normal, .milliseconds(200))]
    ).repeated(10)
}
