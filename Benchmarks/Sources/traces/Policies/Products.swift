internal import Foundation
internal import ResourceManager

/// The library's own cache, in its usual use by a service.
struct Ours: ResizablePolicy {
    private let cache: ResourceCache<UInt32, Int>

    init(size: Int) {
        cache = ResourceCache("traces", limit: size)
    }

    mutating func access(_ id: UInt32) -> Bool {
        access(id, cost: 1)
    }

    mutating func access(_ id: UInt32, cost: Int) -> Bool {
        if cache.value(for: id) != nil { return true }
        cache.insert(Int(id), for: id, cost: cost)
        return false
    }

    mutating func resize(to size: Int) {
        cache.limit = size
    }
}

/// Foundation's `NSCache` on Linux.
final class FoundationCache: Policy {
    private let cache = NSCache<NSNumber, NSNumber>()

    init(size: Int) {
        cache.countLimit = size
    }

    deinit {
        // The entries refer to each other in both directions, and would otherwise outlive the cache.
        cache.removeAllObjects()
    }

    func access(_ id: UInt32) -> Bool {
        let key = NSNumber(value: id)
        if cache.object(forKey: key) != nil { return true }
        cache.setObject(key, forKey: key)
        return false
    }
}
