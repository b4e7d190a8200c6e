import TestSupport
import Testing

@testable import ResourceManager

@Suite(.onTwoThreads)
struct RandomOperationsTests {
    /// Fewer seeds under the thread sanitizer, where everything takes ten times as long.
    private static let seeds: Range<UInt64> = 0..<(isUnderThreadSanitizer ? 3 : 24)
    private static let steps = 400

    @Test(
        "for any program, callbacks pair, links are mutual, warnings load nothing and spare views on window",
        arguments: [ReleasePolicy.unload, .keep]
    )
    func invariants(policy: ReleasePolicy) {
        for seed in Self.seeds { run(seed: seed, policy: policy, isReentrant: false) }
    }

    @Test(
        "during other operations, too, links stay mutual and warnings load nothing and spare views on window"
    )
    func reentrant() {
        for seed in Self.seeds { run(seed: seed, policy: .unload, isReentrant: true) }
    }

    private func run(seed: UInt64, policy: ReleasePolicy, isReentrant: Bool) {
        let service = RandomService(seed: seed, policy: policy, isReentrant: isReentrant)
        for step in 0..<Self.steps {
            service.step()
            service.check()
            guard service.watch.violations.isEmpty else {
                let log = service.log.suffix(60).joined(separator: "\n")
                Issue.record("seed \(seed), step \(step): \(service.watch.violations)\n\(log)")
                return
            }
        }
        let watch = service.watch
        watch.onCallback = nil
        service.end()
        #expect(watch.alive == 0, "seed \(seed): controllers left alive")
    }
}
