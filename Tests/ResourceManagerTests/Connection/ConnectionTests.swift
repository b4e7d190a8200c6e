import CLinux
import Dispatch
import MemoryPressure
import MemwarnProtocol
import Synchronization
import TestSupport
import Testing

@testable import ResourceManager

/// A service on an actor of its own: one controller off window whose view holds 1000 bytes by its own count.
private actor Service {
    private let host: ControllerHost
    private let controller: ViewController
    private var registrations: [Registration] = []
    let events = EventStream<String>()

    init(socket: String, name: String = "service") {
        host = ControllerHost(name, options: .init(socket: socket, priority: 9))
        controller = HeavyController(host: host)
        controller.loadViewIfNeeded()
    }

    private final class HeavyController: ViewController {
        override func loadView() {
            view = View()
            view.cost = 1000
        }
    }

    func run() async throws {
        let events = events
        registrations = [
            host.onMemoryWarning { events.send("warning \($0.level) \($0.scope) \($0.bytesWanted)") },
            host.onLevelChange { events.send("level \($0)") },
            host.onOriginChange { events.send("origin \($0)") },
        ]
        try await host.run()
    }

    var level: PressureLevel { host.level }
    var origin: PressureOrigin { host.origin }
    var isViewLoaded: Bool { controller.isViewLoaded }
}

/// Memory that is released once the test allows it.
private final class Pool: Reclaimable {
    static let size = 64 << 20
    private let bytes = Mutex<[UInt8]>([UInt8](repeating: 1, count: size))
    private let isAllowed = DispatchSemaphore(value: 0)

    init() {
        registerForMemoryWarnings()
    }

    var reclaimableBytes: Int { bytes.withLock { $0.count } }

    func allow() {
        isAllowed.signal()
    }

    func reclaim(_ bytes: Int) -> Int {
        isAllowed.wait()
        isAllowed.signal()
        return self.bytes.withLock { present in
            defer { present = [] }
            return present.count
        }
    }
}

@Suite(.ownCaches)
struct ConnectionTests {
    private let daemon: FakeDaemon

    init() throws {
        daemon = try FakeDaemon()
    }

    @Test func registersAnswersAndReceivesTheEnd() async throws {
        try daemon.listen()
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        let (connection, hello) = try await daemon.accept()
        // The thread sanitizer has an allocator of its own.
        let allocator: HostAllocator = isUnderThreadSanitizer ? .other : .glibc
        let expected = Hello(priority: 9, releasable: 1000, name: "service", accepts: .commands, allocator: allocator)
        #expect(hello == expected, "a view off window can be given back")
        try connection.welcome()
        #expect(await service.events.next() == "origin daemon at \(daemon.path)")

        try connection.warn(41, .critical)
        let answer = try await connection.answer(41)
        #expect(answer.released == 1000)
        #expect(answer.residentBefore > 0 && answer.residentAfter > 0)
        #expect(answer.releasable == 0, "nothing is left")
        #expect(await service.events.next() == "warning critical /s 7")
        #expect(await service.events.next() == "level critical")
        #expect(await !service.isViewLoaded)

        try connection.warn(42, .normal, [])
        #expect(await service.events.next() == "level normal")
        running.cancel()
        #expect(await connection.isClosed())
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(await service.origin == .none)
    }

