internal import Synchronization

extension ResourceCache {
    /// The values for many keys; one call of `loader` makes the missing ones.
    ///
    /// The call waits for keys that another task is loading, and a task that requests one of these keys in the meantime
    /// waits for this load. An error of the loader goes to all tasks that wait for any of its keys. A key without a
    /// value is a failure of that key, and is remembered as one by ``Options/failureTimeToLive``. Costs are those of
    /// the ``Options/weigher``, and nothing is reserved. Stale values are returned without a refresh.
    ///
    /// - Parameters:
    ///   - keys: The keys; a repeated key is loaded once.
    ///   - priority: The priority of the values.
    ///   - loader: Makes values for some keys, which are in no particular order; values for other keys are ignored. A key
    ///     that it omits has no value, which counts as a failed load; a task that waits for only that key gets
    ///     ``CacheLoadError/noValue``. Called once for the missing keys, and again for single keys that another
    ///     task was loading, if that load is handed over or its value has left.
    /// - Returns: The values found or made for these keys, including those that were not kept.
    /// - Throws: The loader's error; the error of another task's load, or a remembered one, when the other values have been
    ///   stored; `CancellationError` if the task is cancelled.
    public nonisolated(nonsending) func load(
        _ keys: some Sequence<Key>,
        priority: CachePriority = .offScreen,
        using loader: @escaping @Sendable ([Key]) async throws -> [Key: Value]
    ) async throws -> [Key: Value] {
        try await loadMany(keys, priority, isKeptForLoad: false) { try await loader($0).mapValues(Delivery.init) }
    }

    // - isKeptForLoad: Whether expired values stay for the load.
    nonisolated(nonsending) func loadMany(
        _ keys: some Sequence<Key>,
        _ priority: CachePriority,
        isKeptForLoad: Bool,
        _ loader: @escaping @Sendable ([Key]) async throws -> [Key: Delivery<Value>]
    ) async throws -> [Key: Value] {
        var values: [Key: Value] = [:]
        let missing = Set(keys).filter { key in
            guard let value = lookUp(key, isKeptForLoad: isKeptForLoad)?.value else { return true }
            values[key] = value
            return false
        }
        guard !missing.isEmpty else { return values }
        let terms = LoadTerms(cost: nil, priority: priority)
        let run = LoadUnderWay(priority)
        let (led, others) = begin(missing, run, terms, &values)
        if !led.isEmpty {
            for (key, value) in try await lead(led, run, terms, loader) { values[key] = value }
        }
        for key in others {
            do {
                values[key] = try await join(key, terms, isRefresh: false) { key in
                    guard let delivery = try await loader([key])[key] else { throw CacheLoadError.noValue }
                    return delivery
                }
            } catch CacheLoadError.noValue {}
        }
        return values
    }

    /// Prefetches values, at most `atOnce` at a time, until the cache is full.
    ///
    /// Use it when a service starts, with the keys of ``hottest(_:)`` of its previous run. Present values stay, keys
    /// that cannot be loaded are skipped, and no value is evicted: a value that does not fit is dropped, and no more
    /// loads begin. Prefetched values that are never read leave before all others.
    ///
    /// The values live for ``Options/timeToLive``. If the loads determine lifetimes,
    /// ``load(_:cost:priority:renewing:)`` with the priority ``CachePriority/prefetched`` prefetches them, one key at a
    /// time.
    ///
    /// - Parameters:
    ///   - keys: The keys, the most important first.
    ///   - atOnce: The number of concurrent loads, below 1 counts as 1; fewer near the limit, and one while the cache
    ///     is empty.
    ///   - loader: Makes a value.
    /// - Returns: How many of the keys have a value afterwards; a repeated key counts each time.
    @discardableResult
    public nonisolated(nonsending) func warm(
        _ keys: some Sequence<Key>,
        atOnce: Int = 4,
        using loader: @escaping @Sendable (Key) async throws -> Value
    ) async -> Int {
        let keys = Array(keys)
        let warmth = CacheWarmth()
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for key in keys where !contains(key) {
                while running > 0, running >= atOnce || !hasSpareRoom(forLoads: running + 1) {
                    await group.next()
                    running -= 1
                }
                if warmth.isFull.load(ordering: .relaxed) || Task.isCancelled { break }
                if running == 0, !hasSpareRoom(forLoads: 1) { break }
                running += 1
                group.addTask {
                    let terms = LoadTerms(cost: nil, priority: .prefetched, warmth: warmth)
                    _ = try? await self.join(key, terms, isRefresh: false, self.delivering(loader))
                }
            }
        }
        return keys.count(where: contains)
    }

    /// Whether this number of values fits at the average cost of the present values; only one value fits an empty
    /// cache.
    private func hasSpareRoom(forLoads loads: Int) -> Bool {
        withCore { core in
            let limit = core.pointee.limits.aim(at: view.pointee.clock.now())
            let (count, cost) = (core.pointee.count, core.pointee.cost)
            guard limit < .max || core.pointee.limits.count < .max else { return true }
            guard count > 0 else { return loads == 1 }
            let average = EntryCost(cost / count + (cost % count).signum())
            return core.pointee.hasSpareRoom(for: average, times: loads)
        }
    }

    /// Begins the loads of all keys that no other task loads, and collects the values that have arrived in the
    /// meantime.
    private func begin(
        _ keys: Set<Key>,
        _ run: LoadUnderWay,
        _ terms: LoadTerms,
        _ values: inout [Key: Value]
    ) -> (led: [(key: Key, load: LoadBook<Key, Value>.Load)], others: [Key]) {
        var led: [(key: Key, load: LoadBook<Key, Value>.Load)] = []
        var others: [Key] = []
        for key in keys {
            let hash = hash(of: key)
            withCore { _ in
                if let value = goodValue(for: key, hash: hash) {
                    values[key] = value
                } else if loading.load(of: key) != nil || loading.failure(of: key, at: view.pointee.clock) != nil {
                    others.append(key)
                } else {
                    led.append((key, loading.begin(key, run, terms)))
                }
            }
        }
        return (led, others)
    }

    private nonisolated(nonsending) func lead(
        _ led: [(key: Key, load: LoadBook<Key, Value>.Load)],
        _ run: LoadUnderWay,
        _ terms: LoadTerms,
        _ loader: @Sendable ([Key]) async throws -> [Key: Delivery<Value>]
    ) async throws -> [Key: Value] {
        do {
            let permit = try await reclaimer.loadLimiter.acquire(run)
            let start = ContinuousClock.now
            let loaded = try await run.run { try await loader(led.map(\.key)) }
            _ = consume permit
            // Values for other keys are ignored.
            var values: [Key: Value] = [:]
            for (key, load) in led {
                if let delivery = loaded[key] {
                    values[key] = land(load, run, key, delivery, terms, since: start)
                } else {
                    fail(load, key, CacheLoadError.noValue)
                }
            }
            return values
        } catch {
            for (key, load) in led { fail(load, key, error) }
            throw error
        }
    }
}
