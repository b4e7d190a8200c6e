import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@testable import ResourceCaches
@testable import ResourceManager

/// A service on an actor of its own, with a slow cache.
private actor Service {
    private let host: ControllerHost
    private let controller: ViewController
    private var registrations: [Registration] = []
    private let delegate = Delegate()
    let events = EventStream<String>()

    private final class Delegate: ControllerHostDelegate {
        var events: EventStream<String>?

        func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning) {
            events?.send("delegate \(warning.level)")
        }

        func controllerHost(_ host: ControllerHost, didRelease release: MemoryRelease, for warning: MemoryWarning) {
            events?.send("released \(release.released) for \(warning.level)")
        }
    }

    init(socket: String) {
        host = ControllerHost("service", options: .init(socket: socket))
        controller = ViewController(host: host)
        controller.loadViewIfNeeded()
        controller.view.cost = 1
    }

    func run() async throws {
        delegate.events = events
        host.delegate = delegate
        registrations = [
            host.onMemoryWarning { [events] _ in events.send("observer") },
            host.onLevelChange { [events] in events.send("level \($0)") },
            host.onCommand("status") { [unowned host] _ in "level \(host.level)" },
        ]
        try await host.run()
    }

    var warning: MemoryWarning? { host.currentWarning }

    func simulate() -> MemoryRelease { host.simulateMemoryWarning(.critical) }
    func end() -> MemoryRelease { host.deliver(MemoryWarning(level: .normal, isSimulated: false)) }

    /// Whether the controller's view was unloaded; loads it again.
    func reload() -> Bool {
        defer {
            controller.loadViewIfNeeded()
            controller.view.cost = 1
        }
        return !controller.isViewLoaded
    }
}

@Suite(.ownCaches)
struct FreeActorTests {
    private let cache = GatedResponder()
    private let daemon: FakeDaemon

    init() throws {
        daemon = try FakeDaemon()
        try daemon.listen()
        Reclaimer.current.register(cache)
    }

    /// Starts a service that is in the middle of round 1 while its cache is busy.
    private func warned() async throws -> (Service, Task<Void, any Error>, FakeDaemon.Connection) {
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        try connection.warn(1, .warning)
        #expect(await cache.events.next() == "begins")
        return (service, running, connection)
    }

    @Test("while caches shrink the actor is free; handlers, outcome and answer follow (4.3, 8.10)")
    func free() async throws {
        let (service, running, connection) = try await warned()
        defer { running.cancel() }
        #expect(await service.warning == nil)
        #expect(await service.reload(), "controllers come before caches")
        cache.open()
        #expect(await cache.events.next() == "ends")
        let answer = try await connection.answer(1)
        #expect(answer.released == 101)
        #expect(answer.releasable == 1001)
        var events: [String] = []
        for _ in 0..<4 { await events.append(service.events.next() ?? "") }
        #expect(events == ["delegate warning", "observer", "level warning", "released 101 for warning"])
    }

    @Test("messages that arrive meanwhile wait: first the newest warning, then the commands")
    func waiting() async throws {
        let (_, running, connection) = try await warned()
        defer { running.cancel() }
        try connection.warn(2, .critical)
        for number in 3..<19 as Range<UInt64> { try connection.send(number, .command(CommandRequest(name: "status"))) }
        try connection.warn(19, .critical)
        try connection.send(20, .command(CommandRequest(name: "status")))
        // The host refuses this command as soon as it arrives, so it has also received the earlier ones.
        #expect(try await connection.outcome(20).text == "busy")
        cache.open()
        #expect(try await connection.answer(1).released == 101)
        #expect(try await connection.answer(19).released == 10)
        for number in 3..<19 as Range<UInt64> {
            #expect(try await connection.outcome(number).text == "level critical")
        }
    }

    @Test("a delivery that is requested meanwhile is separate, and it is complete when the call returns (8.10)")
    func ownDelivery() async throws {
        let (service, running, connection) = try await warned()
        defer { running.cancel() }
        _ = await service.reload()
        #expect(await service.simulate().released == 11)
        #expect(await service.end() == .none)
        cache.open()
        #expect(try await connection.answer(1).released == 101, "what the other gave is not counted again")
        var events: [String] = []
        for _ in 0..<8 { await events.append(service.events.next() ?? "") }
        #expect(
            events == [
                "delegate warning", "observer",
                "delegate critical", "observer", "level warning", "released 11 for critical",
                "level normal", "released 101 for warning",
            ]
        )
    }

    @Test("a run that is cancelled meanwhile ends after the delivery, at the level normal")
    func cancelled() async throws {
        let (service, running, _) = try await warned()
        running.cancel()
        cache.open()
        await #expect(throws: CancellationError.self) { try await running.value }
        var events: [String] = []
        for _ in 0..<5 { await events.append(service.events.next() ?? "") }
        #expect(
            events == ["delegate warning", "observer", "level warning", "released 101 for warning", "level normal"]
        )
    }
}