    @Test("without a daemon the host watches the kernel, unless the service manager forbids it")
    func memoryPressureWatchIsOff() async {
        for (value, isOff) in [("/dev/null", true), ("/sys/fs/cgroup/memory.pressure", false)] {
            // The environment belongs to the whole process.
            await #expect(processExitsWith: .success) { [value = value as String, isOff = isOff as Bool] in
                setenv("MEMORY_PRESSURE_WATCH", value, 1)
                let host = ControllerHost("off", options: .init(socket: "/nonexistent"))
                let setup = host.receiverSetup
                let session = try SharedSession(setup)
                try session.start(setup)
                defer { session.stop() }
                guard case .origin(let origin)? = await session.next() else { exit(1) }
                exit((origin == .none) == isOff ? 0 : 1)
            }
        }
    }

    @Test("a host that stops under pressure does not leave the caches small for ever")
    func stopsUnderPressure() async throws {
        try daemon.listen()
        let trace = SharedTrace()
        let cache = FakeResponder("K", trace, bytes: 100)
        Reclaimer.current.register(cache)
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        try connection.warn(1, .critical)
        #expect(try await connection.answer(1).released == 1090)
        #expect(trace.take() == ["K.critical(rule)=90"])
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(trace.take() == ["K.end"])
        withExtendedLifetime(cache) {}
    }

    @Test("a run that ends at a raised level ends that level, and the next run begins at normal (8.9)")
    func runsAgain() async throws {
        try daemon.listen()
        let service = Service(socket: daemon.path)
        for round in 1...2 as ClosedRange<UInt64> {
            let running = Task { try await service.run() }
            let (connection, _) = try await daemon.accept()
            try connection.welcome(.normal)
            #expect(await service.events.next() == "origin daemon at \(daemon.path)")
            try connection.warn(round, .critical)
            #expect(await service.events.next() == "warning critical /s 7")
            #expect(await service.events.next() == "level critical")
            running.cancel()
            #expect(await service.events.next() == "origin none")
            #expect(await service.events.next() == "level normal")
            await #expect(throws: CancellationError.self) { try await running.value }
            #expect(await service.level == .normal)
        }
    }

    @Test("two hosts of a process do not both report the same released memory")
    func sharedFall() async throws {
        try daemon.listen()
        let pool = Pool()
        let services = [Service(socket: daemon.path), Service(socket: daemon.path)]
        let running = services.map { service in Task { try await service.run() } }
        let connections = [try await daemon.accept().connection, try await daemon.accept().connection]
        for connection in connections { try connection.welcome() }
        for connection in connections { try connection.warn(5, .critical) }
        // Both hosts have measured the process before the memory is freed.
        for service in services { while await service.events.next() != "warning critical /s 7" {} }
        pool.allow()
        var freed = 0
        for connection in connections {
            let answer = try await connection.answer(5)
            freed += max(0, Int(answer.residentBefore) - Int(answer.residentAfter))
        }
        // Other tests may use memory at the same time.
        #expect(abs(freed - Pool.size) < Pool.size / 2)
        for task in running { task.cancel() }
        for task in running { await #expect(throws: CancellationError.self) { try await task.value } }
    }

    @Test("the rounds of two daemons, or of one before and after a restart, are different, whatever their numbers")
    func equalNumbers() async throws {
        let cache = FakeResponder(bytes: 1024)
        Reclaimer.current.register(cache)
        let other = try FakeDaemon()
        for daemon in [daemon, other] { try daemon.listen() }
        let services = [daemon, other, other].map { Service(socket: $0.path) }
        let running = services.map { service in Task { try await service.run() } }
        var connections = [try await daemon.accept().connection]
        for _ in 0..<2 { connections.append(try await other.accept().connection) }
        for connection in connections { try connection.welcome() }
        // By its level's rule, critical leaves a tenth of all that is there.
        for (connection, expected) in zip(connections[..<2], [1922, 1000 + 92] as [UInt64]) {
            try connection.warn(1, .critical)
            #expect(try await connection.answer(1).released == expected)
        }
        try connections[2].warn(1, .critical)
        #expect(try await connections[2].answer(1).released == 1000, "the other daemon's round has been answered")
        for task in running { task.cancel() }
        for task in running { await #expect(throws: CancellationError.self) { try await task.value } }
    }

    @Test(
        "a host whose name cannot be registered reports it and does not run",
        arguments: [("", "unusableHostName"), ("a\0b", #"unusableHostName:a\u{0}b"#)]
    )
    func unusableName(name: String, fault: String) async {
        let host = ControllerHost(name)
        let faults = SharedTrace()
        host.faultHandling = .record { faults.record("\($0)") }
        await #expect(throws: ResourceFault.unusableHostName(name)) { try await host.run() }
        #expect(faults.take() == [fault])
    }

    @Test("a simulated warning is answered and changes no level")
    func simulated() async throws {
        try daemon.listen()
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        defer { running.cancel() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        try connection.warn(1, .critical, [.simulated, .answerWanted])
        #expect(try await connection.answer(1).released == 1000)
        #expect(await service.level == .normal)
    }

    @Test("a host that registers while memory is short releases at once, without being asked for an answer")
    func welcomedAtALevel() async throws {
        try daemon.listen()
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        defer { running.cancel() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome(.critical)
        _ = await service.events.next()
        #expect(await service.events.next() == "warning critical /s 0")
        #expect(await service.events.next() == "level critical")
        // The first message that comes back answers this warning: the host sent none before.
        try connection.warn(2, .critical, [.answerWanted, .repeated])
        #expect(try await connection.answer(2).released == 0)
    }

    @Test("a host whose daemon is lost watches the kernel at once, and finds the daemon again at its present level")
    func reconnects() async throws {
        try daemon.listen()
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        defer { running.cancel() }
        do {
            let (connection, _) = try await daemon.accept()
            try connection.welcome(.critical)
            _ = await service.events.next()
            _ = await service.events.next()
            #expect(await service.events.next() == "level critical")
        }
        let fallback = await service.events.next()
        #expect(fallback?.hasPrefix("origin kernel at ") == true || fallback == "origin none")
        let (connection, _) = try await daemon.accept()
        try connection.welcome(.normal)
        #expect(await service.events.next() == "origin daemon at \(daemon.path)")
        #expect(await service.events.next() == "level normal")
    }

    @Test(
        "a host disconnects from a daemon that sends invalid frames, and looks for it again",
        arguments: [(1, 3), (255, 64), (1, 5000)] as [(UInt8, Int)]
    )
    func garbage(byte: UInt8, count: Int) async throws {
        try daemon.listen()
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        defer { running.cancel() }
        let (first, _) = try await daemon.accept()
        try first.welcome()
        first.send(raw: [UInt8](repeating: byte, count: count))
        #expect(await first.isClosed())
        let (second, _) = try await daemon.accept()
        try second.welcome()
        try second.warn(1, .warning)
        #expect(try await second.answer(1).released == 1000)
    }

    @Test("until a daemon sends a welcome, the host watches the kernel")
    func silentDaemon() async throws {
        try daemon.listen()
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        defer { running.cancel() }
        let (connection, _) = try await daemon.accept()
        let fallback = await service.events.next()
        #expect(fallback?.hasPrefix("origin kernel at ") == true || fallback == "origin none")
        try connection.welcome()
        #expect(await service.events.next() == "origin daemon at \(daemon.path)")
        try connection.warn(1, .warning)
        #expect(try await connection.answer(1).released == 1000)
    }

    @Test("without a daemon the host watches the kernel, and it finds a daemon that starts later")
    func daemonComesLater() async throws {
        let service = Service(socket: daemon.path)
        let running = Task { try await service.run() }
        defer { running.cancel() }
        let origin = await service.events.next()
        #expect(origin?.hasPrefix("origin kernel at ") == true || origin == "origin none")
        try daemon.listen()
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        #expect(await service.events.next() == "origin daemon at \(daemon.path)")
    }

    @Test func twoHostsOnTwoActorsAnswerForThemselves() async throws {
        try daemon.listen()
        let services = [Service(socket: daemon.path, name: "a"), Service(socket: daemon.path, name: "b")]
        let running = services.map { service in Task { try await service.run() } }
        defer { for task in running { task.cancel() } }
        let connections = try await [daemon.accept(), daemon.accept()]
        #expect(Set(connections.map(\.hello.name)) == ["a", "b"])
        for (connection, _) in connections { try connection.welcome() }
        for (connection, _) in connections { try connection.warn(5, .warning) }
        for (connection, _) in connections { #expect(try await connection.answer(5).released == 1000) }
    }
}
