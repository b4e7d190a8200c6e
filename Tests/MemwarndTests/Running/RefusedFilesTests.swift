import CLinux
import TestSupport
import Testing

/// A configuration file that is invalid when the daemon starts.
struct RefusedFilesTests {
    private let directory: TemporaryDirectory
    private let file: String
    private let socket: String
    private let pressureSocket: String
    private static let mistake = """
        levels.dwell: expected a duration from "1ms" to "24h", such as "10s" or "5min", found "soon"
        """

    init() throws {
        directory = try TemporaryDirectory()
        file = directory.path + "/memwarnd.toml"
        socket = directory.path + "/memwarnd.sock"
        pressureSocket = directory.path + "/pressure.sock"
        try directory.write(DaemonProcess.deaf + "fall = 41\n", to: "memwarnd.toml")
        try directory.write("levels.fall = 42\nlevels.dwell = \"soon\"\n", to: "memwarnd.toml.d/1.toml")
    }

    private func start() throws -> ChildProcess {
        let bus = "unix:path=\(directory.path)/no-bus"
        return try ChildProcess(
            "memwarnd",
            ["run", "--socket", socket, "--config", file],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus, "DBUS_SESSION_BUS_ADDRESS": bus]
        )
    }

    /// The next line of the log that ends with this text.
    private func line(_ daemon: ChildProcess, _ text: String) -> String? { daemon.line { $0.hasSuffix(text) } }

    private func status() throws -> [String: Any] {
        try CommandTests.object(try ChildProcess.memwarnd("status", "--json", "--socket", socket).output)
    }

    @Test("the file is left out with line and reason, and doors that it may close stay closed until it is corrected")
    func leftOut() throws {
        let daemon = try start()
        let reason = "\(file).d/1.toml:2: \(Self.mistake)"
        #expect(line(daemon, "a file of the configuration is left out as a whole: \(reason)") != nil)
        for door in ["pressure socket", "D-Bus door"] {
            #expect(line(daemon, "the \(door) is closed: correct the configuration first") != nil)
        }
        #expect(line(daemon, "listens on \(socket)") != nil)
        let host = try RawPeer(path: socket)
        try host.register("host")
        #expect(access(pressureSocket, F_OK) != 0)
        let closed = "closed until the configuration is corrected"
        #expect(try status()["doors"] as? String == "native \(socket); pressure \(closed); D-Bus \(closed)")
        let refusal = "a file of the configuration is left out as a whole: \(reason)"
        #expect(try status()["refusal"] as? String == refusal)
        #expect(try ChildProcess.memwarnd("status", "--socket", socket).output.contains("\n\(refusal)\n"))
        let doctor = try ChildProcess.memwarnd("doctor", "--socket", socket).output
        let finding = doctor.split(separator: "\n").first { $0.hasPrefix("degraded  configuration ") }
        #expect(finding?.hasSuffix(refusal) == true)
        #expect(doctor.contains("→ “memwarnd config check”, with the daemon's --config FILE if it has one, "))

        // Another mistake changes nothing.
        try directory.write("levels.falls = 42\n", to: "memwarnd.toml.d/1.toml")
        daemon.send(SIGHUP)
        let unknown = "\(file).d/1.toml:1: levels.falls: unknown key; did you mean \"fall\"?"
        #expect(line(daemon, "the configuration stays as it was: \(unknown)") != nil)
        #expect(access(pressureSocket, F_OK) != 0)

        try directory.write("levels.fall = 42\n", to: "memwarnd.toml.d/1.toml")
        daemon.send(SIGHUP)
        #expect(line(daemon, "the pressure socket listens on \(pressureSocket)") != nil)
        #expect(line(daemon, "the configuration was read again: \(file) and \(file).d") != nil)
        let client = try PressureClient(path: pressureSocket)
        #expect(try status()["refusal"] as? String == "")
        #expect(try (status()["doors"] as? String)?.contains("D-Bus waits for the bus") == true)
        withExtendedLifetime((client, host)) {}
    }

    @Test("a corrected file may close the doors, which cannot change after that")
    func corrected() throws {
        let daemon = try start()
        #expect(line(daemon, "listens on \(socket)") != nil)
        let text = "doors.pressure-socket = \"off\"\ndoors.low-memory-monitor = false\n"
        try directory.write(text, to: "memwarnd.toml.d/1.toml")
        daemon.send(SIGHUP)
        #expect(line(daemon, "the configuration was read again: \(file) and \(file).d") != nil)
        #expect(try status()["doors"] as? String == "native \(socket); pressure off; D-Bus off")
        try directory.write("", to: "memwarnd.toml.d/1.toml")
        daemon.send(SIGHUP)
        #expect(line(daemon, "doors.pressure-socket cannot change while the daemon runs; restart it") != nil)
        #expect(access(pressureSocket, F_OK) != 0)
    }

    @Test("each mistake is a log entry, as far as the log has room")
    func mistakes() throws {
        try directory.write((1...30).map { "a\($0) = 1\n" }.joined(), to: "memwarnd.toml.d/1.toml")
        let daemon = try start()
        for number in 1...20 {
            let start = " left out as a whole: \(file).d/1.toml:\(number): a\(number): unknown key"
            #expect(daemon.line { $0.contains(start) } != nil)
        }
        let rest = "10 more mistakes, which “memwarnd config check” lists"
        #expect(line(daemon, "a file of the configuration is left out as a whole: \(rest)") != nil)
        #expect(line(daemon, "listens on \(socket)") != nil)
        #expect(try (status()["refusal"] as? String)?.hasSuffix(", and 29 more") == true)
    }

    @Test("a missing file that was named is left out like any other")
    func missing() throws {
        unlink(file)
        let daemon = try start()
        let reason = "\(file): cannot open \(file): No such file or directory (errno 2)"
        #expect(line(daemon, "a file of the configuration is left out as a whole: \(reason)") != nil)
        #expect(line(daemon, "listens on \(socket)") != nil)
    }
}
