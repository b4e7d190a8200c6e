// The service's own memory takes part in warnings: a pool of buffers, and a cache on an actor.
import ResourceManager
import Synchronization

final class BufferPool: Reclaimable {
    private let free = Mutex<[[UInt8]]>([])

    init() { registerForMemoryWarnings() }

    func put(_ buffer: [UInt8]) { free.withLock { $0.append(buffer) } }
    func take() -> [UInt8]? { free.withLock { $0.popLast() } }

    var reclaimableBytes: Int { free.withLock { $0.reduce(0) { $0 + $1.count } } }

    func reclaim(_ bytes: Int) -> Int {
        free.withLock { free in
            var given = 0
            while given < bytes, let buffer = free.popLast() { given += buffer.count }
            return given
        }
    }
}

actor Thumbnails: AsyncReclaimable {
    private var images: [String: [UInt8]] = [:]
    private let held = Atomic(0)
    nonisolated var reclaimableBytes: Int { held.load(ordering: .relaxed) }

    init() { registerForMemoryWarnings() }

    func insert(_ image: [UInt8], for name: String) {
        let former = images.updateValue(image, forKey: name)
        held.add(image.count - (former?.count ?? 0), ordering: .relaxed)
    }

    func reclaim(_ bytes: Int) -> Int {
        var given = 0
        while given < bytes, let (_, image) = images.popFirst() { given += image.count }
        held.subtract(given, ordering: .relaxed)
        return given
    }
}

/// A cache of another library, with a lock of its own.
final class ForeignCache: Sendable {
    var size: Int { 0 }
    func shrink(by bytes: Int) {}
}

final class ForeignMember: Reclaimable {
    private let cache: ForeignCache
    var reclaimableBytes: Int { cache.size }
    var reclaimPriority: CachePriority { .prefetched }

    init(_ cache: ForeignCache) {
        self.cache = cache
        registerForMemoryWarnings()
    }

    func reclaim(_ bytes: Int) -> Int {
        let before = cache.size
        cache.shrink(by: bytes)
        return before - cache.size
    }
}

/// A model that is loaded as a whole, and takes long to read.
final class ModelHolder: Reclaimable {
    private let model = Mutex<[UInt8]?>(nil)

    init() { registerForMemoryWarnings() }

    func hold(_ bytes: [UInt8]) { model.withLock { $0 = bytes } }

    var reclaimableBytes: Int { model.withLock { $0?.count ?? 0 } }

    func reclaim(_ bytes: Int) -> Int {
        model.withLock { model in
            guard bytes > 0, bytes >= (model?.count ?? 0) / 4 * 3 else { return 0 }
            return model.take()?.count ?? 0
        }
    }
}

let pool = BufferPool()
let member = ForeignMember(ForeignCache())
for _ in 0..<4 { pool.put([UInt8](repeating: 0, count: 1 << 20)) }
print(ControllerHost("gallery").simulateMemoryWarning().released)
withExtendedLifetime(member) {}
