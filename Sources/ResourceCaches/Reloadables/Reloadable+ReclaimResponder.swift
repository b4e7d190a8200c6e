extension Reloadable: ReclaimResponder {
    package var releasableCost: Int { slot.releasableCost }
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) { slot.reclaim(demand, pacer) }
}

extension AsyncReloadable: ReclaimResponder {
    package var releasableCost: Int { slot.releasableCost }
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) { slot.reclaim(demand, pacer) }
}
