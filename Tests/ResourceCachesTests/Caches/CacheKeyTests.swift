import Testing

@testable import ResourceCaches

/// Keys whose comparison uses a cache.
struct CacheKeyTests {
    /// The cache call that a key makes when it is compared.
    private enum Use: Int, CaseIterable {
        case read, count, insert, removal, update
    }

    private struct NosyKey: Hashable {
        static let cache = ResourceCache<NosyKey, Int>("K")
        static let other = ResourceCache<Int, Int>("L")

        let use: Use?

        static func == (left: Self, right: Self) -> Bool {
            let key = NosyKey(use: nil)
            switch left.use ?? right.use {
            case .read: _ = cache.peek(key)
            case .count: _ = cache.count
            case .insert: cache.insert(1, for: key)
            case .removal: cache.remove(key)
            case .update: cache.update(key) { $0 = nil }
            case nil: other.insert(other.count, for: 1)
            }
            return true
        }

        func hash(into hasher: inout Hasher) {}
    }

    @Test(
        "a debug build stops with a message if a key's == uses the cache that compares the key",
        .enabled(if: CacheView.checksComparisons),
        arguments: Use.allCases.map(\.rawValue)
    )
    func comparison(use: Int) async throws {
        let result = try await #require(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [use = use as Int] in
            NosyKey.cache.insert(1, for: NosyKey(use: nil))
            _ = NosyKey.cache.value(for: NosyKey(use: Use(rawValue: use)))
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("a key's == uses the cache that is looking for the key"), "\(message)")
    }

    @Test("a key's == may use another cache")
    func comparisonWithAnother() {
        NosyKey.cache.insert(1, for: NosyKey(use: nil))
        #expect(NosyKey.cache.value(for: NosyKey(use: nil)) == 1)
        #expect(NosyKey.other.contains(1))
    }

    @Test("the load of a key that does not equal itself returns a value, and leaves no load, failure or watch behind")
    func unequal() async throws {
        let cache = ResourceCache<Double, Int>("nan")
        for _ in 0..<3 {
            #expect(try await cache.load(.nan) { _ in 1 } == 1)
            #expect(cache.value(for: .nan) { 2 } == 2)
            _ = try await cache.load([.nan]) { _ in [1: 1] }
        }
        #expect(cache.count == 0)
        #expect(!cache.loading.recordsChanges)
        #expect(cache.update(.nan) { $0.take() } == nil)
        cache.update(.nan) { $0 = 1 }
        #expect(cache.value(for: .nan) == nil)
        #expect(!cache.loading.recordsChanges)
    }
}
