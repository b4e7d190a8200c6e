// Loads whose loader receives the old value, and determines the lifetime of the new one.
extension ResourceCache {
    /// The result of a loader: a new value, or the confirmation of the old one, with its lifetime.
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
    /// The value lives longer than it is fresh: the first load after `answer.lifetime` gets the old value at once, and
    /// the loader receives it in the background. With `answer.lifetime` as its `timeToLive` the old value would rarely
    /// be available.
    public struct Loaded: Sendable {
        /// `nil` for the old value.
        fileprivate let value: Value?
        fileprivate let cost: Int?
        fileprivate let timeToLive: Duration?
        fileprivate let refreshAfter: Duration?

        /// A new value, which replaces the old one.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - cost: Its cost; `nil` for the cost given in the call, then that of the ``Options/weigher``, then 1.
        ///   - timeToLive: Its lifetime, which replaces ``Options/timeToLive``. With zero or less all waiters of the
        ///     load get it, and it is not stored; the outdated old value leaves nevertheless.
        ///   - refreshAfter: The age from which a load refreshes it in the background, which replaces
        ///     ``Options/refreshAfter``. It has an effect only below `timeToLive`, which does not change it.
        /// - Returns: The result for the loader to return.
        public static func value(
            _ value: Value,
            cost: Int? = nil,
            timeToLive: Duration? = nil,
            refreshAfter: Duration? = nil
        ) -> Self {
            Self(value: value, cost: cost, timeToLive: timeToLive, refreshAfter: refreshAfter)
        }

        /// The old value is still valid, and its times count from now on.
        ///
        /// Its entry keeps its cost, its priority and its pins, and no removal is reported. If it has left in the
        /// meantime it is stored again. If the loader received no old value, the load fails with
        /// ``CacheLoadError/noValue``.
        ///
        /// - Parameters:
        ///   - timeToLive: Its lifetime from now on, as for a new value; with zero or less it leaves. With `nil` it is that of
        ///     the options, and not the one that an earlier load gave.
        ///   - refreshAfter: The time from now after which a load refreshes it in the background; `nil` as for `timeToLive`.
        /// - Returns: The result for the loader to return.
        public static func unchanged(timeToLive: Duration? = nil, refreshAfter: Duration? = nil) -> Self {
            Self(value: nil, cost: nil, timeToLive: timeToLive, refreshAfter: refreshAfter)
        }
    }

    /// The value for a key; if there is none, `loader` makes it and it is stored for the lifetime that `loader`
    /// returns.
    ///
    /// The loader receives the old value: one that is due for a refresh (``Options/refreshAfter``), an expired one that
    /// has not left yet, or `nil`. Expired values leave at an insertion, and at a ``value(for:)`` of an expired key, which
    /// may remove others too, so a busy cache rarely has them: give a value a `timeToLive` beyond its `refreshAfter` to
    /// keep it available. Otherwise like ``load(_:cost:priority:using:)``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: The cost of the value, unless the loader returns another; it counts against the limit from the start
    ///     of the load.
    ///   - priority: The priority of the value; no effect on a value that is there.
    ///   - loader: Makes the value, or confirms the old one, without a lock.
    /// - Returns: The value, even if it was not kept.
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

    /// Calls `loader` to make a new value for a key or to confirm the old one, whether or not there is one.
    ///
    /// Otherwise like ``refresh(_:cost:priority:using:)``, with a loader like that of
    /// ``load(_:cost:priority:renewing:)``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: The cost of the value, unless the loader returns another.
    ///   - priority: The priority of the value from now on; `nil` for that of the present value, and off screen if there is
    ///     none.
    ///   - loader: Makes the value, or confirms the old one.
    /// - Returns: The new value, or the old one, even if it was not kept.
    /// - Throws: As ``load(_:cost:priority:renewing:)``.
    @discardableResult
    public nonisolated(nonsending) func refresh(
        _ key: Key,
        cost: Int? = nil,
        priority: CachePriority? = nil,
        renewing loader: @escaping @Sendable (_ key: Key, _ old: Value?) async throws -> Loaded
    ) async throws -> Value {
        try await join(key, LoadTerms(cost: cost, refreshing: priority), isRefresh: true, delivering(loader))
    }

    /// The value for a key; if there is none, `load` makes it and it is stored for the lifetime that `load` returns.
    ///
    /// The loader receives an expired value that has not left yet, or `nil`. Otherwise like
    /// ``value(for:cost:priority:orLoad:)``.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: The cost of the value, unless the loader returns another.
    ///   - priority: The priority of the value; no effect on a value that is there.
    ///   - load: Makes the value, or confirms the old one; called at most once, on the calling thread and without a
    ///     lock.
    /// - Returns: The value, even if it was not kept.
    /// - Throws: The error of `load`, here or in the thread that loads; ``CacheLoadError/noValue`` if it returns
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

    /// The values for many keys; one call of `loader` makes the missing ones, with lifetimes that it determines.
    ///
    /// Otherwise like ``load(_:priority:using:)``.
    ///
    /// - Parameters:
    ///   - keys: The keys; a repeated key is loaded once.
    ///   - priority: The priority of the values.
    ///   - loader: Makes values for some keys. It receives the expired values that have not left yet. A key that it
    ///     omits has no value; neither has a key whose missing old value it confirms.
    /// - Returns: The values found or made for these keys, including those that were not kept.
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

/// The result of a load.
@usableFromInline
struct Delivery<Value: Sendable>: Sendable {
    let value: Value
    var cost: Int?
    var timeToLive: Duration?
    var refreshAfter: Duration?
    /// The old value, if the loader confirmed it.
    var former: Former<Value>?

    @usableFromInline
    init(_ value: Value) {
        self.value = value
    }

    /// Whether all waiters get it, and the cache does not store it.
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

    /// Converts the result of a loader that received the old value; ends the watch on that value unless it is
    /// confirmed.
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
