internal import MemoryPressure
internal import Synchronization

/// A cache of values that can be made again, which shrinks by itself when memory is short.
///
/// What was used least recently goes first: when the ``limit`` is exceeded, and at every memory warning that a
/// ``ControllerHost`` in the process hears, which keeps
///
/// | level | of the bytes that the cache holds then |
/// | --- | --- |
/// | warning | at most 50 % |
/// | critical | at most 10 % |
///
/// or that part of the entries, if all of them have cost 0. A cache registers for that when it is made and needs no
/// host; the registration does not keep it alive.
///
/// It may be used from any thread. Every call on one key takes constant time under one lock, and is atomic. Values are
/// released after the lock is left, on the thread whose call removed them, so their `deinit` may use the cache.
public final class ResourceCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What it removes it returns, to be released outside the lock.
    private struct State {
        var entries = RecencyList<Key, Value>()
        var limit: Int?

        mutating func insert(_ value: Value, for key: Key, cost: Int) -> [Value] {
            if let limit, cost > limit { return [entries.remove(key), value].compactMap(\.self) }
            let replaced = entries.insert(value, for: key, cost: cost)
            let evicted = enforceLimit()
            return replaced.map { evicted + [$0] } ?? evicted
        }

        mutating func enforceLimit() -> [Value] {
            guard let limit else { return [] }
            return removeOldest(keeping: .cost(limit))
        }

        mutating func removeOldest(keeping bound: Bound) -> [Value] {
            var removed: [Value] = []
            while !bound.holds(for: entries), let value = entries.removeOldest() { removed.append(value) }
            return removed
        }
    }

    private enum Bound {
        case cost(Int)
        case count(Int)

        func holds(for entries: RecencyList<Key, Value>) -> Bool {
            switch self {
            case .cost(let cost): entries.totalCost <= cost
            case .count(let count): entries.count <= count
            }
        }
    }

    /// What the cache is called in reports.
    public let name: String
    private let state: Mutex<State>

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - name: What the cache is called in reports.
    ///   - limit: The bytes it may hold, by the cost of its entries; `nil` for no limit but memory pressure.
    public convenience init(_ name: String, limit: Int? = nil) {
        self.init(name, limit: limit, reclaimer: .shared)
    }

    init(_ name: String, limit: Int? = nil, reclaimer: Reclaimer) {
        self.name = name
        self.state = Mutex(State(limit: limit))
        reclaimer.register(self)
    }

    /// How many values the cache holds.
    public var count: Int {
        state.withLock { $0.entries.count }
    }

    /// The bytes that the cache holds, by the cost of its entries.
    public var totalCost: Int {
        state.withLock { $0.entries.totalCost }
    }

    /// The bytes that the cache may hold, `nil` for no limit; a lower one takes effect at once.
    public var limit: Int? {
        get { state.withLock { $0.limit } }
        set {
            let evicted = state.withLock { state in
                state.limit = newValue
                return state.enforceLimit()
            }
            release(evicted)
        }
    }

    /// Whether there is a value for a key; does not count as a use.
    public func contains(_ key: Key) -> Bool {
        state.withLock { $0.entries.contains(key) }
    }

    /// The value for a key, which becomes the most recently used, or `nil`.
    public func value(for key: Key) -> Value? {
        state.withLock { $0.entries.use(key) }
    }

    /// The value for a key, made by `load` and inserted if there is none.
    ///
    /// `load` runs on the calling thread without the lock, so it may use the cache. Callers that miss the same key at
    /// the same time all load; the first to finish inserts, and the others return that value and drop their own. If
    /// `load` throws, its error is passed on and nothing is inserted.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - cost: The bytes that the value will hold.
    ///   - load: Makes the value.
    /// - Returns: The value that the cache had or, after the call, has; the loaded one if it is dearer than the limit.
    /// - Throws: What `load` throws.
    public func value<Failure: Error>(
        for key: Key,
        cost: Int = 0,
        orLoad load: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        precondition(cost >= 0, "the cost of a cache entry is a number of bytes, not \(cost)")
        if let value = value(for: key) { return value }
        let loaded = try load()
        let (value, dropped) = state.withLock { state in
            if let value = state.entries.use(key) { return (value, [Value]()) }
            return (loaded, state.insert(loaded, for: key, cost: cost))
        }
        release(dropped)
        return value
    }

    /// Stores a value as the most recently used, in place of the one there is.
    ///
    /// If that exceeds the ``limit``, the least recently used values go until it holds. A value that is by itself
    /// dearer than the limit is not kept, and costs no other its place.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    ///   - cost: The bytes that it holds; not negative.
    public func insert(_ value: Value, for key: Key, cost: Int = 0) {
        precondition(cost >= 0, "the cost of a cache entry is a number of bytes, not \(cost)")
        release(state.withLock { $0.insert(value, for: key, cost: cost) })
    }

    /// Removes and returns the value for a key; `nil` if there is none.
    @discardableResult
    public func remove(_ key: Key) -> Value? {
        state.withLock { $0.entries.remove(key) }
    }

    /// Removes all values, and gives back the cache's own memory as well.
    public func removeAll() {
        _ = state.withLock { state in
            let entries = state.entries
            state.entries = RecencyList()
            return entries
        }
    }

    /// Removes values, the least recently used first, until the cache holds at most `cost` bytes.
    ///
    /// - Returns: The bytes that were removed.
    @discardableResult
    public func trim(toCost cost: Int) -> Int {
        removeOldest(keeping: .cost(cost))
    }

    private func removeOldest(keeping bound: Bound) -> Int {
        let (removed, bytes) = state.withLock { state in
            let before = state.entries.totalCost
            let removed = state.removeOldest(keeping: bound)
            return (removed, before - state.entries.totalCost)
        }
        release(removed)
        return bytes
    }

    /// Takes what has left the cache, so that it ends here, outside the lock.
    private func release(_ values: consuming [Value]) {}
}

extension ResourceCache: Reclaimable {
    package var releasableCost: Int { totalCost }

    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        let (cost, count) = state.withLock { ($0.entries.totalCost, $0.entries.count) }
        guard cost > 0 else {
            if demand.bytes == nil { pacer.didDrop(removeOldest(keeping: .count(demand.level.kept(of: count)))) }
            return
        }
        var rest = min(cost, demand.bytes ?? cost - demand.level.kept(of: cost))
        while rest > 0 {
            let dropped = trim(toCost: max(0, totalCost - min(rest, ReclaimPacer.batchBytes)))
            guard dropped > 0 else { return }
            pacer.didDrop(dropped)
            rest -= dropped
        }
    }
}
