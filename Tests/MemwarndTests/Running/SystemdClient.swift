import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// A program that follows systemd's document on `$MEMORY_PRESSURE_WATCH` and does not know memwarnd.
final class SystemdClient {
    let process: ChildProcess

    /// The program's source.
    static let script = """
        import base64, os, select, socket, sys
        watch = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        watch.connect(os.environ["MEMORY_PRESSURE_WATCH"])
        wish = os.environ.get("MEMORY_PRESSURE_WRITE")
        if wish:
            watch.send(base64.b64decode(wish))
        poll = select.poll()
        poll.register(watch, select.POLLIN)
        print("watching", flush=True)
        while True:
            for _, events in poll.poll():
                if events & (select.POLLHUP | select.POLLERR):
                    print("ended", flush=True)
                    sys.exit(1)
                print("warned", len(watch.recv(4096)), flush=True)
        """

    /// Starts the program, and waits until it watches.
    init(_ socket: String, cgroups: [String] = []) throws {
        process = try ChildProcess(
            Python.path,
            ["-c", Self.script],
            environment: ["MEMORY_PRESSURE_WATCH": socket, "MEMORY_PRESSURE_WRITE": "c29tZSAyMDAwMDAgMjAwMDAwMAA="],
            cgroups: cgroups
        )
        try #require(process.line(startingWith: "watching") != nil, "the client did not start")
    }
}

@Suite(.enabled(if: Python.isInstalled, "\(Python.path) is not installed"), .timeLimit(.minutes(2)))
struct SystemdClientTests {
    @Test("a program with systemd's protocol is warned once for each event, and shown as unacknowledged")
    func client() throws {
        let daemon = try DaemonProcess()
        let client = try SystemdClient(daemon.pressureSocket)
        let control = try RawPeer(daemon)
        try control.waitForHosts(1)
        #expect(try control.simulate(.patient(.critical)).unacknowledged == 1)
        #expect(client.process.line { _ in true } == "warned 1")
        try control.simulate(.patient(.normal))
        try control.simulate(.patient(.warning))
        #expect(client.process.line { _ in true } == "warned 1")

        let status = try ChildProcess.memwarnd("status", "--socket", daemon.socket)
        let line = try #require(status.output.split(separator: "\n").first { $0.hasPrefix("python3 ") })
        #expect(line.contains(" \(client.process.pid) ") && line.contains(" unacknowledged"))
        client.process.send(SIGTERM)
        #expect(client.process.end().output == "", "it heard more than it was told")
    }

    @Test("the program receives real pressure in its cgroup, but not its end")
    func pressure() async {
        await #expect(processExitsWith: .success) {
            let pressure = try FakePressure(cgroups: ["/a"])
            pressure.start()
            try pressure.move(to: "/a")
            let client = try PressureClient(path: pressure.pressureSocket)
            let host = try RawPeer(path: pressure.socket)
            try host.register("beside")
            let observer = try PressureFlowTests.observer(pressure)
            #expect(try observer.hosts().map(\.scope) == ["/a", "/a"])
            try pressure.stall("/a")
            try host.acknowledge(try host.warning().round)
            #expect(try client.warnings() == 1)
            #expect(try host.warning().warning.level == .normal)
            #expect(!client.hasNews)
            #expect(try observer.hosts().map(\.level) == [.normal, .normal])
        }
    }
}
