import Dispatch
import Synchronization
import TestSupport

@testable import ResourceCaches
@testable import ResourceManager

/// Stands for a cache that takes its time: the first time that it is asked, it gives 100 bytes once the gate opens, and
/// from then on 10 each time, at once.
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
        // What keeps the actor from opening the gate fails its test after this, in place of hanging it.
        events.send(gate.wait(timeout: .now() + .seconds(10)) == .success ? "ends" : "was kept waiting")
        pacer.didReturn(100)
    }
}
