extension PurgeableData: ReclaimResponder {
    package var releasableCost: Int { idleCount }

    /// All bytes go unless they are in use, at either level and however few bytes are wanted.
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        pacer.didReturn(discard())
        // A cache may have let go of it in this event: it counts once.
        if isContentDiscarded { _ = pacer.takeBytesHeld(by: self) }
    }
}
