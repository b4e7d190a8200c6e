/// Values that left a cache while its handler is still being told of them: until it has returned, reads find them.
///
/// The policy's lock guards it. Keys and values may be objects: the results of the methods must not be destroyed under
/// the lock.
struct LeavingValues<Key: Hashable & Sendable, Value: Sendable> {
    /// A removed pair.
    typealias Rest = (key: Key, value: Value)

    private var values: [Key: Value] = [:]

    var isEmpty: Bool { values.isEmpty }

    func find(_ key: Key) -> Value? { values[key] }

    var all: [Rest] { values.map { $0 } }

    /// - Returns: A value that reads do not find: the earlier leaving value of the same key, or this one if its key is
    ///   unequal to itself, like a NaN.
    mutating func add(_ value: Value, for key: Key) -> Rest? {
        guard key == key else { return (key, value) }
        let former = remove(key)
        values[key] = value
        return former
    }

    mutating func remove(_ key: Key) -> Rest? {
        values.index(forKey: key).map { values.remove(at: $0) }
    }

    /// Takes all values out, in constant time.
    mutating func removeAll() -> Self {
        defer { values = [:] }
        return self
    }
}
