extension Reloadable: Reclaimable {
    package var releasableCost: Int { slot.cost }
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) { slot.reclaim(pacer) }
}

extension AsyncReloadable: Reclaimable {
    package var releasableCost: Int { slot.cost }
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) { slot.reclaim(pacer) }
}

extension ReloadableSlot {
    /// What can be made again goes at every warning, however little is asked for; what is only being made does not
    /// (rule 2.18).
    fileprivate func reclaim(_ pacer: ReclaimPacer) {
        if let bytes = drop() { pacer.didDrop(bytes) }
    }
}
