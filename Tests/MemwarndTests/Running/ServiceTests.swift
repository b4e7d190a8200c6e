import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// The daemon as a service manager sees it.
struct ServiceTests {
    @Test("ends on request, and removes its socket", arguments: [SIGTERM, SIGINT])
    func end(signal: CInt) throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "left behind")
        daemon.process.send(signal)
        #expect(try host.receive() == nil)
        #expect(daemon.process.end().code == 0)
        #expect(access(daemon.socket, F_OK) != 0)
    }

    @Test func reportsReadinessItsStateAndItsEnd() throws {
        let manager = try NotifySocket()
        let daemon = try DaemonProcess(environment: ["NOTIFY_SOCKET": manager.path])
        #expect(try manager.next() == "READY=1\nSTATUS=normal; 0 hosts, 0 rounds")
        let host = try RawPeer(daemon, host: "one")
        #expect(try manager.next() == "STATUS=normal; 1 host, 0 rounds")
        _ = host
        #expect(daemon.terminate() == 0)
        #expect(try manager.next() == "STOPPING=1")
    }

    @Test("feeds the watchdog")
    func watchdog() throws {
        let manager = try NotifySocket()
        let daemon = try DaemonProcess(environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000"])
        var messages: [String] = []
        for _ in 0..<4 { messages.append(try manager.next()) }
        #expect(messages.filter { $0 == "WATCHDOG=1" }.count == 3)
        _ = daemon
    }

    @Test("the watchdog kills a daemon that hangs, but not one that continues")
    func hangingDaemon() throws {
        let manager = try NotifySocket()
        let daemon = try DaemonProcess(environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000"])
        while try manager.next() != "WATCHDOG=1" {}
        daemon.process.send(SIGSTOP)
        var status: CInt = 0
        try #require(waitpid(daemon.process.pid, &status, WUNTRACED) == daemon.process.pid)
        manager.drain()
        // Three times as long as the manager would wait before it kills the daemon.
        #expect(manager.hear(within: 0.6) == nil)
        daemon.process.send(SIGCONT)
        #expect(try manager.next() == "WATCHDOG=1")
    }

    static let activator = "/usr/bin/systemd-socket-activate"

    @Test(
        "takes over the socket of a socket unit, and leaves it to the service manager at the end",
        .enabled(if: access(activator, X_OK) == 0, "\(activator) is not installed")
    )
    func socketActivation() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/activated.sock"
        let memwarnd = try ChildProcess.path(of: "memwarnd")
        let service = try ChildProcess(Self.activator, ["--seqpacket", "--listen=\(path)", memwarnd, "run"])
        try #require(service.line { $0.contains("Listening on") } != nil)
        // The first client that connects starts the daemon.
        let host = try RawPeer(path: path)
        try host.register("first")
        #expect(service.line { $0.contains("listens on") } != nil)
        service.send(SIGTERM)
        #expect(try host.receive() == nil)
        #expect(service.end().code == 0)
        #expect(access(path, F_OK) == 0)
    }
}
