internal import MemoryPressure

// The basis of the module ObjectCache: a handler is told of objects before they are destroyed, and all objects leave
// when memory is short.
extension ResourceCache where Value: AnyObject {
    /// Creates an empty cache of objects without limits, which receives no memory warnings.
    ///
    /// - Parameter willEnd: Called without any lock with the leaving objects, in order, during the call that removes
    ///   them, while ``notifiesRemovals`` is `true`. Reads find these objects until ``didTell(of:)``.
    package convenience init(tellingFirst willEnd: @escaping @Sendable (_ removals: [CacheRemoval<Key, Value>]) -> Void)
    {
        var options = Options()
        options.onRemoval = willEnd
        self.init("", limit: nil, options: options, references: .ofObjects, tellsFirst: true)
    }

    /// Whether the removal handler is called for objects that leave; `false` at first.
    package var notifiesRemovals: Bool {
        get { withCore { $0.pointee.notifiesRemovals } }
        set { withCore { $0.pointee.notifiesRemovals = newValue } }
    }

    /// Whether the handler is being told of no value.
    package var hasNoPendingNotices: Bool { withCore { _ in leaving.isEmpty } }

    /// Records that the handler has been told of a value, which reads no longer find.
    ///
    /// - Returns: Whether the cache does not hold it; `false` if it was stored again in the meantime.
    @discardableResult
    package func didTell(of removal: CacheRemoval<Key, Value>) -> Bool {
        let hash = hash(of: removal.key)
        var rest: LeavingValues<Key, Value>.Rest?
        let isStoredAgain = withCore { _ in
            rest = takeLeaver(removal)
            noteAbsentees()
            return isStored(removal, hash: hash)
        }
        withExtendedLifetime(rest) {}
        return !isStoredAgain
    }

    /// Whether the cache does not hold an object that was taken; `false` if it was stored again since.
    package func isWithout(_ removal: CacheRemoval<Key, Value>) -> Bool {
        let hash = hash(of: removal.key)
        return withCore { _ in !isStored(removal, hash: hash) }
    }

    private func isStored(_ removal: CacheRemoval<Key, Value>, hash: UInt32) -> Bool {
        let entry = find(removal.key, hash: hash)
        return entry != 0 && value(of: entry).pointee === removal.value
    }

    /// Removes an object, if it is still the one for its key.
    package func remove(_ object: Value, for key: Key) {
        let hash = hash(of: key)
        change { core, departures in
            let entry = find(key, hash: hash)
            guard entry != 0, value(of: entry).pointee === object else { return .done }
            guard core.pointee.unlist(entry, because: .removed) else { return .busy(hash: hash) }
            departures.add(takeOut(entry, core, because: .removed))
            return .done
        }
    }

    /// Removes all objects like ``removeAll()``, the least valuable first.
    package func removeAllInOrder() {
        // This comes first: during a walk warnings create no weak references and put nothing back.
        withCore { $0.pointee.walks += 1 }
        noteChangeOfAll()
        // The count is limited because other threads may be storing faster.
        var steps = withCore { $0.pointee.releasable.count }
        change { core, departures in
            while steps > 0 {
                if departures.isFull { return .more }
                switch core.pointee.unlistForShortage(because: .removed) {
                case .none, .kept, .unpinned: return .done
                case .busy(let hash): return .busy(hash: hash)
                case .entry(let entry, _):
                    steps -= 1
                    departures.add(takeOut(entry, core, because: .removed))
                }
            }
            return .done
        }
        // The rest: objects that were stored in the meantime, and objects in use at a warning.
        if count > 0 { removeAll() }
        change { core, departures in
            core.pointee.walks -= 1
            core.pointee.forgetGhosts()
            // A warning may have taken some during the walk: it can neither put them back nor keep them weakly now.
            departures.add(other: leaving.removeAll())
            return .done
        }
        giveBackMemory()
    }

    /// Makes a leaving object invisible to reads.
    ///
    /// The caller holds the policy's lock.
    ///
    /// - Returns: The pair, which must not be destroyed under the lock; `nil` if its key has changed since it left.
    private func takeLeaver(_ removal: CacheRemoval<Key, Value>) -> LeavingValues<Key, Value>.Rest? {
        guard let leaver = leaving.find(removal.key), leaver === removal.value else { return nil }
        return leaving.remove(removal.key)
    }
}

// Memory warnings.
extension ResourceCache where Value: AnyObject {
    /// Begins to empty the cache because memory is short.
    ///
    /// - Returns: The number of entries to take.
    package func beginShortage() -> Int {
        forgetDeadWeakValues()
        return withCore { $0.pointee.releasable.count }
    }

