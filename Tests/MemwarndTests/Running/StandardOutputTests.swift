import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// Commands whose standard output accepts no more data, as on a full disk.
struct StandardOutputTests {
    /// Runs a command of memwarnd in a shell, with this redirection of its standard output.
    private func run(_ command: String, _ redirection: String) throws -> (code: CInt, output: String) {
        let program = try ChildProcess.path(of: "memwarnd")
        return try ChildProcess("/bin/sh", ["-c", "exec \(program) \(command) 2>&1 \(redirection)"]).end()
    }

    @Test("a command that cannot write its output reports it, and exits with 74")
    func full() throws {
        let daemon = try DaemonProcess()
        let directory = try TemporaryDirectory()
        try directory.write(ArchiveCommandTests.nib, to: "A.nib.json")
        try directory.write("", to: "memwarnd.toml")
        let commands = [
            "config check --config \(directory.path)/memwarnd.toml",
            "config show --config \(directory.path)/memwarnd.toml",
            "archive check \(directory.path)/A.nib.json", "doctor",
            "status --socket \(daemon.socket)", "top --once --socket \(daemon.socket)",
            "metrics --socket \(daemon.socket)", "simulate --socket \(daemon.socket) --level critical --json -",
            "--help", "help simulate", "--version", "--generate-completion-script bash",
        ]
        for command in commands {
            let (code, output) = try run(command, ">/dev/full")
            #expect(code == 74, "\(command)")
            #expect(
                output.contains(
                    "memwarnd: cannot write to standard output: No space left on device (errno 28); "
                        + "what was printed is not whole"
                ),
                "\(command): \(output)"
            )
        }
    }

    @Test("a command without a standard output does not print to the daemon's socket, and exits with 74")
    func closed() throws {
        let daemon = try DaemonProcess()
        let (code, output) = try run("metrics --socket \(daemon.socket)", ">&-")
        #expect(code == 74)
        #expect(output.contains("cannot write to standard output: Bad file descriptor"), "\(output)")
    }

    @Test("a command that follows events ends at the first line that it cannot write")
    func watching() throws {
        let daemon = try DaemonProcess()
        let program = try ChildProcess.path(of: "memwarnd")
        let watch = try ChildProcess("/bin/sh", ["-c", "exec \(program) watch --socket \(daemon.socket) >/dev/full"])
        // The command does not report that it is subscribed, so hosts connect and leave until it has ended.
        var said: String?
        for _ in 0..<100 where said == nil {
            try RawPeer(path: daemon.socket).register("passing")
            said = watch.line(startingWith: "memwarnd: cannot write to standard output", within: 0.2)
        }
        #expect(said != nil)
        #expect(watch.wait() == 74)
    }

    @Test("a daemon whose log file has reached its size limit continues without a log")
    func logAtItsLimit() throws {
        let directory = try TemporaryDirectory()
        try directory.write(DaemonProcess.deaf, to: "memwarnd.toml")
        let program = try ChildProcess.path(of: "memwarnd")
        let socket = directory.path + "/memwarnd.sock"
        let options = "--socket \(socket) --config \(directory.path)/memwarnd.toml"
        let script = "ulimit -f 0; exec \(program) run \(options) 2>\(directory.path)/log"
        let daemon = try ChildProcess("/bin/sh", ["-c", script])
        let deadline = MonotonicInstant.now.advanced(by: .seconds(20))
        var isServed = false
        while !isServed, MonotonicInstant.now < deadline {
            isServed = (try? RawPeer(path: socket).hosts()) == []
            sched_yield()
        }
        #expect(isServed)
        daemon.send(SIGTERM)
        #expect(daemon.end().code == 0)
    }

    @Test("without a reader a command ends silently, with SIGPIPE")
    func hungUp() throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "memwarnd.toml")
        for trap in ["", "trap '' PIPE; "] {
            let program = try ChildProcess.path(of: "memwarnd")
            let script =
                "\(trap){ sleep 0.2; \(program) config show --config \(directory.path)/memwarnd.toml; echo $? >&2; } | true"
            let (_, output) = try ChildProcess("/bin/bash", ["-c", "{ \(script); } 2>&1"]).end()
            #expect(output == "141")
        }
    }
}
