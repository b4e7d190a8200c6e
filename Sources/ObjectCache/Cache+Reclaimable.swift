package import ResourceManager
internal import Synchronization

extension Cache: Reclaimable {
    /// Rule 7.10: everything goes but what is in use, at either level.
    package func reclaim(for level: PressureLevel) -> Int {
        guard level > .normal else { return 0 }
        let offer = take { $0.reactsToMemoryWarnings ? $0.removeAllPlain() : [] }
        var cost = 0
        for entry in offer.entries {
            guard let content = entry.content else {
                finish(entry, telling: offer.delegate)
                cost += entry.cost
                continue
            }
            // Who begins an access after this question has the object, and keeps its content; only the cache does not.
            guard !content.isContentBeingAccessed else { continue }
            evict { state in
                let gone = state.remove(entry)
                if !gone.isEmpty { cost += entry.cost }
                return gone
            }
        }
        return cost
    }

    /// What a memory warning could bring.
    package var totalCost: Int {
        state.withLock { $0.reactsToMemoryWarnings ? $0.totalCost : 0 }
    }
}
