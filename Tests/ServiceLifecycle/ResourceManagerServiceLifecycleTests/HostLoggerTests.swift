import InMemoryLogging
import Logging
import ResourceManager
import ResourceManagerServiceLifecycle
import Testing

struct HostLoggerTests {
    private let handler = InMemoryLogHandler()
    private let host = ControllerHost("gallery")

    private var logger: Logger { Logger(label: "test") { _ in handler } }

    @Test("a warning that was broadcast is one line with its outcome, and a level is another line")
    func warning() throws {
        let log = HostLogger(host, logger: logger)
        let drops = host.onMemoryRelease { _ in 3 << 20 }
        host.deliver(
            MemoryWarning(
                level: .critical,
                scope: "/system.slice/gallery.service",
                reason: PressureReason(.headroom, figure: .percent(3), threshold: .percent(4)),
                isSimulated: false
            )
        )
        host.deliver(MemoryWarning(level: .normal, isSimulated: false))
        #expect(
            handler.entries.map(\.message) == [
                "Level of memory pressure changed", "Gave memory back", "Level of memory pressure changed",
            ]
        )
        let line = try #require(handler.entries.dropFirst().first)
        #expect(line.level == .info)
        #expect(line.metadata["host"] == "gallery")
        #expect(line.metadata["warning.level"] == "critical")
        #expect(line.metadata["warning.scope"] == "/system.slice/gallery.service")
        #expect(line.metadata["warning.simulated"] == "false")
        #expect(line.metadata["released.bytes"] == "\(3 << 20)")
        #expect(handler.entries.last?.metadata["level"] == "normal")
        withExtendedLifetime((log, drops)) {}
    }

    @Test("a fault goes to the logger instead of standard error, even if warnings are no longer logged")
    func faults() {
        _ = HostLogger(host, logger: logger)
        ViewController(host: host).dismiss()
        #expect(handler.entries.map(\.level) == [.error])
        #expect(handler.entries.first?.metadata["fault"] == "nothingToDismiss")
        host.simulateMemoryWarning()
        #expect(handler.entries.count == 1)
    }

    @Test("a host that records its faults continues to do so")
    func recorded() {
        let faults = FaultList()
        host.faultHandling = .record { faults.all.append($0) }
        let log = HostLogger(host, logger: logger)
        ViewController(host: host).dismiss()
        #expect(faults.all == [.nothingToDismiss])
        #expect(handler.entries.isEmpty)
        withExtendedLifetime(log) {}
    }
}

private final class FaultList {
    var all: [ResourceFault] = []
}
