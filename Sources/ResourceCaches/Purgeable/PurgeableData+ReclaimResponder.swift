extension PurgeableData: ReclaimResponder {
    package var releasableCost: Int { idleCount }

    /// Everything goes if it is not in use, at either level and however little is asked for.
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        pacer.didReturn(discard())
    }
}
