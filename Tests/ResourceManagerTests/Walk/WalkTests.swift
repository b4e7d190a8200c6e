import ResourceManager
import TestSupport
import Testing

@Suite(.onTwoThreads)
struct WalkTests {
    /// Fewer where everything takes ten times as long.
    private static let seeds: Range<UInt64> = 1..<(isUnderThreadSanitizer ? 4 : 41)
    private static let steps = 250

    @Test("shown controllers are on window and in service, no others are, and no others are alive (3.24)")
    func fromOutside() {
        for seed in Self.seeds { walk(seed: seed, isReentrant: false) }
    }

    @Test("so are they whatever callbacks do, three deep (3.24, 4.27, 5.41, 5.42)")
    func fromCallbacks() {
        var pairs: Set<String> = []
        for seed in Self.seeds { pairs.formUnion(walk(seed: seed, isReentrant: true)) }
        #expect(isUnderThreadSanitizer || pairs.count > 300, "only \(pairs.count) pairs of operation and callback")
    }

    @discardableResult
    private func walk(seed: UInt64, isReentrant: Bool) -> Dictionary<String, Int>.Keys {
        let policy: ReleasePolicy = seed.isMultiple(of: 3) ? .keep : .unload
        let walk = Walk(seed: seed, policy: policy, isReentrant: isReentrant)
        for step in 0..<Self.steps where walk.failures.isEmpty {
            walk.step()
            walk.check()
            if !walk.failures.isEmpty {
                let log = walk.log.suffix(60).joined(separator: "\n")
                Issue.record("seed \(seed), step \(step): \(walk.failures)\n\(log)")
            }
        }
        return walk.pairs.keys
    }
}
