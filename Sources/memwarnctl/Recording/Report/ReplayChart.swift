import MemoryPressure
import WarningPolicy

/// Draws a replay: for each scope its stalls, its headroom, and its level, with the announcements and the storms.
struct ReplayChart {
    /// The worst figures within one column of the picture.
    struct Column {
        var some = Share.zero
        var full = Share.zero
        var left: Share?
        var level = PressureLevel.normal
    }

    let replay: Replay
    let policy: LevelPolicy
    let storms: [Storm]
    /// The columns of each scope.
    private(set) var scopes: [[Column]]

    /// The number of columns: as many as can be distinguished.
    static let columns = 900

    /// Reads the recording once more, to see every sample.
    init(_ recording: RecordingReader, _ replay: Replay, configuration: Settings, storms: [Storm]) {
        self.replay = replay
        self.storms = storms
        policy = configuration.levels
        var scopes = replay.header.scopes.map { _ in [Column](repeating: Column(), count: Self.columns) }
        let length = max(1, replay.end)
        var last: (at: UInt64, figures: [RecordedFigures], levels: [PressureLevel])?
        var average: [(some: StallMean, full: StallMean)] = replay.header.scopes.map { _ in (StallMean(), StallMean()) }
        _ = Replay(recording, configuration: configuration) { at, figures, levels in
            defer { last = (at, figures, levels) }
            let elapsed = at - (last?.at ?? at)
            let before = last?.figures ?? figures
            let first = Int((at - min(at, elapsed)) * UInt64(Self.columns - 1) / length)
            let column = Int(at * UInt64(Self.columns - 1) / length)
            for index in figures.indices {
                let some = average[index].some.add(before[index].some, figures[index].some, over: elapsed)
                let full = average[index].full.add(before[index].full, figures[index].full, over: elapsed)
                // This begins at the previous sample, so that a short recording has no gaps; a level begins with its
                // sample.
                for filled in min(first + 1, column)...column {
                    scopes[index][filled].some = max(scopes[index][filled].some, some)
                    scopes[index][filled].full = max(scopes[index][filled].full, full)
                    if let left = figures[index].headroom?.share {
                        scopes[index][filled].left = min(scopes[index][filled].left ?? left, left)
                    }
                    let level = filled < column ? last?.levels[index] ?? levels[index] : levels[index]
                    scopes[index][filled].level = max(scopes[index][filled].level, level)
                }
            }
        }
        self.scopes = scopes
    }
}

/// The share of time lost to stalls in the last two seconds: the drawing has to be smoother than the samples.
private struct StallMean {
    private var growth: [(time: UInt64, stalled: UInt64)] = []

    mutating func add(_ before: UInt64, _ now: UInt64, over milliseconds: UInt64) -> Share {
        growth.append((milliseconds, now > before ? now - before : 0))
        while growth.count > 1, growth.dropFirst().reduce(0, { $0 + $1.time }) >= 2_000 { growth.removeFirst() }
        let time = growth.reduce(0) { $0 + $1.time }
        // Totals are microseconds.
        return Share(
            growth.reduce(0) { $0 &+ $1.stalled },
            of: time.multipliedReportingOverflow(by: 1_000).partialValue
        )
    }
}
