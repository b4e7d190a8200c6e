import MetricsTestKit
import ResourceManager
import ResourceManagerServiceLifecycle
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

// A report that does not come should fail the test, not hang it.
@Suite(.timeLimit(.minutes(1)))
struct CacheMetricsTests {
    private let metrics = TestMetrics()

    private func total(_ label: String, _ dimensions: [(String, String)] = []) -> Int64 {
        metrics.counterTotal(label: "resource_manager.cache." + label, dimensions: [("cache", "pages")] + dimensions)
    }

    private func gauge(_ label: String) throws -> Double? {
        try metrics.expectGauge("resource_manager.cache." + label, [("cache", "pages")]).lastValue
    }

    @Test("counters grow by the events since the last report, and gauges have the present values")
    func differences() async throws {
        let reports = CacheMetrics(factory: metrics)
        let pages = ResourceCache<Int, Int>("pages", limit: 2)
        _ = try await pages.load(1) { $0 }
        reports.add(pages)
        reports.report()
        #expect(total("misses") == 1)
        #expect(total("loads", [("result", "loaded")]) == 1)
        #expect(try gauge("entries") == 1)

        _ = try await pages.load(1) { $0 }
        for page in 2...4 { _ = try await pages.load(page) { $0 } }
        _ = try? await pages.load(5) { _ in throw CancellationError() }
        pages.remove(4)
        reports.report()
        #expect(total("hits") == 1)
        #expect(total("misses") == 5)
        #expect(total("loads", [("result", "loaded")]) == 4)
        #expect(total("loads", [("result", "failed")]) == 1)
        #expect(total("removals", [("reason", "evicted")]) == 2)
        #expect(total("removals", [("reason", "removed")]) == 1)
        #expect(try gauge("entries") == 1)
        #expect(try gauge("cost") == 1)

        reports.report()
        #expect(total("misses") == 5)
    }

    @Test("a destroyed cache has zero gauges, and its report does not keep it alive")
    func gone() throws {
        let reports = CacheMetrics(factory: metrics)
        var pages: ResourceCache<Int, Int>? = ResourceCache("pages")
        pages?.insert(1, for: 1)
        if let pages { reports.add(pages) }
        reports.report()
        #expect(try gauge("entries") == 1)
        pages = nil
        reports.report()
        #expect(try gauge("entries") == 0)
    }

    @Test("as a service, the metrics are reported at intervals")
    func periodic() async throws {
        let reports = CacheMetrics(every: .milliseconds(1), factory: metrics)
        let pages = ResourceCache<Int, Int>("pages")
        reports.add(pages)
        let running = Task { try await reports.run() }
        let misses = try metrics.expectCounter("resource_manager.cache.misses", [("cache", "pages")])
        // The loop ends with the second report.
        for round in 1...2 {
            _ = pages.value(for: round)
            while misses.totalValue < round { await Task.yield() }
        }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }

    @Test("at a graceful shutdown the service reports once more and returns")
    func shutdown() async throws {
        let reports = CacheMetrics(every: .seconds(3600), factory: metrics)
        let pages = ResourceCache<Int, Int>("pages")
        reports.add(pages)
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            pages.insert(1, for: 1)
            try await reports.run()
        }
        #expect(try gauge("entries") == 1)
    }
}
