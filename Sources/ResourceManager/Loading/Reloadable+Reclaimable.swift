package import MemoryPressure

extension Reloadable: Reclaimable {
    package func reclaim(for level: PressureLevel) -> Int { slot.reclaim(for: level) }
    package var totalCost: Int { slot.cost }
}

extension AsyncReloadable: Reclaimable {
    package func reclaim(for level: PressureLevel) -> Int { slot.reclaim(for: level) }
    package var totalCost: Int { slot.cost }
}

extension ReloadableSlot {
    /// What can be made again goes at every warning; what is only being made does not (rule 2.18).
    fileprivate func reclaim(for level: PressureLevel) -> Int {
        level == .normal ? 0 : drop() ?? 0
    }
}
