import CLinux
import Foundation
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// `memwarnd simulate` with a running daemon, as an operator and a program see it.
struct SimulateCommandTests {
    private let daemon: DaemonProcess

    init() throws {
        daemon = try DaemonProcess()
    }

    private func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess("memwarnd", ["simulate", "--socket", daemon.socket] + arguments)
    }

    /// Waits until the daemon has given up on a host.
    private func waitUntilSilent(_ host: RawPeer) throws {
        let control = try RawPeer(daemon)
        for _ in 0..<1_000 {
            if try control.hosts().contains(where: { $0.id == host.id && $0.outcome == .silent }) { return }
            var nothing = pollfd(fd: -1, events: 0)
            _ = poll(&nothing, 1, 10)
        }
        throw Unexpected("the host was never given up")
    }

    @Test("exits with 6 when a host answers after the deadline, and shows its answer")
    func late() throws {
        let host = try RawPeer(daemon, host: "slow")
        let command = try start("--level", "warning", "--deadline", "2s", "--expect-freed", "1M")
        let (round, warning) = try host.warning()
        #expect(warning.deadline == 2_000)
        try waitUntilSilent(host)
        try host.acknowledge(round, released: 4 << 20)
        let (code, output) = command.end()
        #expect(code == 6)
        let lines = output.split(separator: "\n")
        #expect(lines.dropFirst().first?.contains("late") == true)
        let summary = "0 of 1 host answered in time, 1 late, 4 MiB released, resident memory down by 4 MiB"
        #expect(lines.last?.hasSuffix(summary) == true)
        #expect(try ChildProcess.memwarnd("status", "--socket", daemon.socket).output.contains("  late  "))
    }

    @Test("exits with 5 when the hosts release less than expected", arguments: [("16M", CInt(0)), ("17MiB", 5)])
    func expectation(bytes: String, code: CInt) throws {
        let host = try RawPeer(daemon, host: "one")
        let result = try CommandTests.simulate(
            daemon,
            answeredBy: [host],
            "--level",
            "critical",
            "--expect-freed",
            bytes
        )
        #expect(result.code == code)
        #expect(result.output.contains("too little: 17 MiB were expected, 16 MiB were released") == (code == 5))
    }

    @Test("exits with 5 when resident memory falls by less than expected", arguments: [("16M", CInt(0)), ("17MiB", 5)])
    func residentExpectation(bytes: String, code: CInt) throws {
        let host = try RawPeer(daemon, host: "one")
        let result = try CommandTests.simulate(
            daemon,
            answeredBy: [host],
            "--level",
            "critical",
            "--expect-freed",
            "16M",
            "--expect-resident-freed",
            bytes
        )
        #expect(result.code == code)
        let complaint = "too little: resident memory was expected to fall by 17 MiB, it fell by 16 MiB"
        #expect(result.output.contains(complaint) == (code == 5))
    }

    @Test("reaches the hosts of a cgroup and no others")
    func cgroup() throws {
        let host = try RawPeer(daemon, host: "one")
        let scope = try #require(host.welcome?.scope)
        let (code, _) = try CommandTests.simulate(
            daemon,
            answeredBy: [host],
            "--level",
            "warning",
            "--cgroup",
            scope
        )
        #expect(code == 0)
        #expect(try start("--level", "warning", "--cgroup", "/no/such/cgroup").end().code == 4)
        #expect(!host.hasNews)
    }

    @Test("without waiting it returns as soon as the warning is sent")
    func noWait() throws {
        let host = try RawPeer(daemon, host: "one")
        let (code, output) = try start("--level", "warning", "--no-wait", "--deadline", "60000").end()
        #expect(code == 0)
        let (round, warning) = try host.warning()
        #expect(output == "round \(round), warning: 1 host warned")
        #expect(warning.options.contains(.simulated))
    }

    @Test("runs a course, marks repetitions, and reports each step in JSON")
    func course() throws {
        let host = try RawPeer(daemon, host: "one")
        let watch = try RawPeer(daemon)
        try watch.send(.subscribe, sequence: 5)
        _ = try watch.next()
        let command = try start("--course", "warning:10ms,warning:10ms,critical,normal", "--json")
        var told: [Warning] = []
        for released in [8, 4, 2, 0] as [UInt64] {
            let (round, warning) = try host.warning()
            told.append(warning)
            try host.acknowledge(round, released: released << 20)
        }
        let (code, output) = command.end()
        #expect(code == 0)
        #expect(told.map(\.level) == [.warning, .warning, .critical, .normal])
        #expect(told.allSatisfy { $0.options.contains(.simulated) })
        #expect(told.map { $0.options.contains(.repeated) } == [false, true, false, false])

        let report = try CommandTests.object(output)
        #expect(report["verdict"] as? String == "ok")
        #expect(report["exitCode"] as? Int == 0)
        #expect(report["releasedBytes"] as? Int == 14 << 20)
        #expect(report["residentFreedBytes"] as? Int == 14 << 20)
        let steps = try #require(report["steps"] as? [[String: Any]])
        #expect(steps.map { $0["level"] as? String } == ["warning", "warning", "critical", "normal"])
        #expect(steps.map { $0["repeated"] as? Bool } == [false, true, false, false])
        #expect(steps.map { $0["startSeconds"] as? Double } == [0, 0.01, 0.02, 0.02])
        #expect(steps.map { ($0["hosts"] as? [Any])?.count } == [1, 1, 1, 1])

        // Each observer sees that every round is simulated.
        for _ in 0..<4 {
            let record = try watch.round(sequence: 5)
            #expect(record.options.contains(.simulated))
        }
    }

    @Test("the worst step of a course determines the exit code")
    func worstStep() throws {
        let host = try RawPeer(daemon, host: "one")
        let command = try start("--course", "warning,critical,normal", "--deadline", "1s")
        let first = try host.warning().round
        try host.acknowledge(first)
        _ = try host.warning()
        let last = try host.warning()
        #expect(last.warning.level == .normal)
        try host.acknowledge(last.round)
        let (code, output) = command.end()
        #expect(code == 3)
        #expect(output.contains("step 2, critical: one (pid \(getpid())) silent"))
    }

    @Test("an interrupted course tells its hosts that the pressure is over", arguments: [SIGINT, SIGTERM])
    func interruption(signal: CInt) throws {
        let host = try RawPeer(daemon, host: "one")
        let file = daemon.directory.path + "/report.json"
        let command = try start("--course", "critical:1h,normal", "--json", file)
        try host.acknowledge(try host.warning().round)
        command.send(signal)
        let (round, relief) = try host.warning()
        #expect(relief.level == .normal)
        #expect(relief.options.contains(.simulated))
        try host.acknowledge(round)
        let (code, output) = command.end()
        #expect(code == 128 + signal)
        let sentence = "the simulation was interrupted by \(signal == SIGINT ? "SIGINT" : "SIGTERM")"
        #expect(output.contains("memwarnd: \(sentence)"))
        let report = try CommandTests.object(try String(contentsOfFile: file, encoding: .utf8))
        #expect(report["verdict"] as? String == "unfinished")
        #expect(report["exitCode"] as? Int == Int(code))
        #expect(report["failure"] as? String == sentence)
    }

    @Test("an interrupted course waits at most two seconds for a daemon that does not answer")
    func interruptionBesideAStoppedDaemon() throws {
        let host = try RawPeer(daemon, host: "one")
        let command = try start("--course", "critical:1h,normal")
        try host.acknowledge(try host.warning().round)
        daemon.process.send(SIGSTOP)
        defer { daemon.process.send(SIGCONT) }
        let start = ContinuousClock.now
        command.send(SIGTERM)
        #expect(command.end().code == 128 + SIGTERM)
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("writes JSON to a file in addition to the text, and first reports if it cannot")
    func file() throws {
        let host = try RawPeer(daemon, host: "one")
        let file = daemon.directory.path + "/report.json"
        let words = try CommandTests.simulate(daemon, answeredBy: [host], "--level", "warning", "--json", file)
        #expect(words.code == 0)
        #expect(words.output.contains("1 of 1 host answered"))
        let report = try CommandTests.object(try String(contentsOfFile: file, encoding: .utf8))
        #expect(report["verdict"] as? String == "ok")

        let (code, output) = try start("--level", "warning", "--json", "/nonexistent/report.json").end()
        #expect(code == 73)
        #expect(output == "memwarnd: cannot write /nonexistent/report.json: No such file or directory (errno 2)")
        #expect(!host.hasNews)
    }

    @Test("if the daemon ends during a course, the earlier steps are still reported")
    func daemonGone() throws {
        let host = try RawPeer(daemon, host: "one")
        let command = try start("--course", "warning:10ms,critical", "--json")
        try host.acknowledge(try host.warning().round)
        _ = try host.warning()
        daemon.process.send(SIGKILL)
        let (code, output) = command.end()
        #expect(code == 69)
        let end = try #require(output.range(of: "\n}"))
        let report = try CommandTests.object(String(output[..<end.upperBound]))
        #expect((report["steps"] as? [Any])?.count == 1)
        #expect(report["verdict"] as? String == "unfinished")
        #expect(report["failure"] as? String == "the daemon ended the connection")
    }

    @Test(
        "options that can be combined, and options that cannot",
        arguments: [
            ["--level", "warning", "--course", "flap"], ["--course", "strom"],
            ["--course", "warning", "--repeat", "0"],
            ["--level", "warning", "--want", "64MB"], ["--level", "warning", "--deadline", "soon"],
            ["--level", "warning", "--deadline", "60001ms"],
            ["--level", "warning", "--all", "--host", "a"], ["--level", "warning", "--cgroup", "relative"],
            ["--course", "warning,normal", "--no-wait"], ["--level", "warning", "--no-wait", "--expect-freed", "1"],
            ["--level", "warning", "--no-wait", "--expect-resident-freed", "1"],
            ["--level", "warning", "--", "true"], ["--level", "warning", "--settle", "1s"],
            ["--level", "warning", "--hosts", "2"], ["--level", "warning", "--for", "1s"],
            ["--standalone", "--level", "warning"], ["--standalone", "--", "true"],
            ["--standalone", "--level", "warning", "--cgroup", "/a", "--", "true"],
            ["--standalone", "--level", "warning", "--hosts", "0", "--", "true"],
            ["--apply", "--level", "warning"], ["--apply", "--cgroup-memory", "1M"], ["--apply", "--standalone"],
        ]
    )
    func usage(arguments: [String]) throws {
        let (code, output) = try ChildProcess("memwarnd", ["simulate"] + arguments).end()
        #expect(code == 64)
        #expect(output.hasPrefix("Error: "))
    }

    @Test("--apply names the options that it refuses")
    func applyRefuses() throws {
        let arguments = ["simulate", "--apply", "--expect-freed", "1M", "--no-wait"]
        let output = try ChildProcess("memwarnd", arguments).end().output
        #expect(output.hasPrefix("Error: --apply goes without --expect-freed, --no-wait: nothing is simulated."))
    }
}
