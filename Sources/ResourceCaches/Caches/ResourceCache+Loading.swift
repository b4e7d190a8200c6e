internal import CLinux
internal import Synchronization

// Loads that block their thread.
extension ResourceCache {
    /// The value for a key; if there is none, `load` makes it and it is stored.
    ///
    /// All threads that miss the same key at the same time wait for one load. Its error goes to all of them, and
    /// nothing is stored; with ``Options/failureTimeToLive`` later calls get it as well. If a task is loading the key
    /// (``load(_:cost:priority:using:)``), the thread does not wait, because the task may need this very thread; the
    /// thread makes the value itself, and returns the task's value if that is stored first. It also makes the value
    /// itself if another load failed with an error of another type than `Failure`.
    ///
    /// If the key is changed by hand during the load (``insert(_:for:cost:priority:timeToLive:)``,
    /// ``update(_:cost:priority:timeToLive:_:)``, ``remove(_:)``), the result is returned and not stored. A present
    /// value is returned whatever its age, until it expires.
    ///
    /// Blocks the thread as long as the load takes. A loader that requests its own key traps; a task's loader that does
    /// so here makes a value by itself, like any thread beside a task.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: What the value will cost, see ``insert(_:for:cost:priority:timeToLive:)``; it counts against the limit
    ///     from the start of the load.
    ///   - priority: The priority of the value; no effect on a value that is there.
    ///   - load: Makes the value; called at most once, on the calling thread and without a lock, so it may use the
    ///     cache.
    /// - Returns: The value, even if its cost exceeds the limit and it was not kept.
    /// - Throws: The error of `load`, here or in the thread that loads.
    @inlinable
    public func value<Failure: Error>(
        for key: Key,
        cost: Int? = nil,
        priority: CachePriority = .offScreen,
        orLoad load: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if let value = value(for: key) { return value }
        return try loadMissing(key, LoadTerms(cost: cost, priority: priority)) { () throws(Failure) in
            Delivery(try load())
        }
    }

    private enum Entrance<Failure: Error> {
        case value(Value)
        case failed(Failure)
        case lead(LoadBook<Key, Value>.Load, LoadUnderWay)
        case wait(ThreadGate<Flight<Value>.Outcome>, LoadBook<Key, Value>.Load)
        /// A task is loading the key; with the number of manual changes so far.
        case alone(changes: UInt64)
    }

    @usableFromInline
    func loadMissing<Failure: Error>(
        _ key: Key,
        _ terms: LoadTerms,
        _ load: () throws(Failure) -> Delivery<Value>
    ) throws(Failure) -> Value {
        var hasJoined = false
        while true {
            switch enter(key, terms, Failure.self, &hasJoined) {
            case .value(let value): return value
            case .failed(let error): throw error
            case .lead(let flight, let run): return try lead(flight, run, key, terms, load)
            case .alone(let changes): return try loadAlone(key, terms, since: changes, load)
            case .wait(let gate, let flight):
                switch gate.wait() {
                case .success(.value(let value)): return value
                case .success(.lead(let run)): return try lead(flight, run, key, terms, load)
                case .failure(let error):
                    // Another loader's error may have a type that this call cannot throw; then this thread loads by
                    // itself.
                    if let error = error as? Failure { throw error }
                }
            }
        }
    }

    private func enter<Failure: Error>(
        _ key: Key,
        _ terms: LoadTerms,
        _: Failure.Type,
        _ hasJoined: inout Bool
    ) -> Entrance<Failure> {
        let hash = hash(of: key)
        return withCore { core in
            if let value = goodValue(for: key, hash: hash) { return .value(value) }
            // An error of another type came from another loader; this one may succeed.
            if let error = loading.failure(of: key, at: view.pointee.clock) as? Failure { return .failed(error) }
            guard let flight = loading.load(of: key) else {
                let run = LoadUnderWay(terms.priority)
                return .lead(loading.begin(key, run, terms, leader: pthread_self()), run)
            }
            if let gate = flight.flight.wait() {
                if !hasJoined { core.pointee.figures.noteJoin(afterMiss: true) }
                hasJoined = true
                // The load waits for no turn that the priority could hasten.
                _ = flight.flight.load.join(terms.priority)
                flight.join(terms)
                return .wait(gate, flight)
            }
            loading.loadsAlone += 1
            return .alone(changes: loading.changes)
        }
    }

