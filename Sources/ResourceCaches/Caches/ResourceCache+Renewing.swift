// Loads whose loader sees the old value, and says how long its own one lives.
extension ResourceCache {
    /// What a loader has made, or that the old value is still good; and for how long.
    ///
    /// ```swift
    /// try await feeds.load(path) { path, old in
    ///     let answer = try await fetch(path, unlessTagged: old?.tag)
    ///     let day = Duration.seconds(86_400)
    ///     guard let feed = answer.feed else { return .unchanged(timeToLive: day, refreshAfter: answer.lifetime) }
    ///     return .value(feed, timeToLive: day, refreshAfter: answer.lifetime)
    /// }
    /// ```
    ///
    /// The value lives for longer than it is fresh: the first load after `answer.lifetime` gets the old value at once, and
    /// the loader is handed it in the background. With `answer.lifetime` as its `timeToLive` the old value would seldom be
    /// there.
    public struct Loaded: Sendable {
        /// `nil` for the old one.
        fileprivate let value: Value?
        fileprivate let cost: Int?
        fileprivate let timeToLive: Duration?
        fileprivate let refreshAfter: Duration?

        /// A new value, which takes the place of the old one.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - cost: What it costs; `nil` for what the call says, then for what the ``Options/weigher`` says, then for 1.
        ///   - timeToLive: How long it is handed out, in place of ``Options/timeToLive``. With zero or less all that wait
        ///     for the load get it, and it is not stored; the old one, being out of date, leaves all the same.
        ///   - refreshAfter: From which age on a load makes it anew in the background, in place of
        ///     ``Options/refreshAfter``. Of use below `timeToLive` only, which does not change it.
        /// - Returns: What to return from the loader.
        public static func value(
            _ value: Value,
            cost: Int? = nil,
            timeToLive: Duration? = nil,
            refreshAfter: Duration? = nil
        ) -> Self {
            Self(value: value, cost: cost, timeToLive: timeToLive, refreshAfter: refreshAfter)
        }

        /// The old value is still good, and its times count from now on.
        ///
        /// Its entry stays with its cost, its priority and its pins, and no removal is told of. If it has left
        /// meanwhile it is stored again. A loader that was handed no old value has none to keep: the load fails with
        /// ``CacheLoadError/noValue``.
        ///
        /// - Parameters:
        ///   - timeToLive: How long it is handed out from now on, as for a new value; with zero or less it leaves.
        ///   - refreshAfter: From when on, from now, a load makes it anew in the background.
        /// - Returns: What to return from the loader.
        public static func unchanged(timeToLive: Duration? = nil, refreshAfter: Duration? = nil) -> Self {
            Self(value: nil, cost: nil, timeToLive: timeToLive, refreshAfter: refreshAfter)
        }
    }

    /// The value for a key, made by `loader` and stored if there is none, for as long as `loader` says.
    ///
    /// The loader is handed the old value: one that is to be made anew (``Options/refreshAfter``), one whose time is up
    /// and which has not left yet, or `nil`. A value whose time is up leaves at the first insertion of any key that
    /// comes upon it, and at a ``value(for:)`` of its own key, so a busy cache seldom has it: give it a `timeToLive` beyond
    /// its `refreshAfter` to have it there. Otherwise like ``load(_:cost:priority:using:)``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: What the value will cost, unless the loader says something else; it counts against the limit from the
    ///     start of the load.
    ///   - priority: How much it would be missed.
    ///   - loader: Makes the value, or finds the old one to be good, without the lock.
    /// - Returns: The value; also if it was not kept.
    /// - Throws: As ``load(_:cost:priority:using:)``; ``CacheLoadError/noValue`` if the loader returns
    ///   ``Loaded/unchanged(timeToLive:refreshAfter:)`` without an old value.
    public nonisolated(nonsending) func load(
        _ key: Key,
        cost: Int? = nil,
        priority: CachePriority = .offScreen,
        renewing loader: @escaping @Sendable (_ key: Key, _ old: Value?) async throws -> Loaded
    ) async throws -> Value {
        let terms = LoadTerms(cost: cost, priority: priority)
        if let (value, isStale) = lookUp(key, isKeptForLoad: true) {
            if isStale { refreshInBackground(key, terms, delivering(loader)) }
            return value
        }
        return try await join(key, terms, isRefresh: false, delivering(loader))
    }

    /// Has `loader` make the value for a key anew, or find the old one to be good, whether there is one or not.
    ///
    /// Otherwise like ``refresh(_:cost:priority:using:)``, with a loader as for ``load(_:cost:priority:renewing:)``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: What the value will cost, unless the loader says something else.
    ///   - priority: How much it would be missed.
    ///   - loader: Makes the value, or finds the old one to be good.
    /// - Returns: The new value, or the old one; also if it was not kept.
    /// - Throws: As ``load(_:cost:priority:renewing:)``.
    @discardableResult
    public nonisolated(nonsending) func refresh(
        _ key: Key,
        cost: Int? = nil,
        priority: CachePriority = .offScreen,
        renewing loader: @escaping @Sendable (_ key: Key, _ old: Value?) async throws -> Loaded
    ) async throws -> Value {
        try await join(key, LoadTerms(cost: cost, priority: priority), isRefresh: true, delivering(loader))
    }

