internal import CLinux

extension ResourceCache {
    /// Changes the value for a key by a closure, atomically.
    ///
    /// ```swift
    /// visits.update(path) { $0 = ($0 ?? 0) + 1 }
    /// ```
    ///
    /// No other change of the key comes between the value that the closure saw and the one that is stored: neither
    /// another update nor an insertion, removal, load or eviction. After another change the closure's result is dropped
    /// and the closure is called again with the new value; so it should have no side effects. If several updates of a
    /// key run at the same time the fastest wins, and all of them finish as soon as the other changes end.
    ///
    /// The entry keeps its position, its priority and its expiry (``Options/timeToLive``, or the lifetime given when it
    /// was stored), unless the arguments change them; without a `timeToLive` its age counts on for
    /// ``Options/refreshAfter``, and the update is a use for ``Options/timeToIdle``. A load of the same key under way
    /// does not store its result; if it stored it before the closure returned, the closure is called again with that
    /// value. Neither a hit nor a miss. Takes the lock for changes twice, each time for constant time.
    ///
    /// The closure runs outside all locks, so it may use the cache, including updates of other keys. If it changes the
    /// value for this key in another way, it traps, because the update would restart each time: by a nested update or a
    /// load of this key, by `removeAll`, or through a removal handler that it triggers.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: The cost of the new value; `nil` for that of the ``Options/weigher``, without one for the old value's
    ///     cost, and for 1 if there is none.
    ///   - priority: Its priority; `nil` for the old value's priority, and ``CachePriority/offScreen`` if there is
    ///     none.
    ///   - timeToLive: Its lifetime from now on; `nil` for the remaining lifetime of the old value, and
    ///     ``Options/timeToLive`` if there is none.
    ///   - body: Changes the value, which is `nil` if there is none or it has expired. Setting it to `nil` removes it;
    ///     without a value that changes nothing, and a remembered failure stays. A value without room is not kept, as
    ///     with ``insert(_:for:cost:priority:timeToLive:)``.
    /// - Returns: The result of the closure's last call.
    /// - Throws: The closure's error; then nothing is changed.
    @discardableResult
    public func update<Result, Failure: Error>(
        _ key: Key,
        cost: Int? = nil,
        priority: CachePriority? = nil,
        timeToLive: Duration? = nil,
        _ body: (inout Value?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        while true {
            let former = former(key, by: pthread_self(), includingExpired: false)
            var value = former.value
            let result: Result
            do throws(Failure) {
                result = try body(&value)
            } catch {
                forget(former, of: key)
                throw error
            }
            guard let value else {
                if remove(former, of: key) { return result }
                continue
            }
            let cost = EntryCost(cost ?? weigher?(key, value) ?? former.cost?.bytes ?? 1)
            let keepsEnd = timeToLive == nil && former.value != nil
            let times = keepsEnd ? former.ends.map(CacheTimes.init) : times(toLive: timeToLive)
            if store(value, for: key, inPlaceOf: former, cost, priority, times) { return result }
        }
    }

    /// Whether the key still has the value that an update saw.
    ///
    /// The caller holds the policy's lock.
    private func isCurrent(_ former: Former<Value>, for key: Key, hash: UInt32) -> Bool {
        // The closure has returned.
        loading.endThread(of: former.watch)
        guard isUntouched(former, for: key) else { return false }
        let entry = find(key, hash: hash)
        let isThere = entry != 0 && isGood(entry)
        guard former.value != nil else { return !isThere }
        return isThere || weakValues.find(key, at: view.pointee.clock.now()) != nil
    }

    /// Ends an update that has changed the key.
    ///
    /// The caller holds the policy's lock.
    private func end(_ former: Former<Value>, of key: Key, _ departures: inout Departures<Key, Value>) {
        endWatch(former, of: key, &departures)
        noteChange(of: key, &departures)
    }

    /// Stores the result of an update.
    ///
    /// - Returns: `false` if the key was changed in the meantime; then nothing was stored.
    private func store(
        _ value: Value,
        for key: Key,
        inPlaceOf former: Former<Value>,
        _ cost: EntryCost,
        _ priority: CachePriority?,
        _ times: CacheTimes?
    ) -> Bool {
        let hash = hash(of: key)
        var pending: Value? = value
        var queue: EntryQueue?
        var isDone = false
        change { core, departures in
            if !isDone, !isCurrent(former, for: key, hash: hash) {
                endWatch(former, of: key, &departures)
                return .done
            }
            let attempt = store(
                &pending,
                for: key,
                hash: hash,
                cost: cost,
                priority: priority,
                times: times,
                &queue,
                core,
                &departures
            )
            // Also if it was refused. The remaining work concerns other keys.
            if !isDone, pending == nil || attempt.isDone {
                isDone = true
                end(former, of: key, &departures)
            }
            return attempt
        }
        withExtendedLifetime(pending) {}
        return isDone
    }

    /// Removes the value of a key because an update set it to `nil`.
    ///
    /// - Returns: `false` if the key was changed in the meantime; then nothing was removed.
    private func remove(_ former: Former<Value>, of key: Key) -> Bool {
        if former.value == nil {
            forget(former, of: key)
            return true
        }
        let hash = hash(of: key)
        var isDone = false
        change { core, departures in
            guard isCurrent(former, for: key, hash: hash) else {
                endWatch(former, of: key, &departures)
                return .done
            }
            let entry = find(key, hash: hash)
            if entry != 0 {
                guard core.pointee.unlist(entry, because: .removed) else { return .busy(hash: hash) }
                departures.add(takeOut(entry, core, because: .removed))
            }
            isDone = true
            end(former, of: key, &departures)
            return .done
        }
        return isDone
    }
}
