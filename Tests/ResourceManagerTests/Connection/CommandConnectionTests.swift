import Dispatch
import MemwarnProtocol
import TestSupport
import Testing

@testable import ResourceManager

/// A service on an actor of its own, with a few commands.
private actor Service {
    // `wait` blocks its thread. In a thread pool, two test cases at once could block all threads.
    private let queue = Queue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private let host: ControllerHost
    private var registrations: [Registration] = []
    let events = EventStream<String>()

    init(socket: String) {
        host = ControllerHost("service", options: .init(socket: socket))
    }

    struct Broken: Error {}

    /// Runs the host; the command `wait` waits for `gate`.
    func run(gate: DispatchSemaphore) async throws {
        let events = events
        registrations = [
            host.onCommand("greet") { "hello \($0.argument)" },
            host.onCommand("break") { _ in throw Broken() },
            host.onCommand("wait") {
                events.send("waiting")
                gate.wait()
                return $0.argument
            },
            host.onMemoryWarning { events.send("warning \($0.level)") },
        ]
        try await host.run()
    }
}

@Suite(.ownCaches)
struct CommandConnectionTests {
    private let daemon: FakeDaemon
    private let gate = DispatchSemaphore(value: 0)

    init() throws {
        daemon = try FakeDaemon()
        try daemon.listen()
    }

    /// Runs a service that the daemon has welcomed, until `body` returns.
    private func connected(_ body: (FakeDaemon.Connection, Service) async throws -> Void) async throws {
        let service = Service(socket: daemon.path)
        let gate = gate
        let running = Task { try await service.run(gate: gate) }
        defer { running.cancel() }
        let (connection, hello) = try await daemon.accept()
        #expect(hello.accepts == .commands)
        try connection.welcome()
        try await body(connection, service)
    }

    @Test("a command runs in the host's isolation, and its outcome is sent back with its number")
    func outcomes() async throws {
        try await connected { connection, _ in
            try connection.send(5, .command(CommandRequest(name: "greet", argument: "you")))
            #expect(try await connection.outcome(5) == CommandReply(result: .done, text: "hello you"))
            try connection.send(6, .command(CommandRequest(name: "break")))
            #expect(try await connection.outcome(6) == CommandReply(result: .failed, text: "Broken()"))
            try connection.send(7, .command(CommandRequest(name: "dance")))
            #expect(try await connection.outcome(7) == CommandReply(result: .unhandled))
        }
    }

    @Test("a busy host keeps sixteen commands in order, refuses further ones at once, and warnings go first")
    func busy() async throws {
        try await connected { connection, service in
            try connection.send(1, .command(CommandRequest(name: "wait", argument: "first")))
            #expect(await service.events.next() == "waiting")
            for number in 2...18 as ClosedRange<UInt64> {
                try connection.send(number, .command(CommandRequest(name: "greet", argument: "\(number)")))
            }
            // The host's actor waits for the gate, so only the receiving thread can send this answer.
            #expect(try await connection.outcome(18) == CommandReply(result: .failed, text: "busy"))
            // The answer to the next command shows that the warning before it was received.
            try connection.warn(9, .warning)
            try connection.send(19, .command(CommandRequest(name: "greet")))
            #expect(try await connection.outcome(19) == CommandReply(result: .failed, text: "busy"))

            gate.signal()
            #expect(try await connection.outcome(1) == CommandReply(result: .done, text: "first"))
            _ = try await connection.answer(9)
            for number in 2...17 as ClosedRange<UInt64> {
                #expect(try await connection.outcome(number) == CommandReply(result: .done, text: "hello \(number)"))
            }
        }
    }

    @Test("a command whose connection has closed runs nevertheless, and its answer goes to no other connection")
    func lostConnection() async throws {
        let service = Service(socket: daemon.path)
        let gate = gate
        let running = Task { try await service.run(gate: gate) }
        defer { running.cancel() }
        do {
            let (connection, _) = try await daemon.accept()
            try connection.welcome()
            try connection.send(1, .command(CommandRequest(name: "wait")))
            #expect(await service.events.next() == "waiting")
            try connection.send(2, .command(CommandRequest(name: "wait")))
        }
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        gate.signal()
        #expect(await service.events.next() == "waiting")
        gate.signal()
        try connection.send(3, .command(CommandRequest(name: "greet")))
        #expect(try await connection.outcome(3) == CommandReply(result: .done, text: "hello "))
    }
}
