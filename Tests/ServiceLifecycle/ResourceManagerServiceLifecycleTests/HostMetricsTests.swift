import MetricsTestKit
import ResourceManager
import ResourceManagerServiceLifecycle
import Testing

struct HostMetricsTests {
    private let metrics = TestMetrics()
    private let host = ControllerHost("gallery")

    private func warnings(_ level: String, simulated: String) throws -> Int64 {
        let dimensions = [("host", "gallery"), ("level", level), ("simulated", simulated)]
        return try metrics.expectCounter("resource_manager.warnings", dimensions).totalValue
    }

    @Test("each broadcast is counted by its kind, with its outcome and duration")
    func warnings() throws {
        let counting = HostMetrics(host, factory: metrics)
        let drops = host.onMemoryRelease { _ in 5 << 20 }
        host.deliver(MemoryWarning(level: .warning, isSimulated: false))
        host.deliver(MemoryWarning(level: .warning, isSimulated: false, isRepeat: true))
        host.simulateMemoryWarning(.critical)
        #expect(try warnings("warning", simulated: "false") == 2)
        #expect(try warnings("critical", simulated: "true") == 1)
        #expect(try warnings("critical", simulated: "false") == 0)
        #expect(metrics.counterTotal(label: "resource_manager.released_bytes") == 15 << 20)
        let timer = try metrics.expectTimer("resource_manager.delivery.duration", [("host", "gallery")])
        #expect(timer.values.count == 3)
        #expect(timer.values.allSatisfy { $0 > 0 })
        withExtendedLifetime((counting, drops)) {}
    }

    @Test("gauges have the present values, at first and after each change")
    func gauges() throws {
        host.deliver(MemoryWarning(level: .warning, isSimulated: false))
        let counting = HostMetrics(host, factory: metrics)
        host.deliver(MemoryWarning(level: .critical, isSimulated: false))
        host.deliver(MemoryWarning(level: .normal, isSimulated: false))
        #expect(try metrics.expectGauge("resource_manager.level", [("host", "gallery")]).values == [1, 2, 0])
        #expect(try metrics.expectGauge("resource_manager.daemon", [("host", "gallery")]).values == [0])
        withExtendedLifetime(counting) {}
    }

    @Test("faults are counted, and nothing is counted after the object is destroyed")
    func faults() throws {
        host.faultHandling = .record { _ in }
        var counting: HostMetrics? = HostMetrics(host, factory: metrics)
        ViewController(host: host).dismiss()
        withExtendedLifetime(counting) {}
        counting = nil
        ViewController(host: host).dismiss()
        #expect(metrics.counterTotal(label: "resource_manager.faults") == 1)
    }
}
