import ResourceManager
import TestSupport

@testable import ObjectCache

/// A cache that logs its evictions and the results of its reads.
final class TracedCache: CacheDelegate {
    typealias Key = String
    typealias Object = any AnyObject & Sendable

    private final class Plain: Sendable {}

    let cache = Cache<String, Object>()
    private let name: String
    private let log: EventLog
    /// The keys under which an object was stored, the oldest first.
    ///
    /// The delegate is told only the object.
    private let keys = Locked<[ObjectIdentifier: [String]]>([:])

    init(_ name: String, log: EventLog) {
        self.name = name
        self.log = log
        cache.delegate = self
    }

    /// Stores an object; without one, a new plain object.
    func set(_ key: String, cost: Int, _ object: Object?) {
        let object = object ?? Plain()
        keys.withLock { keys in
            let old = keys[ObjectIdentifier(object), default: []]
            if !old.contains(key) { keys[ObjectIdentifier(object)] = old + [key] }
        }
        cache.setObject(object, forKey: key, cost: cost)
    }

    func get(_ key: String) {
        let result = cache.object(forKey: key) == nil ? "miss" : "hit"
        log.record(Event(name, "get", text: "\(name).get(\(key))=\(result)"))
    }

    func cache(_ cache: Cache<String, Object>, willEvictObject object: Object) {
        let key = keys.withLock { keys in
            var remaining = keys[ObjectIdentifier(object)] ?? []
            let key = remaining.isEmpty ? "?" : remaining.removeFirst()
            keys[ObjectIdentifier(object)] = remaining.isEmpty ? nil : remaining
            return key
        }
        log.record(Event(name, "willEvict", key))
    }
}
