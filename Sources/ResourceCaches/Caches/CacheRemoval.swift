/// Why a value left a cache.
public enum RemovalReason: UInt8, Sendable, Hashable, CaseIterable {
    /// The cache was above one of its limits, or was trimmed.
    case evicted
    /// It expired, and no other value was made for its key.
    case expired
    /// Another value was made for its key, by an insertion, a change or a load, even if it had expired, and even if the other
    /// one was not kept.
    case replaced
    /// It was removed by a call other than a trim.
    case removed
    /// Memory was short.
    case pressure
}

/// A value that left a cache.
public struct CacheRemoval<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The value's key.
    public let key: Key
    /// The value.
    public internal(set) var value: Value
    /// Why it left.
    public let reason: RemovalReason
    /// Its cost.
    public let cost: Int

    @usableFromInline
    init(key: Key, value: Value, reason: RemovalReason, cost: Int) {
        (self.key, self.value, self.reason, self.cost) = (key, value, reason, cost)
    }
}
