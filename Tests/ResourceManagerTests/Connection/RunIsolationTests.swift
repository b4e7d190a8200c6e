import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@testable import ResourceManager

/// A service whose actor runs on its own queue, so that code can check whether it runs there.
private actor Service {
    private let queue = Queue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    private let host: ControllerHost
    private var registrations: [Registration] = []
    let events = EventStream<String>()

    private let window: Window

    init(socket: String, kernel: KernelTree = .live) {
        host = ControllerHost("service", options: .init(socket: socket), kernel: kernel)
        window = Window(host: host)
    }

    fileprivate static func place(_ event: String) -> String {
        "\(event) \(Queue.isCurrent ? "on the actor" : "elsewhere")"
    }

    private final class Root: ViewController {
        var events: EventStream<String>?
        override func willTransition(to environment: Environment) {
            events?.send(Service.place("limit \(environment.memoryLimit)"))
        }
    }

    /// Shows a controller, and starts work whose result is recorded as an event.
    func load() {
        let root = Root(host: host)
        root.events = events
        window.rootViewController = root
        root.load {
            42
        } then: { [events] in
            events.send(Self.place("load \((try? $0.get()) ?? 0)"))
        }
    }

    func run() async throws {
        let events = events
        registrations = [
            host.onOriginChange { events.send(Self.place($0 == .none ? "end" : "origin")) },
            host.onMemoryWarning { _ in events.send(Self.place("warning")) },
            host.onCommand("where") { _ in Self.place("command") },
        ]
        try await host.run()
    }
}

@Suite(.ownCaches)
struct RunIsolationTests {
    @Test("all calls of run() are in the isolation of its caller")
    func isolation() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        #expect(await service.events.next() == "origin on the actor")
        try connection.warn(1, .warning)
        #expect(await service.events.next() == "warning on the actor")
        _ = try await connection.answer(1)
        try connection.send(2, .command(CommandRequest(name: "where")))
        #expect(try await connection.outcome(2).text == "command on the actor")
        await service.load()
        #expect(await service.events.next() == "load 42 on the actor")
        running.cancel()
        #expect(await service.events.next() == "end on the actor")
    }

    @Test("a changed limit reaches the windows, in the same isolation (5.35)")
    func limits() async throws {
        let high = "/sys/fs/cgroup/a/memory.high"
        let kernel = try FakeKernel([
            "/proc/self/cgroup": "0::/a\n",
            "/proc/self/mountinfo": "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "/proc/meminfo": "MemTotal: 8388608 kB\nMemAvailable: 6291456 kB\n",
            "/sys/fs/cgroup/a/memory.max": "max\n",
            high: "1000\n",
        ])
        let daemon = try FakeDaemon()
        try daemon.listen()
        let service = Service(socket: daemon.path, kernel: kernel.tree)
        await service.load()
        let running = Task { try await service.run() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        // One after the other, in the order in which they arrive.
        #expect(
            Set([await service.events.next(), await service.events.next()]) == [
                "origin on the actor", "load 42 on the actor",
            ]
        )
        try kernel.set(high, "2000\n")
        #expect(await service.events.next() == "limit 2000 on the actor")
        running.cancel()
    }
}
