import CLinux
import MemwarnProtocol
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnd

struct ControlRightsTests {
    @Test("root, the daemon's user and members of the group may reach all hosts; others reach their own")
    func rule() {
        let rights = ControlRights(group: 42, users: [0, 500])
        func reach(_ rights: ControlRights, _ uid: UInt32, _ groups: [UInt32]) -> Client.Reach {
            rights.reach(of: uid) { groups }
        }
        #expect(reach(rights, 0, []) == .all && reach(rights, 500, []) == .all)
        #expect(reach(rights, 1000, [1000, 42]) == .all && reach(rights, 1000, [42]) == .all)
        #expect(reach(rights, 1000, [1000, 43]) == .own && reach(rights, 1000, []) == .own)
        #expect(reach(ControlRights(group: nil, users: [0]), 1000, [42]) == .own)
    }

    @Test("the overflow uid, which many users share in a user namespace, owns no host, unless its group may reach all")
    func overflow() throws {
        let rights = ControlRights(group: 42, users: [0], overflow: 7)
        #expect(rights.reach(of: 7) { [43] } == .none)
        #expect(rights.reach(of: 7) { [42] } == .all)
        #expect(rights.reach(of: 65_534) { [] } == .own)
        let kernel = try FakeKernel(["/proc/sys/kernel/overflowuid": "9\n"])
        #expect(ControlRights.current(in: kernel.tree).reach(of: 9) { [] } == .none)
        #expect(ControlRights.current(in: try FakeKernel([:]).tree).reach(of: 65_534) { [] } == .none)
    }

    @Test(
        "the group is the entry with that name in /etc/group",
        arguments: [
            ("root:x:0:\nmemwarnd:x:42:a,b\n", 42), ("memwarnd:!:7:\nmemwarnd:x:8:\n", 7),
            ("xmemwarnd:x:1:\nmemwarndx:x:2:\n", nil),
            ("memwarnd:x:\n", nil), ("memwarnd:x:-1:\n", nil), ("# memwarnd:x:3:\n", nil), ("", nil),
        ] as [(String, UInt32?)]
    )
    func group(text: String, number: UInt32?) {
        #expect(ControlRights.number(in: text) == number)
    }

    @Test("the kernel returns all groups of a peer, the effective one first")
    func groups() throws {
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        var own = [gid_t](repeating: 0, count: 65_536)
        let count = Int(getgroups(CInt(own.count), &own))
        #expect(try FrameSocket.Peer.groups(connectedTo: ends[0]) == [getegid()] + own.prefix(count))
    }

    /// Starts a command where the group `memwarnd` has the number 4242.
    static let withGroup = [
        "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
        """
        mount -t tmpfs none /mnt && { cat /etc/group; echo memwarnd:x:4242:; } >/mnt/group \
        && mount --bind /mnt/group /etc/group && exec "$0" "$@"
        """,
    ]

    /// The reason why this is not possible here, or `nil`.
    static let missing: String? = {
        if let missing = OtherUser.missing { return missing }
        let code = try? ChildProcess(withGroup[0], Array(withGroup.dropFirst()) + ["/bin/true"]).end().code
        return code == 0 ? nil : "this process may not have mounts of its own"
    }()

    @Test(
        "a member of the group memwarnd may warn all users' hosts, through any of its groups",
        .enabled(if: missing == nil, "\(missing ?? "")"),
        arguments: [["--regid=4242", "--clear-groups"], ["--regid=65534", "--groups=7,4242"]]
    )
    func members(groups: [String]) throws {
        let daemon = try DaemonProcess(wrapper: Self.withGroup)
        let host = try RawPeer(daemon, host: "root's")
        func simulate(_ groups: [String]) throws -> ChildProcess {
            let command = [try ChildProcess.path(of: "memwarnd"), "simulate", "--socket", daemon.socket]
            let options = ["--level", "warning", "--deadline", "20000"]
            return try ChildProcess(OtherUser.wrapper[0], ["--reuid=\(OtherUser.id)"] + groups + command + options)
        }
        let stranger = try simulate(["--regid=65534", "--groups=7,4243"]).end()
        #expect(stranger.code == 77)
        #expect(stranger.output.hasSuffix("belong to other users; members of the group memwarnd may reach them"))
        #expect(!host.hasNews)
        let member = try simulate(groups)
        try host.acknowledge(try host.warning().round)
        #expect(member.end().code == 0)
    }
}
