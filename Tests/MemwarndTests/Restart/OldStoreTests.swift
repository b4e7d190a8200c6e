import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@testable import memwarnd

/// The store of older daemons, which gave the service manager each host's connection and a file with its registration.
struct OldStoreTests {
    /// Host 12, `größer`, priority 3, 1 TiB, accepts commands, at the native door.
    static let registration: [UInt8] =
        [0]  // the door
        + [1, 1, 0, 0, 37, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0]  // a hello's header, with the id for its sequence
        + [3, 0, 0, 0, 0, 0, 1, 0, 0]  // priority and bytes
        + [8, 0, 0x67, 0x72, 0xC3, 0xB6, 0xC3, 0x9F, 0x65, 0x72]  // name
        + [1, 0]  // messages that it accepts, and allocator
    /// The same host, from before a hello had an allocator.
    static let earlierRegistration: [UInt8] =
        [0, 1, 1, 0, 0, 36, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0]
        + [3, 0, 0, 0, 0, 0, 1, 0, 0, 8, 0, 0x67, 0x72, 0xC3, 0xB6, 0xC3, 0x9F, 0x65, 0x72, 1]
    static let state = Array("memwarnd state 1\n17\n12".utf8)

    @Test func theBytesAreRead() {
        let hello = Hello(priority: 3, releasable: 1 << 40, name: "größer", accepts: .commands)
        for bytes in [Self.registration, Self.earlierRegistration] {
            #expect(HostRegistration(decoding: bytes) == HostRegistration(id: 12, door: .native, hello: hello))
        }
        #expect(DaemonState(decoding: Self.state) == DaemonState(lastHost: 12))
    }

    @Test("a new daemon takes over an older daemon's hosts, twice, and their files are removed when they leave")
    func upgrade() throws {
        let manager = try ServiceManager()
        let notices = manager.notices
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        try notices.keep("state", files: [Self.state])
        try notices.keep("host-12", [ends[0]], files: [Self.earlierRegistration])
        close(ends[0])
        for _ in 0..<2 {
            try manager.start()
            let hosts = try manager.peer().hosts()
            #expect(hosts.map(\.id) == [12])
            #expect(hosts.map(\.name) == ["größer"])
            manager.end(SIGKILL)
        }
        try manager.start()
        let host = try manager.host("new")
        #expect(host.id == 13)
        try notices.waitUntilKept { $0.contains("host-13") }
        #expect(notices.kept.map(\.name).sorted() == ["host-12", "host-12", "host-13", "hosts", "state"])
        close(ends[1])
        try notices.waitUntilKept { !$0.contains("host-12") }
        #expect(notices.kept.map(\.name).sorted() == ["host-13", "hosts", "state"])
    }
}
