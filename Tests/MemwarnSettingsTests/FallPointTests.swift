import MemoryPressure
import TestSupport
import Testing
import WarningPolicy

@testable import MemwarnSettings

struct FallPointTests {
    /// The settings with one key set, or `nil` if they are refused.
    private static func settings(_ key: String, _ value: Double) -> Settings? {
        var reading = ConfigurationReading()
        // The other keys leave as much room for the value as possible.
        reading.parse(
            """
            [levels]
            critical = 100
            headroom-critical = 0.01
            \(key) = \(value)
            [sensors]
            headroom-far = 100
            """,
            from: "memwarnd.toml"
        )
        return reading.problems.isEmpty ? reading.configuration : nil
    }

    @Test(
        "with every valid configuration, a level falls when nothing stalls and nearly all memory is available",
        arguments: ["headroom", "warning", "critical-full", "fall"]
    )
    func reachable(key: String) throws {
        var accepted = 0
        // Hundredths below 1 %, half percents from 79 % on, and whole percents in between.
        let low = Array(stride(from: 0.01, to: 1, by: 0.01))
        let high = Array(stride(from: 79, through: 100, by: 0.5))
        for value in low + Array(stride(from: 1, to: 79, by: 1)) + [79.99] + high {
            guard let levels = Self.settings(key, value)?.levels else { continue }
            accepted += 1
            let limit = UInt64(1) << 30
            let calm = PressureReading(
                at: .now,
                stalls: StallShares(some: .zero, full: .zero),
                headroom: Headroom(limit: BindingLimit(.max, bytes: limit, path: "/a"), used: limit / 10_000),
                isReclaiming: true
            )
            #expect(levels.hold(by: calm).level == .normal, "\(key) = \(value)")
        }
        #expect(accepted > 100)
    }
}
