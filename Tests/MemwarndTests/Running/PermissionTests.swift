import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@Suite(.enabled(if: OtherUser.missing == nil, "\(OtherUser.missing ?? "")"))
struct PermissionTests {
    @Test func anotherUserMayNotWarnOthersHosts() throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "ours")
        for target in [["--host", "ours"], []] {
            let arguments = ["simulate", "--socket", daemon.socket, "--level", "critical"] + target
            let (code, output) = try OtherUser.start("memwarnd", arguments).end()
            #expect(code == 77)
            let reason = "the matching hosts belong to other users; members of the group memwarnd may reach them"
            #expect(output == "memwarnd: the daemon refuses: \(reason)")
        }
        // The host's first warning is the one that root requested.
        let round = try RawPeer(daemon).simulate(.patient(.warning))
        #expect(try host.warning().round == round.id)
    }

    @Test func anotherUserMayWarnItsOwnHosts() throws {
        let daemon = try DaemonProcess()
        let ours = try RawPeer(daemon, host: "shared name")
        let options = ["--name", "shared name", "--socket", daemon.socket, "--pictures", "1", "--mib", "1"]
        let theirs = try OtherUser.start("gallery", options)
        let control = try RawPeer(daemon)
        try control.waitForHosts(2)

        for target in [[], ["--host", "shared name"], ["--pid", "\(theirs.pid)"]] {
            let arguments = ["simulate", "--socket", daemon.socket, "--level", "warning", "--deadline", "20000"]
            let (code, output) = try OtherUser.start("memwarnd", arguments + target).end()
            #expect(code == 0, "\(output)")
            #expect(output.contains("1 of 1 host answered"))
        }
        #expect(ours.hasNews == false)
        #expect(try control.hosts().map(\.uid).sorted() == [0, OtherUser.id])

        // Root may warn both.
        #expect(try control.simulate(.patient(.warning)).hosts == 2)
    }

    @Test func anybodyMayLook() throws {
        let daemon = try DaemonProcess()
        let (code, output) = try OtherUser.start("memwarnd", ["status", "--socket", daemon.socket]).end()
        #expect(code == 0)
        #expect(output.contains("no registered hosts"))
    }

    @Test("a program with more rights than its caller uses no socket from the caller's environment")
    func setUserID() throws {
        let directory = try TemporaryDirectory()
        let program = directory.path + "/memwarnctl"
        try #require(ChildProcess("/bin/cp", [ChildProcess.path(of: "memwarnctl"), program]).wait() == 0)
        try #require(chown(program, OtherUser.id, 0) == 0)
        for (mode, isTaken) in [(0o755 as mode_t, true), (0o4755, false)] {
            try #require(chmod(program, mode) == 0)
            let status = try ChildProcess(program, ["status"], environment: ["MEMWARND_SOCKET": "/nonexistent/socket"])
            let output = status.end().output
            #expect(output.contains("/nonexistent/socket") == isTaken, "\(output)")
        }
    }
}
