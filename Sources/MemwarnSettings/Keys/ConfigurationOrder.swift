import MemoryPressure

/// Two shares of which one has to be lower.
struct ConfigurationOrder {
    let lower: String
    let upper: String
    /// Whether they must not be equal either.
    let isStrict: Bool
    private let lowerShare: KeyPath<LevelPolicy, Share>
    private let upperShare: KeyPath<LevelPolicy, Share>

    /// Every such pair.
    static var all: [Self] {
        [
            Self(
                lower: "levels.warning",
                upper: "levels.critical",
                isStrict: false,
                lowerShare: \.warning,
                upperShare: \.critical
            ),
            Self(
                lower: "levels.headroom-critical",
                upper: "levels.headroom",
                isStrict: true,
                lowerShare: \.headroomCritical,
                upperShare: \.headroom
            ),
            Self(
                lower: "levels.headroom",
                upper: "sensors.headroom-far",
                isStrict: true,
                lowerShare: \.headroom,
                upperShare: \.headroomFar
            ),
        ]
    }

    /// The two shares if they are not in order.
    func broken(by levels: LevelPolicy) -> (lower: Share, upper: Share)? {
        let (lower, upper) = (levels[keyPath: lowerShare], levels[keyPath: upperShare])
        return lower > upper || isStrict && lower == upper ? (lower, upper) : nil
    }
}
