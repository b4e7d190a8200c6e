internal import CLinux

extension ResourceCache {
    /// Changes the value for a key by a closure, atomically.
    ///
    /// ```swift
    /// visits.update(path) { $0 = ($0 ?? 0) + 1 }
    /// ```
    ///
    /// No other change of the key comes between the value that the closure saw and the one that is stored: not by
    /// other updates, insertions, removals, loads or removals for want of room. If one did, what the closure has made is
    /// dropped and the closure is called again with the value that there is then; so it should do nothing besides. Of
    /// several updates of a key at the same time the fastest wins, and all come to their end if the changes by others do.
    ///
    /// The entry keeps its place, its priority and its end (``Options/timeToLive``, and the lifetime that it was stored
    /// with), unless something else is given. A load of the same key that is under way does not store what it brings; if
    /// it did before the closure was done, the closure is called again with that. Neither a hit nor a miss. Takes the
    /// lock for changes twice, for constant time each.
    ///
    /// The closure runs outside all locks, so it may use the cache, other keys' updates included. If it changes the value
    /// for this key in another way, it traps, as it would begin anew each time: by an update inside it, by a load of this
    /// key, by `removeAll`, or by what a handler of removals does that it has run.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: What the new value costs; `nil` for what the ``Options/weigher`` says, without one for the old value's
    ///     cost, and for 1 if there is none.
    ///   - priority: How much it would be missed; `nil` for the old value's priority, and ``CachePriority/offScreen`` if
    ///     there is none.
    ///   - timeToLive: How long it is handed out from now on; `nil` for as long as the old one would have been, and
    ///     ``Options/timeToLive`` if there is none.
    ///   - body: Changes the value, which is `nil` if there is none or if its time is up. Set to `nil` it is removed. A
    ///     value for which there is no room is not kept, as by ``insert(_:for:cost:priority:timeToLive:)``.
    /// - Returns: What the closure returned when it was called last.
    /// - Throws: What the closure throws; then nothing is changed.
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

    /// With the policy's lock: whether the key still has the value that an update saw.
    private func isCurrent(_ former: Former<Value>, for key: Key, hash: UInt32) -> Bool {
        // Its closure has ended.
        loading.endThread(of: former.watch, for: key)
        guard isUntouched(former, for: key) else { return false }
        let entry = find(key, hash: hash)
        let isThere = entry != 0 && isGood(entry)
        guard former.value != nil else { return !isThere }
        return isThere || weakValues.find(key, at: view.pointee.clock.now()) != nil
    }

    /// With the policy's lock: ends an update that has changed the key.
    private func end(_ former: Former<Value>, of key: Key, _ departures: inout Departures<Key, Value>) {
        endWatch(former, of: key, &departures)
        noteChange(of: key, &departures)
    }

    /// Stores what an update made.
    ///
    /// - Returns: `false` if the key was changed meanwhile, and nothing was stored.
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
            // Also if it was refused. What is left to do after that concerns other keys.
            if !isDone, pending == nil || attempt.isDone {
                isDone = true
                end(former, of: key, &departures)
            }
            return attempt
        }
        withExtendedLifetime(pending) {}
        return isDone
    }

    /// Removes the value for which an update has made none.
    ///
    /// - Returns: `false` if the key was changed meanwhile, and nothing was removed.
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