    private func lead<Failure: Error>(
        _ flight: LoadBook<Key, Value>.Load,
        _ run: LoadUnderWay,
        _ key: Key,
        _ terms: LoadTerms,
        _ load: () throws(Failure) -> Delivery<Value>
    ) throws(Failure) -> Value {
        let start = ContinuousClock.now
        do {
            let reservation = reserve(terms.cost, forLoadOf: key)
            let delivery = try perform(run, load)
            _ = consume reservation
            return land(flight, run, key, delivery, terms, since: start)
        } catch {
            fail(flight, key, error)
            throw error
        }
    }

    /// Loads beside a task, or inside a load of this thread.
    ///
    /// Reserves nothing, because the load that leads has done that: a removal handler that makes this load would be called
    /// for each value that leaves for the reservation, down to an empty cache.
    private func loadAlone<Failure: Error>(
        _ key: Key,
        _ terms: LoadTerms,
        since changes: UInt64,
        _ load: () throws(Failure) -> Delivery<Value>
    ) throws(Failure) -> Value {
        let start = ContinuousClock.now
        do {
            let loaded = try perform(LoadUnderWay(terms.priority), load)
            let hash = hash(of: key)
            var other: Value?
            store(loaded, for: key, terms, since: start) {
                other = goodValue(for: key, hash: hash)
                // Any manual change in the meantime may have been of this key.
                return other == nil && loading.changes == changes
            } end: { _ in
                loading.loadsAlone -= 1
            }
            return other ?? loaded.value
        } catch {
            withCore { core in
                loading.loadsAlone -= 1
                core.pointee.figures.failedLoads += 1
            }
            throw error
        }
    }

    private func perform<Failure: Error>(
        _ run: LoadUnderWay,
        _ load: () throws(Failure) -> Delivery<Value>
    ) throws(Failure) -> Delivery<Value> {
        // A thread never waits for other loads, because they may need it.
        let permit = reclaimer.loadLimiter.tryAcquire(run)
        let delivery = try run.run(load)
        _ = consume permit
        return delivery
    }
}

