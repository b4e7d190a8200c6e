import Dispatch
import Synchronization
import TestSupport

@testable import ResourceCaches
@testable import ResourceManager

/// Stands for a slow cache.
///
/// When it is first asked, it releases 100 bytes once the gate opens; each later time it releases 10 bytes immediately.
final class GatedResponder: ReclaimResponder {
    /// `begins`, and `ends` or `was kept waiting`.
    let events = EventStream<String>()
    private let hasBegun = Atomic(false)
    private let gate = DispatchSemaphore(value: 0)

    var releasableCost: Int { 1000 }

    func open() {
        gate.signal()
    }

    func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        guard !hasBegun.exchange(true, ordering: .sequentiallyConsistent) else { return pacer.didReturn(10) }
        events.send("begins")
        // If the actor cannot open the gate, the test fails after this time instead of hanging.
        events.send(gate.wait(timeout: .now() + .seconds(10)) == .success ? "ends" : "was kept waiting")
        pacer.didReturn(100)
    }
}