    /// Takes the next few objects, the least valuable first.
    ///
    /// Reads find each until ``letGo(of:_:)``, ``putBack(_:)`` or ``didTell(of:)``; the removal handler is not called.
    ///
    /// - Parameter steps: The number of entries left to take; 0 once there are no more.
    /// - Returns: The taken objects, in order.
    package func takeForShortage(_ steps: inout Int) -> [CacheRemoval<Key, Value>] {
        var removals: [CacheRemoval<Key, Value>] = []
        var others: [LeavingValues<Key, Value>.Rest] = []
        var pages = LeavingPages.Piece()
        let busy: UInt32? = withCore { core in
            defer { pages = core.pointee.leavingPages.take() }
            return expectingAbsentees {
                while steps > 0, removals.count < Departures<Key, Value>.most {
                    switch core.pointee.unlistForShortage(because: .pressure) {
                    case .none, .kept, .unpinned:
                        steps = 0
                    case .busy(let hash):
                        return hash
                    case .entry(let entry, _):
                        steps -= 1
                        let removal = takeOut(entry, core, because: .pressure)
                        if let former = leaving.add(removal.value, for: removal.key) { others.append(former) }
                        removals.append(removal)
                    }
                }
                return nil
            }
        }
        withExtendedLifetime(others) {}
        pages.unmap()
        if let busy { view.pointee.waitForBucket(of: busy) }
        return removals
    }

    /// Whether an object that was taken can be dropped: it cannot if it is in use and there is no room for a weak
    /// reference.
    package func canLetGo(of removal: inout CacheRemoval<Key, Value>) -> Bool {
        withCore { _ in
            if hasRoomForWeakValue { return true }
            // This drops the cache's second reference. It is not the last one, because the caller has another.
            let isLeaving = takeLeaver(removal) != nil
            defer { if isLeaving { _ = leaving.add(removal.value, for: removal.key) } }
            return !references.isShared(&removal.value)
        }
    }

    /// Drops an object that was taken; if it is in use, reads find it as long as it lives.
    ///
    /// - Returns: The bytes that its destruction frees; the caller destroys it.
    package func letGo(of removal: inout CacheRemoval<Key, Value>, _ pacer: ReclaimPacer) -> Int {
        let (isShared, former) = withCore { _ in
            defer { noteAbsentees() }
            // This is not the last reference, because the caller has another.
            let isLeaving = takeLeaver(removal) != nil
            let isShared = references.isShared(&removal.value)
            // Another cache may have taken the last room since the object was asked for: without a reference it would be
            // lost.
            guard isLeaving, isShared, core.pointee.walks == 0 else { return (isShared, nil as WeakValues<Key>.Rest?) }
            let reference = WeakValues<Key>.Reference(
                object: removal.value,
                cost: EntryCost(removal.cost),
                ends: nil
            )
            return (isShared, weakValues.add(reference, for: removal.key))
        }
        withExtendedLifetime(former) {}
        if isShared {
            pacer.didLetGo(of: removal.value, removal.cost)
            return 0
        }
        return max(removal.cost, pacer.takeBytesHeld(by: removal.value))
    }

    /// Puts back an object that was taken, unless its key has changed since; it is not taken again in this shortage.
    ///
    /// - Returns: Whether the cache has it; `false` if it was removed or replaced in the meantime, without a call of
    ///   the removal handler.
    package func putBack(_ removal: CacheRemoval<Key, Value>) -> Bool {
        let hash = hash(of: removal.key)
        var isBack = false
        var isStoredAnew = false
        change { core, departures in
            if isBack { return evictOverfull(core, &departures) }
            guard let leaver = takeLeaver(removal) else {
                isStoredAnew = isStored(removal, hash: hash)
                return .done
            }
            departures.add(other: leaver)
            // All objects are being removed, and that would miss it.
            if core.pointee.walks > 0 { return .done }
            let entry = core.pointee.makeEntry(hash: hash, cost: EntryCost(removal.cost), times: nil)
            key(of: entry).initialize(to: removal.key)
            value(of: entry).initialize(to: removal.value)
            guard core.pointee.list(entry, in: .onScreen) != .busy else {
                // Neither is the last reference.
                key(of: entry).deinitialize(count: 1)
                value(of: entry).deinitialize(count: 1)
                core.pointee.free(entry)
                _ = leaving.add(removal.value, for: removal.key)
                return .busy(hash: hash)
            }
            isBack = true
            return evictOverfull(core, &departures)
        }
        return isBack || isStoredAnew
    }

    /// Ends the shortage that ``beginShortage()`` began: objects that were put back leave like all others again, and
    /// the cache's own memory returns to the kernel.
    package func endShortage() {
        change { core, _ in core.pointee.clearScreen() ? .more : .done }
        giveBackMemory()
    }

    /// Lets waiting threads change the cache, between two steps of a long change.
    package func giveWay() {
        view.pointee.giveWay()
    }

    /// Lets the cache grow again, because pressure is over.
    package func shortageDidEnd() {
        forgetDeadWeakValues()
    }
}