// Loads that suspend their task.
extension ResourceCache {
    /// The value for a key; if there is none, `loader` makes it and it is stored.
    ///
    /// All tasks that miss the same key at the same time wait for one load, which runs in the task, or on the thread, of
    /// the first of them. If that task is cancelled and its loader ends with an error, the load is handed over to one of
    /// the waiting tasks, which runs its own loader. Any other error goes to all waiting tasks, and nothing is stored;
    /// with ``Options/failureTimeToLive`` later calls get it as well.
    ///
    /// A value as old as ``Options/refreshAfter`` or older is returned at once, and one load begins in the background,
    /// for which the caller does not wait. If it fails the old value stays until it expires.
    ///
    /// If the key is changed by hand during the load (``insert(_:for:cost:priority:timeToLive:)``,
    /// ``update(_:cost:priority:timeToLive:_:)``, ``remove(_:)``), the result is returned and not stored, and a later
    /// call begins another load. A value that a thread has made meanwhile (``value(for:cost:priority:orLoad:)``) is
    /// replaced.
    ///
    /// While memory is short, and for 20 s after it, ``LoadLimits`` limits the number of concurrent loads in the
    /// process; loads with the priority on screen come first. A load inside another one never waits for a turn, and a
    /// joined load gets the higher of the priorities.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: What the value will cost, see ``insert(_:for:cost:priority:timeToLive:)``; it counts against the limit
    ///     from the start of the load.
    ///   - priority: The priority of the value; no effect on a value that is there.
    ///   - loader: Makes the value, without a lock.
    /// - Returns: The value, even if its cost exceeds the limit and it was not kept.
    /// - Throws: The loader's error, or that of the joined load; `CancellationError` at once if the task is cancelled
    ///   while it waits for a turn, or for another task's load, which continues; ``CacheLoadError/circular`` in the
    ///   loader of the same key.
    @inlinable
    public nonisolated(nonsending) func load(
        _ key: Key,
        cost: Int? = nil,
        priority: CachePriority = .offScreen,
        using loader: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Value {
        let terms = LoadTerms(cost: cost, priority: priority)
        if let (value, isStale) = lookUp(key) {
            if isStale { refreshInBackground(key, terms, delivering(loader)) }
            return value
        }
        return try await join(key, terms, isRefresh: false, delivering(loader))
    }

    /// Makes a new value for a key, whether or not there is one, and stores it.
    ///
    /// Readers find the old value until then. The call joins a load of the key that is under way. If the loader fails,
    /// the old value stays. Remembered failures do not prevent the load. Otherwise like
    /// ``load(_:cost:priority:using:)``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: What the value will cost.
    ///   - priority: The priority of the value from now on; `nil` for that of the present value, and off screen if there is
    ///     none.
    ///   - loader: Makes the value.
    /// - Returns: The new value, even if it was not kept.
    /// - Throws: The loader's error, or that of the joined load; otherwise as there.
    @discardableResult
    public nonisolated(nonsending) func refresh(
        _ key: Key,
        cost: Int? = nil,
        priority: CachePriority? = nil,
        using loader: @escaping @Sendable (Key) async throws -> Value
    ) async throws -> Value {
        try await join(key, LoadTerms(cost: cost, refreshing: priority), isRefresh: true, delivering(loader))
    }

    @usableFromInline
    nonisolated(nonsending) func join(
        _ key: Key,
        _ terms: LoadTerms,
        isRefresh: Bool,
        _ loader: Deliver
    ) async throws -> Value {
        let hash = hash(of: key)
        let joined = LoadBook<Key, Value>.Joined()
        let turn = try await Flight<Value>.turn { id, continuation in
            var other: LoadUnderWay?
            let outcome: Flight<Value>.Outcome? = withCore { core in
                if !isRefresh, let value = goodValue(for: key, hash: hash) { return .success(.value(value)) }
                if !isRefresh, let error = loading.failure(of: key, at: view.pointee.clock) { return .failure(error) }
                guard let flight = loading.load(of: key) else {
                    let run = LoadUnderWay(terms.priority)
                    joined.load = loading.begin(key, run, terms, replacing: presentPriority(of: key, hash: hash))
                    return .success(.lead(run))
                }
                joined.load = flight
                let outcome = flight.flight.wait(id, continuation)
                if outcome == nil {
                    flight.join(terms)
                    core.pointee.figures.noteJoin(afterMiss: !isRefresh && terms.warmth == nil)
                    other = flight.flight.load
                }
                return outcome
            }
            if let other { reclaimer.loadLimiter.join(other, terms.priority) }
            return outcome
        } cancel: { id in
            withCore { _ in joined.load?.flight.cancel(id) }
        }
        switch turn {
        case .value(let value):
            return value
        case .lead(let run):
            guard let flight = joined.load else { preconditionFailure("a leader has begun a load or joined one") }
            return try await lead(flight, run, key, terms, loader)
        }
    }

    nonisolated(nonsending) func lead(
        _ flight: LoadBook<Key, Value>.Load,
        _ run: LoadUnderWay,
        _ key: Key,
        _ terms: LoadTerms,
        _ loader: Deliver
    ) async throws -> Value {
        do {
            let permit = try await reclaimer.loadLimiter.acquire(run)
            let start = ContinuousClock.now
            let reservation = reserve(terms.cost, forLoadOf: key)
            let delivery = try await run.run { try await loader(key) }
            _ = consume reservation
            _ = consume permit
            return land(flight, run, key, delivery, terms, since: start)
        } catch {
            fail(flight, key, error)
            throw error
        }
    }

    @usableFromInline
    func refreshInBackground(
        _ key: Key,
        _ terms: LoadTerms,
        _ loader: @escaping Deliver
    ) {
        // It waits for a turn like any other load, because nothing waits for it.
        var terms = terms
        terms.keepsPriority = true
        let run = LoadUnderWay(terms.priority, in: nil)
        let hash = hash(of: key)
        let flight: LoadBook<Key, Value>.Load? = withCore { _ in
            loading.load(of: key) == nil && loading.failure(of: key, at: view.pointee.clock) == nil
                ? loading.begin(key, run, terms, replacing: presentPriority(of: key, hash: hash)) : nil
        }
        guard let flight else { return }
        Task.detached(priority: .utility) { [self, terms] in
            var generator = SystemRandomNumberGenerator()
            let jitter = reclaimer.loadLimiter.backgroundJitter(using: &generator)
            await reclaimer.loadLimiter.wait(for: jitter)
            // Its error goes to the waiters, and is counted in the statistics.
            _ = try? await lead(flight, run, key, terms, loader)
        }
    }

    /// The priority of the value of a key; off screen if there is none.
    ///
    /// The caller holds the policy's lock.
    private func presentPriority(of key: Key, hash: UInt32) -> CachePriority {
        let entry = find(key, hash: hash)
        return entry == 0 ? .offScreen : core.pointee.priority(of: entry)
    }
}
