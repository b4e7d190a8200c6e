import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import TestSupport
import Testing

@testable import memwarnd

struct HiddenProcessesTests {
    /// Runs a daemon as another user, where `/proc` hides other users' processes.
    static let hidden =
        [
            "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
            """
            mount --make-rprivate / && mount -t proc -o hidepid=invisible proc /proc && chmod 777 "${8%/*}" && exec "$@"
            """,
            "sh",
        ] + OtherUser.wrapper

    /// The reason why this is not possible here, or `nil`.
    static let missing: String? = {
        if let missing = OtherUser.missing { return missing }
        let test = ["-c", "mount --make-rprivate / && mount -t proc -o hidepid=invisible proc /proc"]
        let code = try? ChildProcess(hidden[0], ["--mount", "/bin/sh"] + test).end().code
        return code == 0 ? nil : "this process may not have mounts of its own"
    }()

    @Test(
        "a daemon that cannot see the processes of other users reports it once, with a remedy",
        .enabled(if: missing == nil, "\(missing ?? "")")
    )
    func daemon() throws {
        let daemon = try DaemonProcess(wrapper: Self.hidden)
        let host = try RawPeer(daemon, host: "first")
        #expect(host.welcome?.scope == "/")
        let entry = try #require(daemon.log(containing: "/proc hides the processes of other users"))
        #expect(entry.contains("hidepid=off") && entry.contains("CAP_SYS_PTRACE") && entry.contains("ProtectProc="))
        _ = try RawPeer(daemon, host: "second")
        daemon.process.send(SIGTERM)
        let (code, output) = daemon.process.end()
        #expect(code == 0)
        #expect(!output.contains("/proc hides"))
    }

    @Test(
        "the mount of /proc determines whether it hides processes; the last mount at that place counts",
        arguments: [
            ("rw,hidepid=invisible", "hidepid=invisible"), ("rw,hidepid=2", "hidepid=2"), ("rw,hidepid=off", nil),
            ("rw,gid=27,hidepid=invisible", nil), ("rw", nil), ("rw,hidepid=4,subset=pid", "hidepid=4"),
        ]
    )
    func mounts(options: String, expected: String?) {
        func line(_ place: String, _ options: String) -> String {
            "22 28 0:21 / \(place) rw,nosuid shared:5 - proc proc \(options)\n"
        }
        let text = line("/proc", "rw,hidepid=1") + line("/proc", options) + line("/srv/proc", "rw,hidepid=4")
        #expect(KernelTree.hiding(inMountinfo: text) == expected)
    }

    @Test("if the first process is visible, all are")
    func first() throws {
        #expect(KernelTree.live.showsAllProcesses)
        #expect(try !FakeKernel(["/proc/self/status": ""]).tree.showsAllProcesses)
    }
}
