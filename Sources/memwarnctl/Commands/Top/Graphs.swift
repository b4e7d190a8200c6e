import MemoryPressure

/// Shares as a row of blocks, one for each.
struct Sparkline: CustomStringConvertible {
    let shares: [Share?]

    /// The shares at which a block is one step higher.
    ///
    /// Each is about twice the previous one, so that the default thresholds (10 % warning, 40 % critical) are at half
    /// and nearly full height, and 1 % is still visible.
    private static let steps: [Share] = [1, 2.5, 5, 10, 20, 40, 70].map { .percent($0) }

    var description: String {
        String(
            shares.map { share -> Character in
                guard let share else { return " " }
                let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
                return blocks[Self.steps.count { $0 <= share }]
            }
        )
    }
}

/// A share as a bar of a fixed length.
struct Bar: CustomStringConvertible {
    static let length = 10
    let share: Share

    var description: String {
        let filled = (Int(min(share.basisPoints, 10_000)) * Self.length + 5_000) / 10_000
        return String(repeating: "█", count: filled) + String(repeating: "░", count: Self.length - filled)
    }
}

/// A duration in at most two units.
struct Age: CustomStringConvertible {
    let seconds: UInt64

    init(milliseconds: UInt64) {
        seconds = milliseconds / 1_000
    }

    /// `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`.
    var description: String {
        let (minutes, hours) = (seconds / 60, seconds / 3_600)
        if minutes == 0 { return "\(seconds) s" }
        if hours == 0 { return "\(minutes) min" }
        return hours < 24 ? "\(hours) h \(minutes % 60) min" : "\(hours / 24) d \(hours % 24) h"
    }
}
