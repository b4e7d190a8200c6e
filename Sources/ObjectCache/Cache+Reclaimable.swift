package import ResourceCaches

extension Cache: ReclaimResponder {
    /// What a memory warning could bring.
    package var releasableCost: Int { reactsToMemoryWarnings ? base.totalCost : 0 }

    /// Rule 7.10: everything goes but what is in use, at either level and however little is asked for.
    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        guard reactsToMemoryWarnings else { return }
        // There is no delegate, and no content.
        guard base.hearsOfRemovals else { return base.releaseAll(pacer) }
        var steps = base.beginShortage()
        while steps > 0 {
            var leavers = base.takeForShortage(&steps)
            let delegate = delegate
            // Taken from the end, so that each object ends before the next leaves, and not all of them after the last.
            leavers.reverse()
            while !leavers.isEmpty { pacer.didDrop(dropLast(of: &leavers, pacer, telling: delegate)) }
            base.giveWay()
        }
        base.endShortage()
    }

    package func pressureDidEnd() {
        base.shortageDidEnd()
    }

    /// Has one object leave unless it is in use, and returns the bytes that this has freed.
    private func dropLast(
        of leavers: inout [CacheRemoval<Key, Object>],
        _ pacer: ReclaimPacer,
        telling delegate: (any CacheDelegate<Key, Object>)?
    ) -> Int {
        guard var leaver = leavers.popLast() else { return 0 }
        // Another thread may have stored it again since it was taken.
        guard base.isWithout(leaver) else { return 0 }
        guard let content = content(of: leaver.value) else {
            guard base.canLetGo(of: &leaver) else {
                putBack(leaver, telling: delegate)
                return 0
            }
            delegate?.cache(self, willEvictObject: leaver.value)
            return base.letGo(of: &leaver, pacer)
        }
        // A reader that begins an access after this question has the object, and keeps its content; only the cache does
        // not.
        guard !content.isContentBeingAccessed else {
            putBack(leaver, telling: delegate)
            return 0
        }
        // Content that gives its memory back by itself, `PurgeableData` for one, has been counted then.
        let isGoneAlready = content.isContentDiscarded
        delegate?.cache(self, willEvictObject: leaver.value)
        guard base.didTell(of: leaver) else { return 0 }
        content.discardContentIfPossible()
        return content.isContentDiscarded && !isGoneAlready ? leaver.cost : 0
    }

    /// Puts an object back that is in use; one that was removed or replaced meanwhile has left by that.
    private func putBack(_ leaver: CacheRemoval<Key, Object>, telling delegate: (any CacheDelegate<Key, Object>)?) {
        if !base.putBack(leaver) { delegate?.cache(self, willEvictObject: leaver.value) }
    }
}
