import Foundation
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// `memwarnd simulate --standalone`: no daemon, no root, one line in a service's CI.
struct StandaloneTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func start(_ options: [String], _ command: [String]) throws -> ChildProcess {
        try ChildProcess("memwarnd", ["simulate", "--standalone", "--settle", "1ms"] + options + ["--"] + command)
    }

    private func gallery() throws -> [String] {
        [try ChildProcess.path(of: "gallery"), "--pictures", "2", "--mib", "2", "--cache-mib", "2"]
    }

    /// A program that prints the daemon's socket, waits for a file, and exits with a code.
    private func visitor(_ code: Int) -> [String] {
        let script = "echo $$ at $MEMWARND_SOCKET; until [ -e \"$0\" ]; do sleep 0.05; done; exit \(code)"
        return ["/bin/sh", "-c", script, directory.path + "/end"]
    }

    private func endVisitor() throws {
        try directory.write("", to: "end")
    }

    /// The program's first output: its pid and the daemon's socket.
    private func visit(_ run: ChildProcess) throws -> (pid: pid_t, socket: String) {
        let words = try #require(run.line { $0.contains(" at /") }).split(separator: " ")
        return (try #require(pid_t(words[0])), String(words[2]))
    }

    @Test("the command starts, warns, measures and ends a service, and leaves nothing behind")
    func gallery() async throws {
        let options = ["--level", "critical", "--expect-freed", "1M", "--json", directory.path + "/report.json"]
        let run = try start(options, try gallery())
        let origin = try #require(run.line(startingWith: "origin daemon at "))
        let socket = String(origin.dropFirst("origin daemon at ".count))
        let warning = try #require(run.line(startingWith: "warning critical"))
        #expect(warning.contains("(simulated)"))
        let (code, output) = run.end()
        #expect(code == 0)
        #expect(output.contains("1 of 1 host answered in "))
        let folder = socket.split(separator: "/").dropLast().joined(separator: "/")
        #expect(access("/" + folder, F_OK) != 0)

        let text = try String(contentsOfFile: directory.path + "/report.json", encoding: .utf8)
        let report = try CommandTests.object(text)
        #expect(try #require(report["releasedBytes"] as? Int) >= 3 << 20)
        let steps = try #require(report["steps"] as? [[String: Any]])
        let hosts = try #require(steps.first?["hosts"] as? [[String: Any]])
        let pid = try #require(hosts.first?["pid"] as? Int)
        #expect(kill(pid_t(pid), 0) != 0 && errno == ESRCH, "the gallery lives on")
    }

    @Test(
        "a program that only knows systemd's protocol is also warned, but not waited for",
        .enabled(if: Python.isInstalled, "\(Python.path) is not installed")
    )
    func pressureSocket() throws {
        let run = try start(["--level", "critical"], [Python.path, "-c", SystemdClient.script])
        // Either of the two may be the first to print this.
        let output = run.rest(within: 20)
        #expect(run.wait() == 0)
        #expect(output.contains("warned 1"))
        #expect(output.contains("unacknowledged"))
    }

    @Test("every step of a flapping course is answered, and released bytes are counted once")
    func flap() throws {
        let run = try start(["--course", "flap", "--json"], try gallery())
        let output = run.rest(within: 40)
        #expect(run.wait() == 0)
        let start = try #require(output.range(of: "{\n"))
        let report = try CommandTests.object(String(output[start.lowerBound...]))
        let steps = try #require(report["steps"] as? [[String: Any]])
        #expect(steps.count == 20)
        #expect(steps.allSatisfy { $0["verdict"] as? String == "ok" })
        let released = steps.compactMap { $0["releasedBytes"] as? Int }
        #expect(released.reduce(0, +) <= 6 << 20, "what is not loaded again cannot be given twice: \(released)")
    }

    @Test("if too little is released, it exits with 5 and a message")
    func tooLittle() throws {
        let (code, output) = try start(["--level", "warning", "--expect-freed", "1G"], try gallery()).end()
        #expect(code == 5)
        #expect(output.contains("too little: 1 GiB were expected, "))
    }

    @Test("a host that hangs is reported as silent")
    func hung() throws {
        let options = ["--level", "critical", "--hosts", "2", "--deadline", "1s"]
        let run = try start(options, try gallery())
        let origin = try #require(run.line(startingWith: "origin daemon at "))
        let hung = try RawPeer(path: String(origin.dropFirst("origin daemon at ".count)))
        try hung.register("hung")
        let (code, output) = run.end()
        #expect(code == 3)
        #expect(output.contains("1 of 2 hosts answered in "))
        #expect(try hung.warning().warning.level == .critical)
    }

    @Test("a program that registers no host is told to end, and the command exits with 4")
    func neverRegisters() throws {
        let run = try start(["--level", "warning", "--timeout", "300ms"], visitor(0))
        let pid = try visit(run).pid
        let (code, output) = run.end()
        #expect(code == 4)
        let hint = "does the program run a ControllerHost, and pass MEMWARND_SOCKET on to its children?"
        #expect(output == "memwarnd: 0 of 1 host registered within 300 ms; \(hint)")
        #expect(kill(pid, 0) != 0 && errno == ESRCH)
    }

    @Test(
        "a program that ends at once is reported with its exit code, as is one that cannot be started",
        arguments: [
            (["/bin/sh", "-c", "exit 9"], CInt(9), "the program ended with exit code 9 before it was warned"),
            (["/bin/sh", "-c", "kill -SEGV $$"], 139, "the program was ended by signal 11 before it was warned"),
            (["true"], 4, "the program ended with exit code 0 before it was warned"),
            (["/nonexistent"], 127, "cannot start /nonexistent: No such file or directory"),
            (["/"], 126, "cannot start /: Permission denied"),
        ]
    )
    func endsAtOnce(command: [String], code: CInt, sentence: String) throws {
        let result = try start(["--level", "warning"], command).end()
        #expect(result.code == code)
        #expect(result.output.hasPrefix("memwarnd: " + sentence))
    }

    @Test(
        "a program that ends by itself during the course leaves it unfinished, though it has answered everything",
        arguments: [0, 7]
    )
    func endsByItself(code: Int) throws {
        let run = try start(["--course", "critical:1h,normal"], visitor(code))
        let host = try RawPeer(path: visit(run).socket)
        try host.register("visitor")
        try host.acknowledge(try host.warning().round, released: 1 << 20)
        // The next step would be an hour later.
        try endVisitor()
        let result = run.end()
        #expect(result.code == (code == 0 ? 4 : CInt(code)))
        #expect(result.output.contains("1 of 1 host answered"))
        let sentence = "memwarnd: the program ended with exit code \(code)"
        #expect(result.output.contains(code == 0 ? sentence + " after 1 of 2 steps of the course" : sentence))
    }

    @Test("an interruption also ends the program", arguments: [SIGINT, SIGTERM, SIGHUP])
    func interruption(signal: CInt) throws {
        let run = try start(["--level", "warning"], visitor(0))
        let (pid, socket) = try visit(run)
        run.send(signal)
        let (code, output) = run.end()
        #expect(code == 128 + signal)
        #expect(output.contains("memwarnd: the simulation was interrupted by SIG"))
        #expect(kill(pid, 0) != 0 && errno == ESRCH)
        #expect(access(socket, F_OK) != 0)
    }

    @Test("a program that does not end is killed, and standard error says so")
    func stubborn() throws {
        let script = "trap '' TERM; echo $$ at $MEMWARND_SOCKET; while :; do sleep 0.05; done"
        let run = try start(["--level", "warning", "--timeout", "2s"], ["/bin/sh", "-c", script])
        // The program has to set its trap before it gets the signal.
        let first = try #require(run.line { $0.contains(" at /") })
        let pid = try #require(pid_t(first.prefix { $0 != " " }))
        let (code, output) = run.end()
        #expect(code == 4)
        #expect(output.contains("process \(pid) did not end within 5 s of SIGTERM, and is killed"))
        #expect(kill(pid, 0) != 0 && errno == ESRCH)
    }

    @Test("the program gets the variables, standard streams and descriptors that it would have on its own")
    func environment() throws {
        let script = "env | grep -E '^(MEM|NOTIFY)' | sort; ulimit -Sn; ls /proc/self/fd | wc -w; exit 1"
        let alone = try ChildProcess("/bin/sh", ["-c", script]).end().output.split(separator: "\n")
        let run = try ChildProcess(
            "memwarnd",
            ["simulate", "--standalone", "--level", "warning", "--", "/bin/sh", "-c", script],
            environment: ["NOTIFY_SOCKET": "/nonexistent"]
        )
        let lines = run.end().output.split(separator: "\n")
        #expect(lines.first { $0.hasPrefix("MEMWARND_SOCKET=/tmp/memwarnd-") } != nil)
        #expect(!lines.contains { $0.hasPrefix("NOTIFY_SOCKET") })
        #expect(Array(lines.dropLast().suffix(2)) == Array(alone.suffix(2)))
    }

    @Test("works for any user", .enabled(if: OtherUser.missing == nil, "\(OtherUser.missing ?? "")"))
    func anotherUser() throws {
        let options = ["simulate", "--standalone", "--settle", "1ms", "--level", "critical", "--"]
        let (code, output) = try OtherUser.start("memwarnd", options + (try gallery())).end()
        #expect(code == 0, "\(output)")
    }
}
