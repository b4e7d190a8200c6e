import TestSupport
import Testing

@testable import ResourceManager

struct RandomOperationsTests {
    @Test(
        "whatever a program does, callbacks pair, links are mutual, warnings load nothing and spare what is on window",
        arguments: 0..<24 as Range<UInt64>
    )
    func invariants(seed: UInt64) {
        let service = RandomService(seed: seed, policy: .unload)
        for step in 0..<400 {
            service.step()
            service.check()
            guard service.watch.violations.isEmpty else {
                Issue.record(
                    "seed \(seed), step \(step): \(service.watch.violations)\n\(service.log.joined(separator: "\n"))"
                )
                return
            }
        }
        let watch = service.watch
        service.end()
        #expect(watch.alive == 0, "controllers left alive")
    }
}
