internal import Synchronization

// The end of loads.
extension ResourceCache {
    /// Stores the result of a load, and wakes all waiters.
    func land(
        _ flight: LoadBook<Key, Value>.Load,
        _ run: LoadUnderWay,
        _ key: Key,
        _ delivery: Delivery<Value>,
        _ terms: LoadTerms,
        since start: ContinuousClock.Instant
    ) -> Value {
        var terms = terms
        // Callers that joined it may have given others.
        let (given, former) = withCore { _ in (flight.priority, flight.former) }
        (terms.priority, terms.keepsPriority) = (given ?? former, given == nil)
        var waiters = Flight<Value>.Waiters()
        // Otherwise the key was changed manually since the load began, and the result may be outdated.
        store(delivery, for: key, terms, since: start) {
            loading.isCurrent(flight, for: key)
        } end: { departures in
            if loading.isCurrent(flight, for: key), let rest = loading.noteSuccess(of: key) {
                departures.add(other: rest)
            }
            if let rest = loading.end(flight, for: key) { departures.add(other: rest) }
            waiters = flight.flight.land()
        }
        waiters.wake(.success(.value(delivery.value)))
        return delivery.value
    }

    /// Stores the result of a load, and ends the load.
    ///
    /// - Parameters:
    ///   - delivery: The result.
    ///   - key: Its key.
    ///   - terms: The cost and priority.
    ///   - start: When the load began.
    ///   - isWanted: Under the policy's lock, returns whether the value is to be stored.
    ///   - end: Under the policy's lock, ends the load; called once.
    func store(
        _ delivery: Delivery<Value>,
        for key: Key,
        _ terms: LoadTerms,
        since start: ContinuousClock.Instant,
        ifWanted isWanted: () -> Bool,
        end: (inout Departures<Key, Value>) -> Void
    ) {
        let hash = hash(of: key)
        let cost = delivery.cost ?? delivery.former?.cost?.bytes ?? terms.cost ?? weigher?(key, delivery.value) ?? 1
        let entryCost = EntryCost(cost)
        let times = options.times(toLive: delivery.timeToLive, toRefresh: delivery.refreshAfter)
        var pending: Value? = delivery.value
        var queue: EntryQueue?
        var hasEnded = false
        change { core, departures in
            if hasEnded { return settleLimits(core, &departures) }
            if pending == nil || isWanted() && mayLand(terms, entryCost, key, hash, core) {
                var attempt = pending == nil ? nil : settle(delivery, key, hash, times, core, &departures)
                if attempt == nil {
                    let isNew = pending != nil
                    let present = find(key, hash: hash)
                    let keepsPriority = terms.keepsPriority && present != 0 && isGood(present)
                    attempt = store(
                        &pending,
                        for: key,
                        hash: hash,
                        cost: entryCost,
                        priority: keepsPriority ? nil : terms.priority,
                        times: times,
                        &queue,
                        core,
                        &departures
                    )
                    if isNew, pending == nil, let rest = loading.noteStore(of: key) { departures.add(other: rest) }
                }
                if let attempt, !attempt.isDone { return attempt }
            }
            if let former = delivery.former { endWatch(former, of: key, &departures) }
            core.pointee.figures.noteLoad(since: start)
            end(&departures)
            hasEnded = true
            // Values that began to leave for a result that became outdated meanwhile have ended pins.
            return settleLimits(core, &departures)
        }
        withExtendedLifetime(pending) {}
    }

    /// Whether the result of a load may be stored; not if it was prefetched and another value would have to leave.
    ///
    /// The caller holds the policy's lock.
    private func mayLand(
        _ terms: LoadTerms,
        _ cost: EntryCost,
        _ key: Key,
        _ hash: UInt32,
        _ core: CacheCore.Pointer
    ) -> Bool {
        guard let warmth = terms.warmth, terms.priority == .prefetched, find(key, hash: hash) == 0 else { return true }
        if core.pointee.hasSpareRoom(for: cost) { return true }
        warmth.isFull.store(true, ordering: .relaxed)
        core.pointee.noteRefusal()
        return false
    }

    /// Handles a result of a load that is not to be stored.
    ///
    /// The caller holds the policy's lock.
    ///
    /// - Returns: `nil` if the result is to be stored.
    private func settle(
        _ delivery: Delivery<Value>,
        _ key: Key,
        _ hash: UInt32,
        _ times: CacheTimes?,
        _ core: CacheCore.Pointer,
        _ departures: inout Departures<Key, Value>
    ) -> Attempt? {
        // Another thread has loaded a newer value than the confirmed one.
        if let former = delivery.former, !isUntouched(former, for: key) { return .done }
        let entry = find(key, hash: hash)
        guard delivery.isUsedUp else {
            guard delivery.former != nil, entry != 0 else { return nil }
            let isDone = view.pointee.tryWithBucket(of: hash) { _ in core.pointee.renew(entry, times) }
            return isDone ? .done : .busy(hash: hash)
        }
        if entry != 0 {
            let reason: RemovalReason = delivery.former == nil ? .replaced : .expired
            guard core.pointee.unlist(entry, because: reason) else { return .busy(hash: hash) }
            departures.add(takeOut(entry, core, because: reason))
        }
        if view.pointee.mayHaveAbsentees { forgetAbsentValue(of: key, &departures) }
        if let rest = loading.noteStore(of: key) { departures.add(other: rest) }
        return .done
    }

    /// Hands over a load whose task was cancelled, or fails all waiters.
    func fail(_ flight: LoadBook<Key, Value>.Load, _ key: Key, _ error: any Error) {
        let isCancelled = Task.isCancelled
        var waiters = Flight<Value>.Waiters()
        var outcome = Flight<Value>.Outcome.failure(error)
        change { core, departures in
            if isCancelled, let next = flight.flight.handOver() {
                waiters = next
                outcome = .success(.lead(flight.flight.load))
                return .done
            }
            core.pointee.figures.failedLoads += 1
            if !isCancelled, let time = options.failureTimeToLive, loading.isCurrent(flight, for: key) {
                let rest = loading.note(error, of: key, at: view.pointee.clock.now(), timeToLive: time)
                departures.add(other: rest)
            }
            if let rest = loading.end(flight, for: key) { departures.add(other: rest) }
            waiters = flight.flight.land()
            return .done
        }
        waiters.wake(outcome)
    }
}
