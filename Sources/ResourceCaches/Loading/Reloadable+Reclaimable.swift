extension Reloadable: Reclaimable {
    package var releasableCost: Int { slot.releasableCost }
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) { slot.reclaim(demand, pacer) }
    package func pressureDidEnd() { slot.pressureDidEnd() }
}

extension AsyncReloadable: Reclaimable {
    package var releasableCost: Int { slot.releasableCost }
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) { slot.reclaim(demand, pacer) }
    package func pressureDidEnd() { slot.pressureDidEnd() }
}
