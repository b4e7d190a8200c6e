import Foundation
import MemwarnProtocol
import TestSupport
import Testing

/// `memwarnd send`, as an operator sees it.
struct SendCommandTests {
    private let daemon: DaemonProcess

    init() throws {
        daemon = try DaemonProcess()
    }

    private func host(_ name: String = "gallery", accepts: HostMessages = .commands) throws -> RawPeer {
        try RawPeer(daemon, host: name, accepts: accepts)
    }

    /// Runs the command while the hosts answer.
    private func send(
        _ arguments: String...,
        answered: [(host: RawPeer, result: CommandReply.Result, text: String)] = []
    ) throws -> (code: CInt, output: String) {
        let command = try ChildProcess("memwarnd", ["send", "--socket", daemon.socket] + arguments)
        for answer in answered { try answer.host.perform(answer.result, answer.text) }
        return command.end()
    }

    @Test("exits with 0 when every host succeeds, and shows each answer on its own lines")
    func done() throws {
        let (one, two) = (try host(), try host())
        let (code, output) = try send(
            "gallery",
            "status",
            answered: [(one, .done, "8 pictures\n3 loaded"), (two, .done, "")]
        )
        #expect(code == 0)
        let pid = getpid()
        #expect(
            output == """
                gallery (pid \(pid)): done
                    8 pictures
                    3 loaded
                gallery (pid \(pid)): done
                2 of 2 hosts did it
                """
        )
    }

    @Test("a number is a host's id; the argument reaches the host")
    func byID() throws {
        let (one, two) = (try host(), try host())
        let command = try ChildProcess(
            "memwarnd",
            ["send", "--socket", daemon.socket, "\(two.id)", "reload", "thumbnails"]
        )
        let (number, request) = try two.command()
        #expect(request == CommandRequest(name: "reload", argument: "thumbnails"))
        try two.send(.outcome(CommandReply(result: .done)), sequence: number)
        #expect(command.end().code == 0)
        #expect(!one.hasNews)
    }

    @Test("exits with 3 when a host stays silent, whatever the others answer")
    func silent() throws {
        let (failing, mute) = (try host(), try host())
        let answers: [(RawPeer, CommandReply.Result, String)] = [(failing, .failed, "disk full")]
        let (code, output) = try send("--timeout", "1000", "gallery", "reload", answered: answers)
        #expect(code == 3)
        #expect(output.contains("gallery (pid \(getpid())): failed\n    disk full\n"))
        #expect(output.hasSuffix("gallery (pid \(getpid())): silent\n0 of 2 hosts did it"))
        _ = mute
    }

    @Test("exits with 4 when no host matches", arguments: ["absent", "99"])
    func nobody(host: String) throws {
        let (code, output) = try send(host, "status")
        #expect(code == 4)
        let refusal = "no registered host matches; `memwarnd status` lists all of them"
        #expect(output == "memwarnd: the daemon refuses: \(refusal)")
    }

    @Test(
        "exits with 5 when a host failed or does not know the command",
        arguments: [(.failed, "failed"), (.unhandled, "no such command")] as [(CommandReply.Result, String)]
    )
    func refused(result: CommandReply.Result, shown: String) throws {
        let (good, bad) = (try host(), try host())
        let (code, output) = try send("gallery", "reload", answered: [(good, .done, ""), (bad, result, "")])
        #expect(code == 5)
        #expect(output.hasSuffix("gallery (pid \(getpid())): \(shown)\n1 of 2 hosts did it"))
    }

    @Test("exits with 5 when a host accepts no commands")
    func notAccepting() throws {
        let old = try host("old", accepts: [])
        let (code, output) = try send("old", "reload")
        #expect(code == 5)
        #expect(output == "old (pid \(getpid())): takes no commands\n0 of 1 host did it")
        _ = old
    }

    @Test func jsonHasEveryHost() throws {
        let (one, two) = (try host(), try host())
        let answers: [(RawPeer, CommandReply.Result, String)] = [(one, .done, "a\nb"), (two, .failed, "no")]
        let (code, output) = try send("--json", "gallery", "status", answered: answers)
        #expect(code == 5)
        let object = try CommandTests.object(output)
        #expect(object["lost"] as? Int == 0)
        let hosts = try #require(object["hosts"] as? [[String: Any]])
        #expect(hosts.map { $0["id"] as? UInt64 } == [one.id, two.id])
        #expect(hosts.map { $0["name"] as? String } == ["gallery", "gallery"])
        #expect(hosts.map { $0["pid"] as? Int32 } == [getpid(), getpid()])
        #expect(hosts.map { $0["outcome"] as? String } == ["done", "failed"])
        #expect(hosts.map { $0["answer"] as? String } == ["a\nb", "no"])
    }

    @Test("an answer can neither control the terminal nor forge another host's line")
    func escaping() throws {
        let evil = try host("evil\u{1b}[2J")
        let text = "\u{1b}[2J\ngood (pid 1): done\r"
        let (_, output) = try send("evil\u{1b}[2J", "status", answered: [(evil, .done, text)])
        #expect(
            output == #"""
                evil\u{1b}[2J (pid \#(getpid())): done
                    \u{1b}[2J
                    good (pid 1): done\u{d}
                1 of 1 host did it
                """#
        )
    }

    @Test func theGalleryTellsItsStatus() throws {
        let options = ["--socket", daemon.socket, "--pictures", "2", "--mib", "1", "--cache-mib", "3"]
        let gallery = try ChildProcess("gallery", options)
        try RawPeer(daemon).waitForHosts(1)
        let (code, output) = try send("gallery", "status")
        #expect(code == 0)
        #expect(output.contains("\n    2 of 2 pictures loaded, 3 thumbnails\n"))
        let unknown = try send("gallery", "dance")
        #expect(unknown.code == 5)
        _ = gallery
    }

    @Test("a host whose name is a number that is no id is found by its name", arguments: ["01", "+1"])
    func numberAsName(name: String) throws {
        let host = try host(name)
        let command = try ChildProcess("memwarnd", ["send", "--socket", daemon.socket, name, "status"])
        let number = try host.command().0
        try host.send(.outcome(CommandReply(result: .done)), sequence: number)
        #expect(command.end().code == 0)
    }

    @Test(
        "another user may command its own hosts and no others",
        .enabled(if: OtherUser.missing == nil, "\(OtherUser.missing ?? "")")
    )
    func permission() throws {
        let ours = try host("ours")
        let shared = try host("shared")
        let options = ["--name", "shared", "--socket", daemon.socket, "--pictures", "1", "--mib", "1"]
        let theirs = try OtherUser.start("gallery", options)
        try RawPeer(daemon).waitForHosts(3)

        for target in ["ours", "\(ours.id)"] {
            let arguments = ["send", "--socket", daemon.socket, target, "status"]
            let (code, output) = try OtherUser.start("memwarnd", arguments).end()
            #expect(code == 77)
            let reason = "the matching hosts belong to other users; members of the group memwarnd may reach them"
            #expect(output == "memwarnd: the daemon refuses: \(reason)")
        }
        let arguments = ["send", "--socket", daemon.socket, "shared", "status"]
        let (code, output) = try OtherUser.start("memwarnd", arguments).end()
        #expect(code == 0)
        #expect(output.hasPrefix("shared (pid \(theirs.pid)): done\n"))
        #expect(output.hasSuffix("1 of 1 host did it"))
        #expect(!ours.hasNews && !shared.hasNews)
    }
}
