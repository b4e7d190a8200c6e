import CLinux
import TestSupport
import Testing

struct TrapTests {
    /// The reason why the tests' daemon cannot report its traps, or `nil`.
    private static let missing: String? = {
        #if arch(x86_64)
        ChildProcess.shipped == nil ? "this is not the daemon as it is shipped" : nil
        #else
        "the daemon is shipped in ordinary Swift here"
        #endif
    }()

    @Test(
        "a daemon that runs out of memory reports the reason and the place, and aborts",
        .enabled(if: missing == nil, "\(missing ?? "")")
    )
    func memory() throws {
        let daemon = try DaemonProcess()
        #expect(try ChildProcess("/usr/bin/prlimit", ["--pid", "\(daemon.process.pid)", "--data=1"]).end().code == 0)
        var hosts: [RawPeer] = []
        // Each host takes half a kilobyte, and the heap has some hundred left.
        while hosts.count < 3_000, let host = try? RawPeer(daemon, host: "host \(hosts.count)") { hosts.append(host) }
        let text = daemon.process.rest()
        #expect(daemon.process.wait() == -SIGABRT)
        #expect(text.contains("memwarnd: internal error: "), "\(text)")
        let calls = text.split(separator: "\n").filter { $0.hasPrefix("memwarnd: called from ") }
        // The calls from the allocation up to the handler that the event loop called, in this program.
        #expect(calls.count > 3, "\(text)")
        #expect(calls.first?.hasPrefix("memwarnd: called from memwarnd+0x") == true)
    }
}
