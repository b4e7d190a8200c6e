import MemoryPressure

/// A pair of shares, one of which has to be lower.
struct ConfigurationOrder {
    let lower: String
    let upper: String
    /// Whether they have to differ as well.
    let isStrict: Bool
    private let lowerShare: (LevelPolicy) -> Share
    private let upperShare: (LevelPolicy) -> Share

    /// All pairs.
    static var all: [Self] {
        [
            Self(
                lower: "levels.warning",
                upper: "levels.critical",
                isStrict: false,
                lowerShare: { $0.warning },
                upperShare: { $0.critical }
            ),
            Self(
                lower: "levels.headroom-critical",
                upper: "levels.headroom",
                isStrict: true,
                lowerShare: { $0.headroomCritical },
                upperShare: { $0.headroom }
            ),
            Self(
                lower: "levels.headroom",
                upper: "sensors.headroom-far",
                isStrict: true,
                lowerShare: { $0.headroom },
                upperShare: { $0.headroomFar }
            ),
        ]
    }

    /// The two shares, if they are not in order.
    func broken(by levels: LevelPolicy) -> (lower: Share, upper: Share)? {
        let (lower, upper) = (lowerShare(levels), upperShare(levels))
        return lower > upper || isStrict && lower == upper ? (lower, upper) : nil
    }
}