    /// The value for a key, made by `load` and stored if there is none, for as long as `load` says.
    ///
    /// The loader is handed a value whose time is up and which has not left yet, or `nil`. Otherwise like
    /// ``value(for:cost:priority:orLoad:)``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: What the value will cost, unless the loader says something else.
    ///   - priority: How much it would be missed.
    ///   - load: Makes the value, or finds the old one to be good; called at most once, on the calling thread without
    ///     the lock.
    /// - Returns: The value; also if it was not kept.
    /// - Throws: What `load` throws, here or in the thread that loads; ``CacheLoadError/noValue`` if it returns
    ///   ``Loaded/unchanged(timeToLive:refreshAfter:)`` without an old value.
    public func value(
        for key: Key,
        cost: Int? = nil,
        priority: CachePriority = .offScreen,
        orRenew load: (_ old: Value?) throws -> Loaded
    ) throws -> Value {
        if let (value, _) = lookUp(key, isKeptForLoad: true) { return value }
        return try loadMissing(key, LoadTerms(cost: cost, priority: priority)) { () throws(any Error) in
            let former = former(key, by: nil, includingExpired: true)
            do {
                return try deliver(try load(former.value), former, of: key)
            } catch {
                forget(former, of: key)
                throw error
            }
        }
    }

    /// The values for many keys, those that are missing made by one call of `loader`, for as long as it says.
    ///
    /// Otherwise like ``load(_:priority:using:)``.
    ///
    /// - Parameters:
    ///   - keys: The keys; one that is named twice is loaded once.
    ///   - priority: How much they would be missed.
    ///   - loader: Makes values for some keys. It is handed those old values whose time is up and which have not left
    ///     yet. A key that it leaves out has no value, as has one whose old value it keeps where there is none.
    /// - Returns: The values that there are of these keys; also those that were not kept.
    /// - Throws: As ``load(_:priority:using:)``.
    public nonisolated(nonsending) func load(
        _ keys: some Sequence<Key>,
        priority: CachePriority = .offScreen,
        renewing loader: @escaping @Sendable (_ keys: [Key], _ old: [Key: Value]) async throws -> [Key: Loaded]
    ) async throws -> [Key: Value] {
        try await loadMany(keys, priority, isKeptForLoad: true) { [self] keys in
            let formers = keys.map { ($0, former($0, by: nil, includingExpired: true)) }
            var old: [Key: Value] = [:]
            for (key, former) in formers { old[key] = former.value }
            do {
                let loaded = try await loader(keys, old)
                var deliveries: [Key: Delivery<Value>] = [:]
                for (key, former) in formers {
                    if let one = loaded[key], let delivery = try? deliver(one, former, of: key) {
                        deliveries[key] = delivery
                    } else {
                        forget(former, of: key)
                    }
                }
                return deliveries
            } catch {
                for (key, former) in formers { forget(former, of: key) }
                throw error
            }
        }
    }
}

/// What a load brought.
@usableFromInline
struct Delivery<Value: Sendable>: Sendable {
    let value: Value
    var cost: Int?
    var timeToLive: Duration?
    var refreshAfter: Duration?
    /// The old value, if it is that one.
    var former: Former<Value>?

    @usableFromInline
    init(_ value: Value) {
        self.value = value
    }

    /// Whether all that wait get it, and the cache does not.
    var isUsedUp: Bool { timeToLive.map { $0 <= .zero } ?? false }
}

extension ResourceCache {
    @usableFromInline typealias Deliver = @Sendable (Key) async throws -> Delivery<Value>

    @usableFromInline
    func delivering(_ loader: @escaping @Sendable (Key) async throws -> Value) -> Deliver {
        { key in Delivery(try await loader(key)) }
    }

    private func delivering(_ loader: @escaping @Sendable (Key, Value?) async throws -> Loaded) -> Deliver {
        { [self] key in
            let former = former(key, by: nil, includingExpired: true)
            do {
                return try deliver(try await loader(key, former.value), former, of: key)
            } catch {
                forget(former, of: key)
                throw error
            }
        }
    }

    /// What a loader has brought that was handed the old value; ends the watch on that unless it is kept.
    private func deliver(_ loaded: Loaded, _ former: Former<Value>, of key: Key) throws -> Delivery<Value> {
        guard let value = loaded.value ?? former.value else { throw CacheLoadError.noValue }
        var delivery = Delivery(value)
        delivery.cost = loaded.cost
        delivery.timeToLive = loaded.timeToLive
        delivery.refreshAfter = loaded.refreshAfter
        if loaded.value == nil { delivery.former = former } else { forget(former, of: key) }
        return delivery
    }
}
