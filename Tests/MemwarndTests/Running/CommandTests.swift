import Foundation
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

struct CommandTests {
    /// Runs a command while the host answers the warnings of that command.
    static func simulate(
        _ daemon: DaemonProcess,
        answeredBy hosts: [RawPeer],
        _ options: String...
    ) throws -> (code: CInt, output: String) {
        let command = try ChildProcess("memwarnd", ["simulate", "--socket", daemon.socket] + options)
        for host in hosts {
            let (round, _) = try host.warning()
            try host.acknowledge(round, released: 16 << 20)
        }
        return command.end()
    }

    static func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    @Test func simulateIsZeroWhenEveryHostAnswered() throws {
        let daemon = try DaemonProcess()
        let hosts = try ["red", "green"].map { try RawPeer(daemon, host: $0) }
        let (code, output) = try Self.simulate(daemon, answeredBy: hosts, "--level", "warning", "--deadline", "20000")
        #expect(code == 0)
        let lines = output.split(separator: "\n")
        #expect(lines[0].hasPrefix("HOST "))
        #expect(lines[1].hasPrefix("red    \(getpid())"))
        #expect(lines[1].contains("answered"))
        #expect(lines[1].hasSuffix("16 MiB  64 MiB → 48 MiB  1.50 ms"))
        #expect(lines[2].hasPrefix("green  \(getpid())"))
        #expect(lines[3].hasPrefix("2 of 2 hosts answered in "))
        #expect(lines[3].hasSuffix("32 MiB released, resident memory down by 32 MiB"))
    }

