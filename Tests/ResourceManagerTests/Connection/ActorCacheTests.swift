import Dispatch
import MemoryPressure
import MemwarnProtocol
import ResourceManager
import Synchronization
import TestSupport
import Testing

/// A service whose own actor holds memory that it can release.
private actor Service: AsyncReclaimable {
    private let host: ControllerHost
    private var registrations: [Registration] = []
    private let held = Atomic(100)
    nonisolated var reclaimableBytes: Int { held.load(ordering: .relaxed) }
    let events = EventStream<String>()

    init(socket: String) {
        host = ControllerHost("service", options: .init(socket: socket))
        registerForMemoryWarnings()
    }

    func run() async throws {
        registrations = [
            host.onMemoryWarning { [events] _ in events.send("observer") },
            host.onLevelChange { [events] in events.send("level \($0)") },
        ]
        try await host.run()
    }

    func reclaim(_ bytes: Int) -> Int {
        events.send("reclaim \(bytes)")
        held.subtract(bytes, ordering: .relaxed)
        return bytes
    }

    func pressureDidEnd() {
        events.send("end")
    }

    func simulate() -> MemoryRelease { host.simulateMemoryWarning() }
}

@Suite(.ownCaches, .timeLimit(.minutes(1)))
struct ActorCacheTests {
    @Test("a host's own actor is asked in order, the warning waits for it, and its bytes count (4.3, 8.10, 8.11)")
    func ownActor() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        defer { running.cancel() }
        let (connection, hello) = try await daemon.accept()
        #expect(hello.releasable == 100)
        try connection.welcome()
        try connection.warn(1, .critical)
        let answer = try await connection.answer(1)
        #expect((answer.released, answer.releasable) == (90, 10))
        for event in ["observer", "reclaim 90", "level critical"] { #expect(await service.events.next() == event) }
    }

    @Test("an actor whose thread is blocked delays an answer for a moment, and other responders make up for it (8.11)")
    func stuck() async throws {
        /// Blocks its thread, which no other actor uses.
        actor Sleeper: AsyncReclaimable {
            private let queue = Queue()
            nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
            private let gate: DispatchSemaphore
            nonisolated var reclaimableBytes: Int { 100 }

            init(_ gate: DispatchSemaphore) {
                self.gate = gate
                registerForMemoryWarnings()
            }

            func reclaim(_ bytes: Int) -> Int {
                gate.wait()
                return bytes
            }
        }
        let daemon = try FakeDaemon()
        try daemon.listen()
        let gate = DispatchSemaphore(value: 0)
        let sleeper = Sleeper(gate)
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        defer {
            gate.signal()
            running.cancel()
        }
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        // The warning wants 7 bytes.
        try connection.warn(1, .warning)
        #expect(try await connection.answer(1).released == 7)
        for event in ["observer", "reclaim 3", "reclaim 4"] { #expect(await service.events.next() == event) }
        withExtendedLifetime(sleeper) {}
    }

    @Test("a simulation on that actor asks it, and does not wait for a call that cannot begin (8.11)")
    func blocked() async throws {
        let service = Service(socket: "/nonexistent")
        #expect(await service.simulate().released == 0)
        #expect(await service.events.next() == "reclaim 50")
        #expect(await service.events.next() == "end")
    }
}
