import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// The socket for `$MEMORY_PRESSURE_WATCH`.
@Suite(.timeLimit(.minutes(2)))
struct PressureDoorTests {
    @Test("a connection makes a program a host: a byte per warning, nothing when pressure ends, no wait for answers")
    func warnings() throws {
        let daemon = try DaemonProcess()
        let client = try PressureClient(path: daemon.pressureSocket)
        let control = try RawPeer(daemon)
        try control.waitForHosts(1)
        let registered = try #require(try control.hosts().first)
        #expect(registered.door == .pressure)
        #expect(registered.name + "\n" == (try KernelFile.text(of: "/proc/self/comm")))
        #expect(registered.pid == UInt32(getpid()) && registered.uid == geteuid())
        #expect(registered.outcome == .none)

        for level in [PressureLevel.critical, .warning] {
            let round = try control.simulate(.patient(level))
            #expect(round.state == .finished, "the round waited for an answer")
            #expect(round.hosts == 1 && round.unacknowledged == 1 && round.silent == 0)
            #expect(try client.warnings() == 1)
        }
        #expect(try control.hosts().first?.outcome == .unacknowledged)

        #expect(try control.simulate(.patient(.normal)).hosts == 1)
        #expect(!client.hasNews)
    }

    @Test(
        "a pressure socket whose path is in use at the start can be opened or given up at a reload",
        arguments: [true, false]
    )
    func busyPath(isWanted: Bool) throws {
        let directory = try TemporaryDirectory()
        let pressure = directory.path + "/pressure.sock"
        let address = try SocketAddress(path: pressure)
        let other = CLinux.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        try #require(address.withSockaddr { bind(other, $0, $1) } == 0 && listen(other, 1) == 0)
        try directory.write("", to: "memwarnd.toml")
        let daemon = try ChildProcess(
            "memwarnd",
            ["run", "--socket", directory.path + "/memwarnd.sock", "--config", directory.path + "/memwarnd.toml"]
        )
        func expect(_ words: String) throws { try #require(daemon.line { $0.contains(words) } != nil, "\(words)") }
        try expect("the pressure socket is not available: cannot listen on ")
        daemon.send(SIGHUP)
        try expect("the pressure socket is not available: cannot listen on ")
        close(other)
        if !isWanted { try directory.write("doors.pressure-socket = \"off\"\n", to: "memwarnd.toml") }
        daemon.send(SIGHUP)
        if isWanted { try expect("the pressure socket listens on \(pressure)") }
        try expect("the configuration was read again")
        let client = CLinux.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        #expect((address.withSockaddr { connect(client, $0, $1) } == 0) == isWanted)
    }

    @Test("its scope is that of its cgroup", .enabled(if: RealCgroup.missing == nil, "\(RealCgroup.missing ?? "")"))
    func scope() throws {
        let daemon = try DaemonProcess()
        let cgroup = try RealCgroup("pressure-door")
        let client = try SystemdClient(daemon.pressureSocket, cgroups: [cgroup.directory])
        let control = try RawPeer(daemon)
        try control.waitForHosts(1)
        #expect(try control.hosts().first?.scope.hasSuffix("/" + cgroup.name) == true)
        client.process.send(SIGKILL)
        try control.waitForHosts(0)
        _ = client.process.wait()
    }

    @Test("accepts no commands")
    func commands() throws {
        let daemon = try DaemonProcess()
        let client = try PressureClient(path: daemon.pressureSocket)
        let control = try RawPeer(daemon)
        try control.waitForHosts(1)
        let id = try #require(try control.hosts().first).id
        try control.send(.send(Send(to: .id(id), CommandRequest(name: "status"))), sequence: 5)
        guard case .commandRecord(let record) = try control.next().message else { throw Unexpected("no record") }
        #expect(record.outcome == .notAccepting)
        #expect(!client.hasNews)
    }

    @Test("data from a program is discarded, and it stays", arguments: ["", "full 1 2", "\u{1b}[2J garbage", "x"])
    func garbage(text: String) throws {
        let daemon = try DaemonProcess()
        let client = try PressureClient(path: daemon.pressureSocket, writing: text)
        let control = try RawPeer(daemon)
        try control.waitForHosts(1)
        client.write([UInt8](repeating: 0xff, count: 10_000))
        try control.simulate(.patient(.critical))
        #expect(try client.warnings() == 1)
        #expect(try control.hosts().count == 1)
    }

    @Test("a program that writes without end is disconnected, and no other program is")
    func flood() throws {
        let daemon = try DaemonProcess()
        let flooder = try PressureClient(path: daemon.pressureSocket)
        let other = try PressureClient(path: daemon.pressureSocket)
        let host = try RawPeer(daemon, host: "native")
        let bytes = [UInt8](repeating: 0x20, count: 4_096)
        let deadline = MonotonicInstant.now.advanced(by: .seconds(20))
        while MonotonicInstant.now < deadline {
            if flooder.write(bytes) < 0 {
                guard errno == EAGAIN else { break }
                flooder.waitForRoom()
            }
        }
        #expect(daemon.log(containing: "it writes to the pressure socket without end") != nil)
        let control = try RawPeer(daemon)
        try control.waitForHosts(2)
        try control.simulate(.patient(.critical))
        #expect(try other.warnings() == 1)
        try host.acknowledge(try host.warning().round)
        #expect(try control.round().answered == 1)
    }

    @Test("a program that does not read is undeliverable once its socket is full, and is warned again when it reads")
    func deaf() throws {
        let daemon = try DaemonProcess()
        let client = try PressureClient(path: daemon.pressureSocket)
        let control = try RawPeer(daemon)
        try control.waitForHosts(1)
        var sent = 0
        while try control.simulate(.patient(.critical)).undeliverable == 0 {
            sent += 1
            try #require(sent < 100_000, "the socket is never full")
        }
        #expect(try control.hosts().first?.outcome == .undeliverable)
        var read = 0
        while read < sent { read += try client.warnings() }
        #expect(read == sent)
        try control.simulate(.patient(.critical))
        #expect(try client.warnings() == 1)
    }

    @Test("a name with control characters is escaped in the output", .enabled(if: Python.isInstalled))
    func names() throws {
        let daemon = try DaemonProcess()
        let script = """
            import socket, sys
            open("/proc/self/comm", "wb").write(b"\\x1b[2J\\n\\xffx")
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            s.connect(sys.argv[1])
            print("connected", flush=True)
            s.recv(1)
            """
        let watch = try ChildProcess.watch(daemon.socket).process
        let control = try RawPeer(daemon)
        let client = try Python.start(script, [daemon.pressureSocket])
        #expect(client.line(startingWith: "connected") != nil)
        try control.waitForHosts(1)
        let status = try ChildProcess.memwarnd("status", "--socket", daemon.socket)
        #expect(status.output.contains("\n\\u{1b}[2J\\u{a}\u{fffd}x "))
        #expect(!status.output.contains("\u{1b}"))
        #expect(watch.line { $0.contains("host \\u{1b}[2J\\u{a}\u{fffd}x (pid") } != nil)
    }

    @Test("the daemon inherits the socket from a socket unit by its name", .enabled(if: Python.isInstalled))
    func inherited() throws {
        let directory = try TemporaryDirectory()
        let script = """
            import os, socket, sys
            names = ["native", "pressure"]
            types = [socket.SOCK_SEQPACKET, socket.SOCK_STREAM]
            sockets = []
            for name, type in zip(names, types):
                s = socket.socket(socket.AF_UNIX, type)
                s.bind(sys.argv[1] + "/unit-" + name)
                s.listen()
                sockets.append(s)
            for number, s in enumerate(sockets):
                os.dup2(s.fileno(), 20 + number)
            for number in range(2):
                os.dup2(20 + number, 3 + number)
            os.closerange(5, 30)
            os.environ.update(LISTEN_FDS="2", LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES=":".join(names))
            os.execv(sys.argv[2], [sys.argv[2], "run"])
            """
        let none = "unix:path=\(directory.path)/no-bus"
        let daemon = try Python.start(
            script,
            [directory.path, try ChildProcess.path(of: "memwarnd")],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": none, "DBUS_SESSION_BUS_ADDRESS": none]
        )
        #expect(daemon.line { $0.contains("listens on \(directory.path)/unit-native") } != nil)
        let client = try PressureClient(path: directory.path + "/unit-pressure")
        let control = try RawPeer(path: directory.path + "/unit-native")
        try control.waitForHosts(1)
        try control.simulate(.patient(.critical))
        #expect(try client.warnings() == 1)
        #expect(daemon.stop() == 0)
        #expect(access(directory.path + "/unit-pressure", F_OK) == 0, "it belongs to the service manager")
    }

    @Test("a program stays connected when the daemon is killed or restarted, and the next daemon warns it")
    func restart() throws {
        let manager = try ServiceManager()
        try manager.start()
        let client = try PressureClient(path: manager.socket.replacing("memwarnd.sock", with: "pressure.sock"))
        try manager.peer().waitForHosts(1)
        for signal in [SIGKILL, SIGTERM] {
            manager.end(signal)
            #expect(!client.hasNews)
            try manager.start()
            let control = try manager.peer()
            let host = try #require(try control.hosts().first)
            #expect(host.id == 1 && host.door == .pressure && host.pid == UInt32(getpid()))
            #expect(try control.simulate(.patient(.critical)).unacknowledged == 1)
            #expect(try client.warnings() == 1)
        }
    }

    @Test("if the socket cannot be created, the daemon reports it and runs without it")
    func unavailable() throws {
        let directory = try TemporaryDirectory()
        try directory.write("precious", to: "pressure.sock")
        let path = directory.path + "/pressure.sock"
        let socket = directory.path + "/memwarnd.sock"
        let daemon = try ChildProcess("memwarnd", ["run", "--socket", socket])
        let reason = "cannot listen on \(path): File exists (errno 17)"
        #expect(daemon.line { $0.hasSuffix("the pressure socket is not available: \(reason)") } != nil)
        let status = try ChildProcess.memwarnd("status", "--socket", socket)
        #expect(status.output.contains("native \(socket); pressure \(reason); D-Bus "))
        #expect(try KernelFile.text(of: path) == "precious")
    }
}
