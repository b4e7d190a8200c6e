import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@testable import ResourceManager

struct SharedSessionTests {
    private func start(
        _ socket: String,
        level: PressureLevel = .normal,
        grace: Duration = .seconds(3600)
    ) throws -> SharedSession {
        let setup = Receiver.Setup(
            hello: Hello(name: "session"),
            sockets: [socket],
            kernel: .live,
            watchesKernel: false,
            level: level,
            grace: grace
        )
        let session = try SharedSession(setup)
        try session.start(setup)
        return session
    }

    /// The level of the next warning.
    private func level(_ session: SharedSession) async -> PressureLevel? {
        while let news = await session.next() {
            if case .warning(let warning, _) = news { return warning.level }
        }
        return nil
    }

    @Test("when the daemon goes away at a raised level and no other source is watched, normal is announced (8.9)")
    func daemonGone() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let session = try start(daemon.path, grace: .milliseconds(1))
        defer { session.stop() }
        do {
            let (connection, _) = try await daemon.accept()
            try connection.welcome(.critical)
            #expect(await level(session) == .critical)
            daemon.close()
        }
        #expect(await level(session) == .normal)
    }

    @Test("the daemon tells a run that begins at a raised level that the level is normal")
    func beginsRaised() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let session = try start(daemon.path, level: .critical)
        defer { session.stop() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome(.normal)
        #expect(await level(session) == .normal)
    }

    @Test("warnings come before other events, and commands after them")
    func order() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let session = try start(daemon.path)
        defer { session.stop() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome()
        guard case .origin(.daemon(daemon.path))? = await session.next() else { throw FakeDaemon.Unexpected() }
        for number in 1...17 as ClosedRange<UInt64> {
            try connection.send(number, .command(CommandRequest(name: "\(number)")))
        }
        session.noteLoads()
        session.noteLimits()
        try connection.warn(1, .warning)
        try connection.send(18, .command(CommandRequest(name: "18")))
        // The receiving thread refuses both, so it has received the messages before them.
        #expect(try await connection.outcome(17).text == "busy")
        #expect(try await connection.outcome(18).text == "busy")
        guard case .warning(_, isAnswered: true)? = await session.next() else { throw FakeDaemon.Unexpected() }
        guard case .limits? = await session.next() else { throw FakeDaemon.Unexpected() }
        guard case .loads? = await session.next() else { throw FakeDaemon.Unexpected() }
        for number in 1...16 {
            guard case .command(let command)? = await session.next() else { throw FakeDaemon.Unexpected() }
            #expect(command.name == "\(number)")
        }
    }

    @Test("stopping ends the host's wait, and all later ones")
    func stops() async throws {
        let session = try start("/nonexistent")
        guard case .origin(.none)? = await session.next() else { throw FakeDaemon.Unexpected() }
        async let waiting = isOver(session)
        session.stop()
        #expect(await waiting)
        #expect(await isOver(session))
    }

    @Test("a session that cannot wait for events any more ends with the reason")
    func fails() async throws {
        let session = try start("/nonexistent")
        let error = KernelError("wait for events of", "a", errno: 22)
        session.fail(error)
        while await !isOver(session) {}
        #expect(session.failure == error)
    }

    private func isOver(_ session: SharedSession) async -> Bool {
        if case nil = await session.next() { true } else { false }
    }
}
