package import ResourceCaches
internal import Synchronization

extension Cache: ReclaimResponder {
    /// What a memory warning could bring.
    package var releasableCost: Int {
        state.withLock { $0.reactsToMemoryWarnings ? $0.totalCost : 0 }
    }

    /// Rule 7.10: everything goes but what is in use, at either level and however little is asked for.
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        var offer = take { $0.reactsToMemoryWarnings ? $0.removeAllPlain() : [] }
        // Taken from the end, so that each object ends before the next leaves, and not all of them after the last.
        offer.entries.reverse()
        while !offer.entries.isEmpty { pacer.didDrop(dropLast(of: &offer)) }
    }

    /// Has one entry leave unless it is in use, and returns the cost of what left.
    private func dropLast(of offer: inout Departure) -> Int {
        guard let entry = offer.entries.popLast() else { return 0 }
        guard let content = entry.content else {
            finish(entry, telling: offer.delegate)
            return entry.cost
        }
        // Who begins an access after this question has the object, and keeps its content; only the cache does not.
        guard !content.isContentBeingAccessed else { return 0 }
        var cost = 0
        evict { state in
            let gone = state.remove(entry)
            if !gone.isEmpty { cost = entry.cost }
            return gone
        }
        return cost
    }
}
