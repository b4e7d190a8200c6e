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
    /// Seeds that failed once, with calls in callbacks.
    private static let known: [UInt64] = [
        8, 18, 46, 256, 275, 357, 462, 688, 721, 893, 1037, 1170, 1489, 1512, 1761, 1813, 10182, 10381, 10743, 11813,
    ]

    @Test("refusals, calls, results, views and lifetimes agree with a model of the rules")
    func fromOutside() { walk(Self.first..<Self.first + Self.count, isReentrant: false) }

    @Test("so do calls inside callbacks, three deep")
    func fromCallbacks() { walk(Self.first..<Self.first + Self.count, isReentrant: true) }

    @Test("so do seeds that failed once", arguments: known)
    func knownSeed(_ seed: UInt64) { walk(seed..<seed + 1, isReentrant: true) }

    private func walk(_ seeds: Range<UInt64>, isReentrant: Bool) {
        let (tally, failures) = Walker.walk(seeds: seeds, isReentrant: isReentrant)
        if seeds.count > 1 { print(tally.summary) }
        for failure in failures { Issue.record("\(failure)") }
        #expect(tally.changes * 2 > tally.operations)
    }
}
