import TestSupport
import Testing

@testable import ResourceCaches

/// Warnings to caches whose values receive warnings themselves, or belong to other objects that do.
@Suite(.ownCaches)
struct RegisteredValuesTests {
    private let reclaimer = Reclaimer.current

    private final class Tenant: Reclaimable {
        init() { registerForMemoryWarnings() }
        var reclaimableBytes: Int { 0 }
        func reclaim(_ bytes: Int) -> Int { 0 }
    }

    private final class Plain: Sendable {}

    private func reclaim(_ level: PressureLevel) -> UInt64 {
        reclaimer.reclaim(for: ReclaimRequest(level: level))
    }

    private func warnCache<Value: Sendable>(of makeValue: () -> Value) {
        for isMadeFirst in [false, true] {
            var values = isMadeFirst ? (0..<100).map { _ in makeValue() } : []
            let cache = ResourceCache<Int, Value>("K")
            for key in 0..<100 { cache.insert(values.popLast() ?? makeValue(), for: key, cost: 100) }
            #expect(reclaim(.warning) == 5000)
            #expect(cache.count == 50)
            #expect(cache.totalCost == 5000)
            #expect(cache.statistics.unfreedCost == 0)
        }
    }

    @Test("values that receive warnings themselves leave a cache like others: half at a warning, and each counts")
    func half() {
        warnCache { Plain() }
        warnCache { Tenant() }
        warnCache { Reloadable("R") { 0 } }
        warnCache { AsyncReloadable("R") { 0 } }
        warnCache { ResourceCache<Int, Int>("inner") }
    }

    @Test("purgeable data counts once, whether it leaves a cache or gives its bytes itself", arguments: [false, true])
    func purgeableData(isMadeFirst: Bool) throws {
        let bytes = 1 << 16
        func makeData() throws -> PurgeableData {
            let data = try PurgeableData(copying: [UInt8](repeating: 1, count: bytes).span.bytes)
            data.endContentAccess()
            return data
        }
        var early = isMadeFirst ? try (0..<10).map { _ in try makeData() } : []
        let cache = ResourceCache<Int, PurgeableData>("K")
        for key in 0..<10 { cache.insert(try early.popLast() ?? makeData(), for: key, cost: bytes) }
        #expect(reclaim(.warning) == UInt64(10 * bytes))
        #expect(cache.count == 5)
    }

    @Test("an object of a cache and of a reloadable value counts once, when the last of them drops it")
    func reloadable() {
        let cache = ResourceCache<Int, Plain>("K")
        let reloadable = Reloadable("R", cost: { _ in 1000 }, load: { Plain() })
        cache.insert(reloadable.value(), for: 1, cost: 1000)
        #expect(reclaim(.critical) == 1000)
        #expect(!reloadable.isLoaded)
    }

    @Test("an array of a cache and of a reloadable value counts once, at the higher of its costs")
    func reloadableArray() async throws {
        let cache = ResourceCache<Int, [Int]>("K")
        let reloadable = AsyncReloadable("R", cost: { _ in 800 }, load: { Array(0..<100) })
        cache.insert(try await reloadable.value(), for: 1, cost: 900)
        #expect(reclaim(.critical) == 900)
        #expect(!reloadable.isLoaded)
    }
}
