extension Reloadable: ReclaimResponder {
    package var releasableCost: Int { slot.releasableCost }
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) { slot.reclaim(demand, pacer) }
    package func pressureDidEnd() { slot.pressureDidEnd() }
}

extension AsyncReloadable: ReclaimResponder {
    package var releasableCost: Int { slot.releasableCost }
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) { slot.reclaim(demand, pacer) }
    package func pressureDidEnd() { slot.pressureDidEnd() }
}
