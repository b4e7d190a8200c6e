import ControllerWalk
import Foundation
import TestSupport
import Testing

@Suite(.onTwoThreads)
struct ModelWalkTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["WALK_FROM"].flatMap { UInt64($0) } ?? 1
    /// Fewer where everything takes ten times as long.
    private static let count = environment["WALK_SEEDS"].flatMap { UInt64($0) } ?? (isUnderThreadSanitizer ? 4 : 60)
    private static let isReentrant = environment["WALK_CALLBACKS"] != nil

    @Test("refusals, calls, results, views and lifetimes agree with a model of the rules")
    func followsTheRules() {
        let (tally, failures) = Walker.walk(seeds: Self.first..<Self.first + Self.count, isReentrant: Self.isReentrant)
        print(tally.summary)
        if Self.isReentrant { print(tally.table) }
        for failure in failures { Issue.record("\(failure)") }
        #expect(tally.changes * 2 > tally.operations)
    }
}
