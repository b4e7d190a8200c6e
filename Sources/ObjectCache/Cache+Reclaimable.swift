package import ResourceCaches

extension Cache: ReclaimResponder {
    /// The cost that a memory warning could release.
    package var releasableCost: Int { reactsToMemoryWarnings ? base.totalCost : 0 }

    /// Rule 7.10: everything leaves except content that is being accessed, at either level and however few bytes are wanted.
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        guard reactsToMemoryWarnings else { return }
        // There is neither a delegate nor discardable content.
        guard base.notifiesRemovals else { return base.releaseAll(pacer) }
        var steps = base.beginShortage()
        while steps > 0 {
            var leavers = base.takeForShortage(&steps)
            let delegate = delegate
            // The loop below takes objects from the end, so that each object is destroyed before the next leaves, not
            // all of them after the last.
            leavers.reverse()
            while !leavers.isEmpty { pacer.didDrop(dropLast(of: &leavers, pacer, telling: delegate)) }
            base.giveWay()
        }
        base.endShortage()
    }

    package func sharedObjectsDidEnd() { base.sharedObjectsDidEnd() }

    package func pressureDidEnd() {
        base.shortageDidEnd()
    }

    /// Removes the last object unless it is in use, and returns the freed bytes.
    private func dropLast(
        of leavers: inout [CacheRemoval<Key, Object>],
        _ pacer: ReclaimPacer,
        telling delegate: (any CacheDelegate<Key, Object>)?
    ) -> Int {
        guard var leaver = leavers.popLast() else { return 0 }
        // Another thread may have stored it again since it was removed.
        guard base.isWithout(leaver) else { return 0 }
        guard let content = content(of: leaver.value) else {
            guard base.canLetGo(of: &leaver) else {
                putBack(leaver, telling: delegate)
                return 0
            }
            delegate?.cache(self, willEvictObject: leaver.value)
            return base.letGo(of: &leaver, pacer)
        }
        // A reader that begins an access after this check has the object and keeps its content; only the cache drops
        // it.
        guard !content.isContentBeingAccessed else {
            putBack(leaver, telling: delegate)
            return 0
        }
        // Content that gives back its own memory, such as `PurgeableData`, has already been counted.
        let isGoneAlready = content.isContentDiscarded
        delegate?.cache(self, willEvictObject: leaver.value)
        guard base.isWithout(leaver) else { return 0 }
        content.discardContentIfPossible()
        guard content.isContentDiscarded else {
            // An access began while the delegate was told: reads have to find the object.
            if base.canLetGo(of: &leaver) { return base.letGo(of: &leaver, pacer) }
            putBack(leaver, telling: nil)
            return 0
        }
        base.didTell(of: leaver)
        // Another cache may have let go of the same object in this event: it counts once.
        let heldBytes = pacer.takeBytesHeld(by: leaver.value)
        return isGoneAlready ? 0 : max(leaver.cost, heldBytes)
    }

    /// Puts back an object in use, unless it was removed or replaced in the meantime: then it leaves.
    private func putBack(_ leaver: CacheRemoval<Key, Object>, telling delegate: (any CacheDelegate<Key, Object>)?) {
        if !base.putBack(leaver) { delegate?.cache(self, willEvictObject: leaver.value) }
    }
}
