import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@testable import memwarnd

struct MetricsCommandTests {
    @Test func theEventsAreCounted() throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "one", releasable: 5)
        let control = try RawPeer(daemon)
        try control.simulate(.patient(.critical))
        try host.acknowledge(try host.warning().round, released: 4096, releasable: 9)
        _ = try control.round()
        try control.send(.simulate(.patient(.warning, to: .name("absent"))), sequence: 5)
        _ = try control.refusal()
        do {
            let rude = try RawPeer(daemon, host: "rude")
            try rude.send(.end(End()))
            _ = try rude.refusal()
        }
        try control.waitForHosts(1)

        let (code, output) = try ChildProcess.memwarnd("metrics", "--socket", daemon.socket)
        #expect(code == 0)
        let lines = Set(output.split(separator: "\n").map { String($0) })
        let expected = [
            "memwarnd_up 1",
            "memwarnd_rounds_total{level=\"critical\",simulated=\"true\"} 1",
            "memwarnd_warnings_sent_total 1",
            "memwarnd_warnings_total{outcome=\"answered\"} 1",
            "memwarnd_released_bytes_total 4096",
            "memwarnd_resident_freed_bytes_total 4096",
            "memwarnd_answer_duration_seconds_count 1",
            "memwarnd_registrations_total 2",
            "memwarnd_disconnections_total 1",
            "memwarnd_refusals_total{code=\"no_such_host\"} 1",
            "memwarnd_refusals_total{code=\"unexpected_message\"} 1",
            "memwarnd_scope_level{scope=\"/\",level=\"normal\"} 1",
            "memwarnd_registered_hosts 1",
        ]
        for line in expected { #expect(lines.contains(line), "\(line)") }
        #expect(!output.contains("memwarnd_host_info"))
        let each = try ChildProcess.memwarnd("metrics", "--per-host", "--socket", daemon.socket).output
        #expect(each.contains("memwarnd_host_releasable_bytes{host=\"1\"} 9"))
    }

    @Test("every user can read the written file, whatever the umask")
    func textfile() throws {
        let daemon = try DaemonProcess()
        let path = daemon.directory.path + "/memwarnd.prom"
        let program = try ChildProcess.path(of: "memwarnd")
        let command = "umask 077; exec \(program) metrics --socket \(daemon.socket) --textfile \(path)"
        let (code, output) = try ChildProcess("/bin/sh", ["-c", command]).end()
        #expect(code == 0)
        #expect(output == "")
        #expect(try KernelFile.text(of: path).contains("\nmemwarnd_up 1\n"))
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o644)
    }

    @Test func withoutADaemonTheFileReportsIt() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/memwarnd.prom"
        let (code, output) = try ChildProcess.memwarnd("metrics", "--socket", "/nonexistent", "--textfile", path)
        #expect(code == 69)
        #expect(output.hasPrefix("memwarnd: no daemon answers: "))
        #expect(
            try KernelFile.text(of: path) == """
                # HELP memwarnd_up Whether the daemon answered.
                # TYPE memwarnd_up gauge
                memwarnd_up 0

                """
        )
    }

    @Test func withoutADaemonNothingIsPrinted() throws {
        let (code, output) = try ChildProcess.memwarnd("metrics", "--socket", "/nonexistent")
        #expect(code == 69)
        #expect(output.split(separator: "\n").count == 1)
    }

    @Test("a file that cannot be written is reported in one sentence", arguments: [true, false])
    func unwritable(isDaemonThere: Bool) throws {
        let daemon = isDaemonThere ? try DaemonProcess() : nil
        let arguments = ["--socket", daemon?.socket ?? "/nonexistent", "--textfile", "/nonexistent/memwarnd.prom"]
        let command = try ChildProcess("memwarnd", ["metrics"] + arguments)
        let pid = command.pid
        let (code, output) = command.end()
        #expect(code == 74)
        let reason = "cannot make /nonexistent/.memwarnd.prom.\(pid): No such file or directory (errno 2)"
        #expect(output == "memwarnd: \(reason); /nonexistent/memwarnd.prom stays as it was")
    }
}
