import Foundation
import TestSupport
import Testing

struct DoctorCommandTests {
    @Test("without PSI and without /proc/meminfo the doctor exits with 2, in JSON as well")
    func nothing() throws {
        let kernel = try FakeKernel([:])
        let arguments = ["doctor", "--kernel-root", kernel.path(""), "--socket", "/nonexistent/memwarnd.sock"]
        let (code, output) = try ChildProcess("memwarnd", arguments).end()
        #expect(code == 2)
        #expect(output.hasSuffix("nothing can be watched here"))
        let json = try ChildProcess("memwarnd", arguments + ["--json"]).end()
        #expect(json.code == 2)
        let diagnosis = try CommandTests.object(json.output)
        #expect(diagnosis["state"] as? String == "bad")
        let findings = try #require(diagnosis["findings"] as? [[String: Any]])
        #expect(findings[0]["check"] as? String == "watching")
        #expect(findings[0]["state"] as? String == "bad")
        #expect(findings[0]["advice"] as? String == "see the checks of psi and memory below")
    }

    @Test("the doctor's report matches the daemon")
    func withDaemon() throws {
        let daemon = try DaemonProcess()
        let (code, output) = try ChildProcess.memwarnd("doctor", "--socket", daemon.socket)
        // The daemon has started, so this machine has PSI.
        #expect(code == 0 || code == 1)
        #expect(output.contains("version 0.1.0, pid \(daemon.process.pid), up "))
        #expect(output.contains("  scopes  "))
    }
}
