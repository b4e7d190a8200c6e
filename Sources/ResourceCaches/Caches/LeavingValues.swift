/// Values that have left a cache and whose listener is still being told so: until it has been, reads find them.
///
/// The policy's lock guards it. Keys and values may be objects: what the methods return must not end under the lock.
struct LeavingValues<Key: Hashable & Sendable, Value: Sendable> {
    /// What was taken out.
    typealias Rest = (key: Key, value: Value)

    private var values: [Key: Value] = [:]

    var isEmpty: Bool { values.isEmpty }

    func find(_ key: Key) -> Value? { values[key] }

    var all: [Rest] { values.map { $0 } }

    /// - Returns: The value that left before under the same key, and is found no more.
    mutating func add(_ value: Value, for key: Key) -> Rest? {
        let former = remove(key)
        values[key] = value
        return former
    }

    mutating func remove(_ key: Key) -> Rest? {
        values.index(forKey: key).map { values.remove(at: $0) }
    }

    mutating func removeAll() -> [Rest] {
        defer { values = [:] }
        return values.map { $0 }
    }
}
