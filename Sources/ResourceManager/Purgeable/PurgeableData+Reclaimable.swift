package import MemoryPressure

extension PurgeableData: Reclaimable {
    /// Everything goes if nobody uses it, at either level.
    package func reclaim(for level: PressureLevel) -> Int {
        level > .normal ? discard() : 0
    }

    package var totalCost: Int { idleCount }
}
