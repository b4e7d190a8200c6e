import Synchronization
import TestSupport

@testable import ObjectCache
@testable import ResourceCaches

/// A cache that no other test's warnings reach, with a trace of all calls and events of the cache and its objects.
final class CacheStage: CacheDelegate {
    typealias Key = String
    typealias Object = any AnyObject & Sendable
    typealias Box = DiscardableObject<LastWords>

    private final class Plain: Sendable {}

    let reclaimer = Reclaimer()
    let cache: Cache<String, Object>
    let trace = SharedTrace()
    /// The stage keeps the boxes, so that a content can be deallocated only because it was discarded.
    private let boxes = Mutex<[Box]>([])
    private let keys = Mutex<[ObjectIdentifier: String]>([:])
    private let reaction = Mutex<(@Sendable (String) -> Void)?>(nil)

    init(countLimit: Int = 0, totalCostLimit: Int = 0) {
        cache = reclaimer.use { Cache() }
        cache.countLimit = countLimit
        cache.totalCostLimit = totalCostLimit
        cache.delegate = self
    }

    func cache(_ cache: Cache<String, Object>, willEvictObject object: Object) {
        let key = keys.withLock { $0[ObjectIdentifier(object)] } ?? "?"
        trace.record("willEvict(\(key))")
        reaction.withLock { $0 }?(key)
    }

    /// Sets the closure that the delegate calls when an object is about to leave, with the object's key.
    func whenEvicting(_ body: @escaping @Sendable (String) -> Void) {
        reaction.withLock { $0 = body }
    }

    /// Stores an object; without one, a new plain object.
    @discardableResult
    func set(_ key: String, cost: Int = 0, _ object: Object? = nil) -> Object {
        let object = object ?? Plain()
        keys.withLock { $0[ObjectIdentifier(object)] = key }
        cache.setObject(object, forKey: key, cost: cost)
        return object
    }

    func get(_ key: String) {
        trace.record("get(\(key))=\(cache.object(forKey: key) == nil ? "miss" : "hit")")
    }

    /// A box with one access.
    ///
    /// The trace contains its faults and the end of its content.
    func discardable(_ name: String) -> Box {
        let content = LastWords { [trace] in trace.record("\(name).discarded") }
        let box = Box(content, faultHandler: { [trace] in trace.record("fault:\($0)") })
        boxes.withLock { $0.append(box) }
        return box
    }

    /// A box without an access.
    func unused(_ name: String) -> Box {
        let box = discardable(name)
        box.endContentAccess()
        return box
    }

    @discardableResult
    func warn(_ level: PressureLevel = .warning) -> UInt64 {
        reclaimer.reclaim(for: ReclaimRequest(level: level))
    }

    /// Returns the events that `body` causes.
    func events(_ body: () -> Void) -> [String] {
        _ = trace.take()
        body()
        return trace.take()
    }
}
