import CLinux
import MemoryPressure
import MemwarnProtocol
import Synchronization
import TestSupport
import Testing

@testable import ResourceManager

/// A delegate, so that deliveries wait for calls on an actor.
private actor Delegate: AsyncControllerHostDelegate {}

/// Tasks that keep all threads of Swift's pool busy, except the caller's, until they are released or 10 s have passed.
private final class BusyPool: Sendable {
    private let isReleased = Atomic(false)
    private let startCount = Atomic(0)

    init() {
        let threadCount = max(2, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
        let end = ContinuousClock.now + .seconds(10)
        for _ in 0..<threadCount {
            Task.detached { [self] in
                startCount.add(1, ordering: .relaxed)
                while !isReleased.load(ordering: .relaxed), .now < end {}
            }
        }
        while startCount.load(ordering: .relaxed) < threadCount - 1 {
            guard .now < end else {
                Issue.record("not all threads could be kept busy")
                return
            }
        }
    }

    func release() {
        isReleased.store(true, ordering: .relaxed)
    }
}

@Suite(.ownCaches, .timeLimit(.minutes(1)))
struct MainActorRunTests {
    @Test("a host of the main actor answers while tasks of the service keep all threads of the pool busy (8.10)")
    func mainActor() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let events = EventStream<PressureOrigin>()
        let delegate = Delegate()
        let running = Task { @MainActor [path = daemon.path] in
            let host = ControllerHost("busy", options: .init(socket: path))
            host.asyncDelegate = delegate
            let registration = host.onOriginChange { events.send($0) }
            defer { withExtendedLifetime(registration) {} }
            try await host.run()
        }
        defer { running.cancel() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        _ = await events.next()
        let pool = BusyPool()
        try connection.warn(1, .critical)
        let answer = connection.spin(for: .seconds(5))
        pool.release()
        guard case .acknowledgement = answer?.message else {
            Issue.record("no answer while the pool was busy")
            return
        }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }

    @Test("a run on the main actor ends when it is cancelled, at any moment of its start")
    @MainActor
    func cancels() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let host = ControllerHost("short", options: .init(socket: daemon.path))
        // As many as the daemon's queue of connections has room for.
        for turn in 0..<16 {
            let running = Task { try await host.run() }
            for _ in 0..<turn % 8 { await Task.yield() }
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
            #expect(host.origin == .none)
        }
    }

    @Test("a callback on the main actor may cancel the run that calls it")
    @MainActor
    func cancelsInCallback() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let host = ControllerHost("short", options: .init(socket: daemon.path))
        var running: Task<Void, any Error>?
        let registration = host.onMemoryWarning { _ in
            MainActor.assertIsolated()
            running?.cancel()
        }
        running = Task { try await host.run() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        try connection.warn(1, .warning)
        await #expect(throws: CancellationError.self) { try await running?.value }
        withExtendedLifetime(registration) {}
    }
}
