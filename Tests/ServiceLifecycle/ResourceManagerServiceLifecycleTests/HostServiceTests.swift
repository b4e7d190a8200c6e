import Logging
import ResourceManager
import ResourceManagerServiceLifecycle
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

/// A service that owns its host, on its own queue.
private actor Gallery: Service {
    private let queue = Queue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    private let host = ControllerHost("gallery", options: .init(socket: "/dev/null/absent"))
    private let controller: ViewController
    let events: EventStream<String>

    init(_ events: EventStream<String>) {
        self.events = events
        controller = ViewController(host: host)
        // The result is delivered only while the host runs.
        controller.load {
        } then: { [events] _ in
            events.send("running \(Queue.isCurrent ? "on the actor" : "elsewhere")")
        }
    }

    func save() {
        host.save { [events] in events.send("saved") }
    }

    func run() async throws {
        try await host.runUntilGracefulShutdown()
        events.send("ended \(Queue.isCurrent ? "on the actor" : "elsewhere")")
    }

    /// Makes a service of the host alone.
    func service() -> HostService { HostService(host) }
}

/// A service that makes its host where it runs.
private struct Maker: Service {
    let events: EventStream<String>

    func run() async throws {
        let host = ControllerHost("maker", options: .init(socket: "/dev/null/absent"))
        let registration = host.onOriginChange { [events] _ in events.send("running") }
        try await host.runUntilGracefulShutdown()
        withExtendedLifetime(registration) {}
    }
}

// An event that does not come should fail the test, not hang it.
@Suite(.timeLimit(.minutes(1)))
struct HostServiceTests {
    private let events = EventStream<String>()

    private func group(_ service: any Service) -> ServiceGroup {
        ServiceGroup(services: [service], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("an actor with a host is a service, which runs on the actor and returns at a graceful shutdown")
    func actor() async throws {
        let group = group(Gallery(events))
        let running = Task { try await group.run() }
        #expect(await events.next() == "running on the actor")
        await group.triggerGracefulShutdown()
        #expect(await events.next() == "ended on the actor")
        try await running.value
    }

    @Test("state that has to be saved is written before the service ends")
    func saves() async throws {
        let gallery = Gallery(events)
        let group = group(gallery)
        let running = Task { try await group.run() }
        #expect(await events.next() == "running on the actor")
        await gallery.save()
        await group.triggerGracefulShutdown()
        #expect(await events.next() == "saved")
        #expect(await events.next() == "ended on the actor")
        try await running.value
    }

    @Test("a cancelled service throws, inside a group and without one")
    func cancellation() async throws {
        let gallery = Gallery(events)
        let running = Task { try await gallery.run() }
        #expect(await events.next() == "running on the actor")
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }

    @Test("a host of the main actor runs on that actor")
    @MainActor
    func mainActor() async throws {
        let host = ControllerHost("main", options: .init(socket: "/dev/null/absent"))
        let controller = ViewController(host: host)
        controller.load {
        } then: { [events] _ in
            // This traps on any other actor.
            MainActor.assertIsolated()
            events.send("running")
        }
        let group = group(HostService(host))
        let running = Task { try await group.run() }
        #expect(await events.next() == "running")
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(host.origin == .none)
        withExtendedLifetime(controller) {}
    }

    @Test("a host of any actor runs on that actor")
    func anyActor() async throws {
        let gallery = Gallery(events)
        let group = group(await gallery.service())
        let running = Task { try await group.run() }
        #expect(await events.next() == "running on the actor")
        await group.triggerGracefulShutdown()
        try await running.value
    }

    @Test("a Sendable service makes its host inside")
    func madeInside() async throws {
        let group = group(Maker(events: events))
        let running = Task { try await group.run() }
        #expect(await events.next() == "running")
        await group.triggerGracefulShutdown()
        try await running.value
    }

    @Test("a shutdown before the start ends the run at once")
    func late() async throws {
        try await testGracefulShutdown { trigger in
            trigger.triggerGracefulShutdown()
            try await Gallery(events).run()
        }
        #expect(await events.next() == "ended on the actor")
    }
}
