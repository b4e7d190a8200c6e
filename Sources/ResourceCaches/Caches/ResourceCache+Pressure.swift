internal import MemoryPressure

extension ResourceCache: ReclaimResponder {
    package var releasableCost: Int {
        endExpiredPins()
        return withCore { $0.pointee.releasable.cost }
    }

    package func excess(at level: PressureLevel) -> Int {
        Self.excess(of: releasableCost, keeping: keptShare(at: level))
    }

    private static func excess(of amount: Int, keeping share: Double) -> Int {
        share == 1 ? 0 : amount - Int(Double(amount) * share)
    }

    // This is the service's code, which may use the cache.
    private func keptShare(at level: PressureLevel) -> Double {
        options.keptShare.map { max(0, min(1, $0(level))) } ?? level.keptShare
    }

    package func reclaimSpare(_ kind: SpareKind, upTo bytes: Int, pacer: ReclaimPacer) {
        countingReturnedMemory(pacer) {
            switch kind {
            case .expired: dropExpired(upTo: bytes, pacer)
            case .prefetched: dropPrefetched(upTo: bytes, pacer)
            }
        }
    }

    /// Drops expired values that may leave.
    private func dropExpired(upTo bytes: Int, _ pacer: ReclaimPacer) {
        var rest = bytes
        var steps = withCore { view.pointee.mayHaveTimes ? $0.pointee.store.reach : 0 }
        while steps > 0, rest > 0 {
            let batch = min(steps, Departures<Key, Value>.most)
            steps -= batch
            let dropped = drop(pacer) { core, departures in
                var steps = batch
                removeExpired(steps: &steps, upTo: rest, core, &departures)
                return .done
            }
            for value in dropped { rest -= value.cost }
        }
    }

    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        forgetDeadWeakValues()
        var quota = makeQuota(for: demand)
        // This comes first, so that values stored during the reclaim evict others themselves.
        let kept = withCore { core in
            // Values that cannot leave may stay.
            let kept = min(quota.before, max(quota.kept, core.pointee.cost - core.pointee.releasable.cost))
            core.pointee.limits.shrink(to: kept, from: quota.before)
            core.pointee.reservedBefore = core.pointee.reserved
            if kept < quota.before { core.pointee.noteLoweredLimit() }
            core.pointee.limitChanges += 1
            return kept
        }
        countingReturnedMemory(pacer) {
            while quota.isOpen { takeSome(&quota, pacer) }
            // Otherwise the next value that is stored would evict all objects in use that have stayed.
            if quota.stayed > 0 {
                withCore { core in
                    core.pointee.limits.keep(min(kept.addingSaturated(quota.stayed), core.pointee.cost))
                }
            }
            // Values that other threads stored in the meantime stay only within the service's limits.
            endLimitChange { core, departures in evict(core, &departures) { $0.pointee.unlistExcess() } }
            giveBackMemory()
        }
    }

    /// Reports the cache's own memory that returns to the kernel during `body`, as chunks become empty or move.
    private func countingReturnedMemory(_ pacer: ReclaimPacer, _ body: () -> Void) {
        let before = withCore { $0.pointee.store.returnedBytes }
        body()
        pacer.didReturnSlab(withCore { $0.pointee.store.returnedBytes } - before)
    }

    /// Removes everything that is neither on screen nor pinned because memory is short, and lets the cache grow again
    /// at once.
    package func releaseAll(_ pacer: ReclaimPacer) {
        forgetDeadWeakValues()
        var quota = withCore { core in
            let steps = core.pointee.releasable.count
            return ReclaimQuota(before: core.pointee.cost, kept: 0, bytes: .max, entries: .max, steps: steps)
        }
        while quota.isOpen { takeSome(&quota, pacer) }
        giveBackMemory()
    }

    package func sharedObjectsDidEnd() { forgetDeadWeakValues() }

    package func pressureDidEnd() {
        withCore { $0.pointee.limits.recover(at: view.pointee.clock.now()) }
        forgetDeadWeakValues()
    }

    func forgetDeadWeakValues() {
        guard view.pointee.mayHaveAbsentees else { return }
        var dead = withCore { _ in weakValues }.dead[...]
        change { _, departures in
            departures.add(other: weakValues.remove(dead.prefix(Departures<Key, Value>.most)))
            dead = dead.dropFirst(Departures<Key, Value>.most)
            return dead.isEmpty ? .done : .more
        }
    }

    /// Computes the cost that has to leave; a number of values if they have no cost.
    private func makeQuota(for demand: ReclaimDemand) -> ReclaimQuota {
        let share = keptShare(at: demand.level)
        endExpiredPins()
        return withCore { core in
            let cost = core.pointee.cost
            let before = cost.addingSaturated(demand.given)
            let bytes = min(cost, demand.bytes ?? max(0, Self.excess(of: before, keeping: share) - demand.given))
            let entries = before == 0 && demand.bytes == nil ? Self.excess(of: core.pointee.count, keeping: share) : 0
            return ReclaimQuota(
                before: before,
                kept: cost - bytes,
                bytes: bytes,
                entries: entries,
                steps: core.pointee.releasable.count,
                isOfBytes: demand.bytes != nil
            )
        }
    }

    private func takeSome(_ quota: inout ReclaimQuota, _ pacer: ReclaimPacer) {
        // The objects of the values that leave, as far as something else refers to them, which may be another of these values, and
        // their costs. A step ends at the second key of an object, so that it counts before further values leave.
        var objects: [ObjectIdentifier?] = []
        var costs: [ObjectIdentifier: Int] = [:]
        let dropped = drop(pacer) { core, departures in
            var looks = 0
            while quota.isOpen, !departures.isFull, looks < Departures<Key, Value>.most {
                looks += 1
                // An object in use without a weak reference would be loaded a second time.
                func stays(_ entry: UInt32) -> Bool {
                    guard mustStay(entry) else { return false }
                    quota.stayed = quota.stayed.addingSaturated(view.pointee.bytes(of: entry))
                    return true
                }
                switch core.pointee.unlistForShortage(because: .pressure, unless: stays) {
                case .none, .unpinned:
                    quota.close()
                case .kept:
                    quota.steps -= 1
                case .busy(let hash):
                    quota.steps -= 1
                    return .busy(hash: hash)
                case .entry(let entry, _):
                    let isFound = keepWeakly(entry, core, &departures)
                    let removal = takeOut(entry, core, because: .pressure)
                    quota.take(removal.cost, isFoundAgain: isFound)
                    let object = isFound ? references.object(of: removal.value).map { ObjectIdentifier($0) } : nil
                    objects.append(object)
                    departures.add(removal)
                    guard let object else { continue }
                    let former = costs.updateValue(removal.cost + (costs[object] ?? 0), forKey: object)
                    if former != nil { return .done }
                }
            }
            return .done
        }
        for (value, object) in zip(dropped, objects) {
            // The last of several keys has freed its object.
            if let object, let freed = value.freed { quota.count(quota.isOfBytes ? freed : costs[object] ?? freed) }
        }
    }

    /// Drops prefetched values that were never read.
    private func dropPrefetched(upTo bytes: Int, _ pacer: ReclaimPacer) {
        var rest = bytes
        var isOver = false
        while rest > 0, !isOver {
            let dropped = drop(pacer) { core, departures in
                var (removed, looks) = (0, 0)
                while removed < rest, !departures.isFull, looks < Departures<Key, Value>.most {
                    looks += 1
                    switch core.pointee.unlistPrefetched(because: .pressure, unless: { mustStay($0) }) {
                    case .entry(let entry, _):
                        _ = keepWeakly(entry, core, &departures)
                        let removal = takeOut(entry, core, because: .pressure)
                        removed += removal.cost
                        departures.add(removal)
                    case .kept:
                        continue
                    case .none, .busy, .unpinned:
                        isOver = true
                        return .done
                    }
                }
                return .done
            }
            for value in dropped { rest -= value.cost }
        }
    }

    /// Runs one step under the policy's lock, destroys the values that left, and reports the freed bytes to the pacer.
    ///
    /// - Returns: The costs of the values that left, in order, and the bytes of each that were freed; `nil` if it lives on.
    private func drop(
        _ pacer: ReclaimPacer,
        _ step: (CacheCore.Pointer, inout Departures<Key, Value>) -> Attempt
    ) -> [(cost: Int, freed: Int?)] {
        var departures = Departures<Key, Value>()
        var pages = LeavingPages.Piece()
        let (attempt, notifiesRemovals) = withCore { core in
            let attempt = expectingAbsentees { step(core, &departures) }
            pages = core.pointee.leavingPages.take()
            return (attempt, core.pointee.notifiesRemovals)
        }
        pages.unmap()
        if notifiesRemovals { tell(departures) }
        var removals = departures.takeRemovals()
        removals.reverse()
        var dropped: [(cost: Int, freed: Int?)] = []
        var (freed, inSlab) = (0, 0)
        // Each value is destroyed before the next is looked at, which may be the same object under another key.
        while var removal = removals.popLast() {
            let bytes = removal.cost
            // Content that gives back its own memory has been counted; content that was discarded before frees nothing.
            let isDiscarded =
                Self.mayBeDiscarded && (removal.value as? any DiscardableContent)?.isContentDiscarded == true
            // The removal handler may have kept it.
            if isDiscarded || references.isShared(&removal.value) {
                if !isDiscarded { pacer.didLetGo(of: references.object(of: removal.value), bytes) }
                dropped.append((bytes, nil))
                continue
            }
            let held = pacer.takeBytesHeld(by: references.object(of: removal.value))
            // The part in the cache's own memory is free when that memory returns to the kernel.
            let own = min(bytes, Self.slabBytes)
            inSlab += own
            freed = freed.addingSaturated(max(bytes - own, held))
            dropped.append((bytes, max(bytes, held)))
        }
        withExtendedLifetime(departures) {}
        pacer.didDrop(freed, inSlab: inSlab)
        view.pointee.giveWay()
        if case .busy(let hash) = attempt { view.pointee.waitForBucket(of: hash) }
        return dropped
    }

    /// The part of a value's cost that is in the cache's own memory beside its key.
    ///
    /// Small values stand for something larger, like a reference or a number.
    private static var slabBytes: Int { MemoryLayout<Value>.size >= 64 ? MemoryLayout<Value>.size : 0 }

    private static var mayBeDiscarded: Bool { Value.self is any DiscardableContent.Type }

    /// Whether an entry's object is in use and no weak reference to it can be kept.
    ///
    /// The caller holds the policy's lock.
    private func mustStay(_ entry: UInt32) -> Bool {
        if canKeepWeakly || !references.isOfObjects { return false }
        // If its bucket is busy, the object is being read.
        var isShared = true
        _ = view.pointee.tryWithBucket(of: view.pointee.header(of: entry).pointee.hash) { _ in
            isShared = references.isShared(&value(of: entry).pointee)
        }
        return isShared
    }

    /// Whether another weak reference can be kept.
    ///
    /// The caller holds the policy's lock.
    ///
    /// None can be kept during a walk over all entries, which may remove them: the walk would miss the object.
    var canKeepWeakly: Bool { hasRoomForWeakValue && core.pointee.walks == 0 }

    var hasRoomForWeakValue: Bool { weakValues.hasRoom && reclaimer.weakReferences.hasRoom }

    /// Keeps a weak reference to an entry's object if the object is in use.
    ///
    /// The caller holds the policy's lock.
    ///
    /// The entry is no longer listed, and its key and value are still initialised.
    ///
    /// - Returns: Whether reads find the object while it lives.
    private func keepWeakly(
        _ entry: UInt32,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Bool {
        // It may leave only if there was room; another cache may have taken that since.
        guard core.pointee.walks == 0, references.isOfObjects, references.isShared(&value(of: entry).pointee) else {
            return false
        }
        guard let object = references.object(of: value(of: entry).pointee) else { return false }
        let isTimed = view.pointee.uses(of: entry).isTimed
        let reference = WeakValues<Key>.Reference(
            object: object,
            cost: EntryCost(core.pointee.bytes(of: entry)),
            ends: isTimed ? EntryEnds(view.pointee.times(of: entry)) : nil
        )
        if let former = weakValues.add(reference, for: key(of: entry).pointee) { departures.add(other: former) }
        return true
    }
}

/// The amount that still has to leave a cache in one event.
private struct ReclaimQuota {
    /// The cost of the cache at the event, and the part of it that stays.
    let before: Int
    let kept: Int
    private(set) var bytes: Int
    private(set) var entries: Int
    /// The number of entries still to examine.
    var steps: Int
    /// The cost of the objects in use that stay.
    var stayed = 0
    /// Whether memory is wanted, and not a share of the costs.
    let isOfBytes: Bool

    init(before: Int, kept: Int, bytes: Int, entries: Int, steps: Int, isOfBytes: Bool = false) {
        (self.before, self.kept) = (before, kept)
        (self.bytes, self.entries, self.steps) = (bytes, entries, steps)
        self.isOfBytes = isOfBytes
    }

    var isOpen: Bool { (bytes > 0 || entries > 0) && steps > 0 }

    // A value with a weak reference is in use: its removal neither loses nor frees anything.
    mutating func take(_ cost: Int, isFoundAgain: Bool) {
        steps -= 1
        if !isFoundAgain { count(cost) }
    }

    mutating func count(_ cost: Int) {
        bytes -= cost
        entries -= 1
    }

    mutating func close() {
        steps = 0
    }
}