    @Test func simulateIsThreeWhenAHostStaysSilent() throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "mute")
        let (code, output) = try Self.simulate(daemon, answeredBy: [], "--level", "critical", "--deadline", "10")
        #expect(code == 3)
        #expect(output.contains("silent"))
        #expect(output.contains("0 of 1 host answered"))
        _ = host
    }

    @Test(
        "simulate exits with 4 when no host matches",
        arguments: [[], ["--host", "absent"], ["--pid", "1"]] as [[String]]
    )
    func nobodyMeant(target: [String]) throws {
        let daemon = try DaemonProcess()
        let host = target.isEmpty ? nil : try RawPeer(daemon, host: "present")
        let arguments = ["simulate", "--socket", daemon.socket, "--level", "warning"] + target
        let (code, output) = try ChildProcess("memwarnd", arguments).end()
        #expect(code == 4)
        let refusal = "no registered host matches; `memwarnd status` lists all of them"
        #expect(output == "memwarnd: the daemon refuses: \(refusal)")
        #expect(host?.hasNews != true)
    }

    @Test(
        "without a daemon every command reports it and exits with 69",
        arguments: [["status"], ["top"], ["watch"], ["simulate", "--level", "normal"], ["send", "gallery", "status"]]
    )
    func withoutDaemon(command: [String]) throws {
        let arguments = command + ["--socket", "/nonexistent/memwarnd.sock"]
        let (code, output) = try ChildProcess("memwarnd", arguments).end()
        #expect(code == 69)
        let reason = "cannot connect to /nonexistent/memwarnd.sock: No such file or directory (errno 2)"
        #expect(output == "memwarnd: no daemon answers: \(reason); start one with “memwarnd run”")
    }

    @Test func withoutAnOptionTheCommandsUseTheSocketOfTheVariable() throws {
        let daemon = try DaemonProcess()
        let found = try ChildProcess("memwarnd", ["status"], environment: ["MEMWARND_SOCKET": daemon.socket]).end()
        #expect(found.code == 0)
        let lost = try ChildProcess("memwarnd", ["status"], environment: ["MEMWARND_SOCKET": "/nonexistent"]).end()
        #expect(lost.code == 69)
        #expect(lost.output.contains("/nonexistent: "))
        #expect(!lost.output.contains("/run/memwarnd"))
    }

    @Test(
        "an invalid command line exits with 64",
        arguments: [
            ["simulate"], ["simulate", "--level", "high"],
            ["simulate", "--level", "warning", "--host", "a", "--pid", "1"],
            ["simulate", "--level", "warning", "--host", ""], ["status", "--limit", "-1"], ["status", "--limit=-1"],
            ["top", "--interval", "0"],
            ["stat"], ["send"], ["send", "gallery"], ["send", "", "status"],
            ["send", "gallery", ""], ["send", "gallery", "status", "--timeout", "60001"],
            ["send", "gallery", String(repeating: "x", count: 65)],
            ["send", "gallery", "status", String(repeating: "x", count: 2049)],
        ]
    )
    func usage(arguments: [String]) throws {
        let (code, output) = try ChildProcess("memwarnd", arguments).end()
        #expect(code == 64)
        #expect(output.hasPrefix("Error: "))
    }

    @Test func jsonHasFiguresWithTheirUnits() throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "one", releasable: 5)
        let simulated = try Self.simulate(
            daemon,
            answeredBy: [host],
            "--level",
            "critical",
            "--want",
            "1024",
            "--deadline",
            "20000",
            "--json"
        )
        #expect(simulated.code == 0)
        let steps = try #require(try Self.object(simulated.output)["steps"] as? [[String: Any]])
        let round = try #require(steps.first?["round"] as? [String: Any])
        #expect(round["level"] as? String == "critical")
        #expect(round["simulated"] as? Bool == true)
        #expect(round["answered"] as? Int == 1)
        #expect(round["bytesWanted"] as? Int == 1_024)
        #expect(round["releasedBytes"] as? Int == 16 << 20)
        let hosts = try #require(steps.first?["hosts"] as? [[String: Any]])
        #expect(hosts.map { $0["name"] as? String } == ["one"])
        #expect(hosts[0]["answerSeconds"] as? Double == 0.0015)

        let status = try ChildProcess.memwarnd("status", "--socket", daemon.socket, "--json")
        #expect(status.code == 0)
        let snapshot = try Self.object(status.output)
        #expect(snapshot["level"] as? String == "normal")
        #expect(snapshot["pid"] as? Int == Int(daemon.process.pid))
        #expect(snapshot["roundsSinceStart"] as? Int == 1)
        #expect((snapshot["hosts"] as? [Any])?.count == 1)
        #expect((snapshot["rounds"] as? [Any])?.count == 1)
        let scopes = try #require(snapshot["scopes"] as? [[String: Any]])
        #expect(scopes[0]["path"] as? String == "/")
        #expect(scopes[0]["windowSeconds"] as? Double != nil)
    }

    @Test("a name can neither control the terminal nor forge a line")
    func escaping() throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "evil\u{1b}[2J\nhost\u{202e}")
        let shown = #"evil\u{1b}[2J\u{a}host\u{202e}"#
        let simulated = try Self.simulate(daemon, answeredBy: [host], "--level", "warning", "--deadline", "20000")
        #expect(simulated.output.contains(shown))
        let status = try ChildProcess.memwarnd("status", "--socket", daemon.socket)
        #expect(status.output.contains(shown))
        for output in [simulated.output, status.output] {
            #expect(!output.contains("\u{1b}"))
            #expect(!output.contains("\u{202e}"))
        }
    }

    @Test("false claims of a host cannot break the output")
    func absurdClaims() throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "liar", releasable: .max)
        let control = try RawPeer(daemon)
        try control.simulate(.patient(.warning))
        let (round, _) = try host.warning()
        let claim = Acknowledgement(
            released: .max,
            residentBefore: .max,
            residentAfter: 0,
            duration: .max,
            releasable: .max
        )
        try host.send(.acknowledgement(claim), sequence: round)
        #expect(try control.round().released == .max)
        let text = try ChildProcess.memwarnd("status", "--socket", daemon.socket)
        #expect(text.code == 0)
        #expect(text.output.contains("16 EiB"))
        let json = try ChildProcess.memwarnd("status", "--socket", daemon.socket, "--json")
        #expect(json.code == 0)
        let hosts = try #require(try Self.object(json.output)["hosts"] as? [[String: Any]])
        #expect(hosts[0]["releasedBytes"] as? UInt64 == .max)
    }

    @Test func statusShowsAtMostTheRequestedNumber() throws {
        let daemon = try DaemonProcess()
        let hosts = try (0..<70).map { try RawPeer(daemon, host: "host-\($0)-") }
        let few = try ChildProcess.memwarnd("status", "--socket", daemon.socket, "--limit", "2").output
        #expect(few.contains("host-1-"))
        #expect(!few.contains("host-2-"))
        #expect(few.contains("… and 68 more, see --limit or --json"))
        let none = try ChildProcess.memwarnd("status", "--socket", daemon.socket, "--limit", "0")
        #expect(none.code == 0)
        let all = try ChildProcess.memwarnd("status", "--socket", daemon.socket, "--json").output
        #expect((try Self.object(all)["hosts"] as? [Any])?.count == hosts.count)
    }

    @Test("watch prints one line for each event, and ends when the daemon ends", arguments: [false, true])
    func watch(json: Bool) throws {
        let daemon = try DaemonProcess()
        let (watch, first) = try ChildProcess.watch(daemon.socket, json ? ["--json"] : [])
        let host = try RawPeer(daemon, host: "staying")
        let control = try RawPeer(daemon)
        try control.simulate(.patient(.critical))
        let round = try host.warning().round
        try host.acknowledge(round, released: 1 << 20)
        let line = try #require(watch.line { $0.contains("round") })
        if json {
            let event = try Self.object(line)
            #expect(event["event"] as? String == "round")
            #expect((event["value"] as? [String: Any])?["level"] as? String == "critical")
            #expect(try Self.object(first)["event"] as? String == "host")
        } else {
            #expect(first.contains(#"host passing\u{a} (pid \#(getpid())) "#))
            #expect(line.contains(" round \(round) critical (simulated) in /: 1 of 1 answered, 1 MiB released, took "))
        }
        #expect(daemon.terminate() == 0)
        let (code, output) = watch.end()
        #expect(code == 69)
        #expect(output.hasSuffix("memwarnd: the daemon ended the connection"))
    }
}
