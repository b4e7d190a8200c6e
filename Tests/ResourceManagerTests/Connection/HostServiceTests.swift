import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@testable import ResourceManager

/// An actor that passes its host to a task as a value.
private actor Owner {
    private let queue = Queue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    private let host: ControllerHost
    private var registration: Registration?
    let events = EventStream<String>()

    init(socket: String) {
        host = ControllerHost("owner", options: .init(socket: socket))
    }

    func service() -> ControllerHost.Service {
        registration = host.onMemoryWarning { [events] _ in events.send(Queue.isCurrent ? "on the actor" : "elsewhere")
        }
        return host.service()
    }

    /// Returns the service of a host that has no other owner.
    func keepingService() -> ControllerHost.Service {
        let host = ControllerHost("kept")
        let words = LastWords(events)
        host.onLevelChange(of: self) { _, _ in withExtendedLifetime(words) {} }
        return host.service()
    }
}

/// Makes a host where it runs.
private struct Maker: Sendable {
    let socket: String

    func run() async throws {
        let host = ControllerHost("made inside", options: .init(socket: socket))
        try await host.run()
    }
}

@Suite(.ownCaches)
struct HostServiceTests {
    @Test("a service runs its host on the actor on which it was made, from any task")
    func isolation() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let owner = Owner(socket: daemon.path)
        let service = await owner.service()
        #expect(service.name == "owner")
        let running = Task.detached { try await service.run() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        try connection.warn(1, .warning)
        #expect(await owner.events.next() == "on the actor")
        _ = try await connection.answer(1)
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }

    @Test("a Sendable service makes its host inside")
    func madeInside() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let maker = Maker(socket: daemon.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await maker.run() }
            let (_, hello) = try await daemon.accept()
            #expect(hello.name == "made inside")
            group.cancelAll()
        }
    }

    @Test("a service keeps its host, and releases it on its actor")
    func lifetime() async throws {
        let owner = Owner(socket: "/nowhere")
        var service: ControllerHost.Service? = await owner.keepingService()
        #expect(service?.name == "kept")
        service = nil
        #expect(await owner.events.next() == "ended on the actor")
    }
}

/// Records where it was deallocated.
private final class LastWords: Sendable {
    private let events: EventStream<String>

    init(_ events: EventStream<String>) {
        self.events = events
    }

    deinit {
        events.send(Queue.isCurrent ? "ended on the actor" : "ended elsewhere")
    }
}
