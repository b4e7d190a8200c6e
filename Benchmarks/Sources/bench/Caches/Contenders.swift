internal import Foundation
internal import ObjectCache
internal import ResourceManager
internal import Synchronization

/// `ResourceCache`.
struct Ours<Key: Hashable & Sendable>: Contender {
    let cache: ResourceCache<Key, Payload>

    init(limit: Int) {
        cache = ResourceCache("bench", limit: limit)
    }

    func value(for key: Key) -> Payload? { cache.value(for: key) }
    func insert(_ value: Payload, for key: Key) { cache.insert(value, for: key, cost: 1) }
    func removeAll() { cache.removeAll() }
}

/// `Cache` of the module ObjectCache.
struct OurObjectCache<Key: Hashable & Sendable>: Contender {
    private let cache = Cache<Key, Payload>()

    init(limit: Int) {
        cache.countLimit = limit
    }

    func value(for key: Key) -> Payload? { cache.object(forKey: key) }
    func insert(_ value: Payload, for key: Key) { cache.setObject(value, forKey: key) }
    func removeAll() { cache.removeAllObjects() }
}

/// The cache that a program writes without a library: a dictionary under a lock, and the keys in order of insertion.
final class LockedDictionary<Key: Hashable & Sendable>: Contender {
    private struct State {
        var values: [Key: Payload] = [:]
        var order: [Key] = []
        var oldest = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    func value(for key: Key) -> Payload? {
        state.withLock { $0.values[key] }
    }

    func insert(_ value: Payload, for key: Key) {
        state.withLock { state in
            guard state.values.updateValue(value, forKey: key) == nil else { return }
            if state.order.count < limit { return state.order.append(key) }
            state.values[state.order[state.oldest]] = nil
            state.order[state.oldest] = key
            state.oldest = (state.oldest + 1) % limit
        }
    }

    func removeAll() {
        state.withLock { $0 = State() }
    }
}

/// A plain dictionary without lock and limit.
// Several threads only read it, and only after it has been filled.
final class PlainDictionary<Key: Hashable & Sendable>: Contender, @unchecked Sendable {
    private var values: [Key: Payload] = [:]

    static var evicts: Bool { false }

    init(limit: Int) {}

    func value(for key: Key) -> Payload? { values[key] }
    func insert(_ value: Payload, for key: Key) { values[key] = value }
    func removeAll() { values = [:] }
}

/// Foundation's `NSCache` on Linux. Its keys have to be objects, which are made beforehand.
// NSCache has a lock, but is not declared Sendable.
struct FoundationCache<Key: NSObject>: Contender, @unchecked Sendable {
    private let cache = NSCache<Key, Payload>()

    init(limit: Int) {
        cache.countLimit = limit
    }

    func value(for key: Key) -> Payload? { cache.object(forKey: key) }
    func insert(_ value: Payload, for key: Key) { cache.setObject(value, forKey: key) }
    func removeAll() { cache.removeAllObjects() }
}

/// An `NSString` as a key of a `Cache`, whose keys have to be `Sendable`. Comparison and hash are those that `NSCache` uses.
// The text is immutable, since it is made from a `String`.
struct TextKey: Hashable, @unchecked Sendable {
    let text: NSString

    static func == (left: Self, right: Self) -> Bool {
        left.text === right.text || left.text.isEqual(right.text)
    }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
    var hashValue: Int { text.hash }
}
