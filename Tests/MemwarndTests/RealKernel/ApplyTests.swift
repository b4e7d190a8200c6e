import Foundation
import TestSupport
import Testing

/// `memwarnd simulate --apply`, with stalls of the real kernel.
@Suite(.serialized)
struct ApplyTests {
    private static let missing = RealPressure.missing

    private func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess("memwarnd", ["simulate", "--apply"] + arguments)
    }

    /// The cgroup that a process of the test creates, wherever it is.
    private func cgroups(of process: ChildProcess) throws -> [String] {
        let find = ["/sys/fs/cgroup", "-name", "memwarnd-apply-\(process.pid)"]
        return try ChildProcess("/usr/bin/find", find).end().output.split(separator: "\n").map(String.init)
    }

    @Test(
        "memory really runs short, the program is warned, and no cgroup is left",
        .enabled(if: missing == nil, "\(missing ?? "")")
    )
    func apply() throws {
        let gallery = try ChildProcess.path(of: "gallery")
        let command = try start(
            "--cgroup-memory",
            "64M",
            "--for",
            "8s",
            "--json",
            "--",
            gallery,
            "--socket",
            "/nonexistent",
            "--pictures",
            "2",
            "--mib",
            "4",
            "--cache-mib",
            "4"
        )
        #expect(command.line(startingWith: "origin kernel at ")?.contains("memwarnd-apply-\(command.pid)") == true)
        #expect(command.line(startingWith: "warning ", within: 20)?.contains("(simulated)") == false)
        _ = command.line { $0 == "{" }
        let output = command.rest()
        #expect(command.wait() == 0)
        let report = try CommandTests.object("{" + output)
        #expect(try #require(report["someStallSeconds"] as? Double) > 0)
        #expect(report["memoryBytes"] as? Int == 64 << 20)
        #expect(try cgroups(of: command).isEmpty)
    }

    @Test("an interruption removes the cgroup", .enabled(if: missing == nil, "\(missing ?? "")"))
    func interruption() throws {
        let command = try start(
            "--for",
            "5min",
            "--",
            "/bin/sh",
            "-c",
            "echo inside; cat /proc/self/cgroup; exec sleep 300"
        )
        #expect(command.line { $0.contains("memwarnd-apply-\(command.pid)") } != nil)
        #expect(try !cgroups(of: command).isEmpty)
        command.send(SIGINT)
        #expect(command.end().code == 130)
        #expect(try cgroups(of: command).isEmpty)
    }

    @Test(
        "a program that ends too early is reported, with its own exit code if it failed",
        .enabled(if: missing == nil, "\(missing ?? "")"),
        arguments: [0, 7]
    )
    func endsTooEarly(code: Int) throws {
        // Long enough for a slow machine to start a shell before memory runs short.
        let command = try start("--settle", "60s", "--for", "1s", "--", "/bin/sh", "-c", "exit \(code)")
        let result = command.end()
        #expect(result.code == (code == 0 ? 1 : 7))
        #expect(result.output.hasPrefix("memwarnd: the program ended with exit code \(code)"))
        #expect(try cgroups(of: command).isEmpty)
    }

    @Test("a missing right is reported", .enabled(if: OtherUser.missing == nil, "\(OtherUser.missing ?? "")"))
    func notPermitted() throws {
        let (code, output) = try OtherUser.start("memwarnd", ["simulate", "--apply", "--for", "1s"]).end()
        #expect(code == 77)
        #expect(output.hasPrefix("memwarnd: no memory can be made short here: "))
        #expect(output.split(separator: "\n").count == 1)
    }
}
