import Dispatch
import MemwarnProtocol
import TestSupport
import Testing

@testable import ResourceManager

/// A queue that an actor can run on, and that code can tell it is on.
private final class Queue: SerialExecutor {
    private static let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "service")

    init() {
        queue.setSpecific(key: Self.key, value: true)
    }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// A service whose actor runs on a queue of its own, so that code can tell whether it is there.
private actor Service {
    private let queue = Queue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    private let host: ControllerHost
    private var registrations: [Registration] = []
    let events = EventStream<String>()

    init(socket: String) {
        host = ControllerHost("service", options: .init(socket: socket), reclaimer: Reclaimer())
    }

    private static func place(_ event: String) -> String {
        "\(event) \(Queue.isCurrent ? "on the actor" : "elsewhere")"
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

struct RunIsolationTests {
    @Test("whatever run() calls, it calls in the isolation of whoever called it")
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
        running.cancel()
        #expect(await service.events.next() == "end on the actor")
    }
}
