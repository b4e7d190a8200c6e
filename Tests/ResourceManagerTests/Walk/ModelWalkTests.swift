import ControllerWalk
import Foundation
import TestSupport
import Testing

struct ModelWalkTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["WALK_FROM"].flatMap { UInt64($0) } ?? 1
    private static let given = environment["WALK_SEEDS"].flatMap { UInt64($0) }

    @Test("refusals, calls, results, views and lifetimes agree with a model of the rules")
    func fromOutside() { walk(60, isReentrant: false) }

    @Test("calls inside callbacks, three deep, agree with the model too")
    func fromCallbacks() { walk(300, isReentrant: true) }

    /// Walks that number of seeds; fewer under the thread sanitizer, where everything takes ten times as long.
    private func walk(_ usual: UInt64, isReentrant: Bool) {
        let seeds = Self.first..<Self.first + (Self.given ?? (isUnderThreadSanitizer ? 4 : usual))
        let (tally, failures) = Walker.walk(seeds: seeds, isReentrant: isReentrant)
        print(tally.summary)
        if isReentrant { print(tally.table) }
        for failure in failures { Issue.record("\(failure)") }
        // Over many calls it is at least 59 %. The few calls under the thread sanitizer vary.
        if tally.operations >= 10_000 { #expect(tally.changes * 2 > tally.operations) }
        // Over a million calls the count is above 100. With fewer calls it varies.
        if isReentrant, tally.operations >= 100_000 { #expect(tally.rarestPair >= 60) }
    }
}
