import CLinux
import MemwarnProtocol
import TestSupport
import Testing

@testable import Systemd
@testable import memwarnd

struct UselessStoreTests {
    @Test("the daemon closes, removes and reports unknown stored descriptors, and serves its hosts")
    func garbage() throws {
        let manager = try ServiceManager()
        func record(_ id: UInt64) -> [UInt8] {
            HostRegistration(id: id, door: .native, hello: Hello(name: "kept")).encoded
        }
        let pairs = try (0..<5).map { _ in try SocketPair(CInt(SOCK_SEQPACKET.rawValue)) }
        let stream = try SocketPair(CInt(SOCK_STREAM.rawValue))
        let notices = manager.notices
        try notices.keep("state", files: [Array("memwarnd state 2".utf8)])
        try notices.keep("host-1", [pairs[0].ours])
        try notices.keep("host-2", files: [record(2)])
        try notices.keep("host-3", [pairs[1].ours], files: [[0, 1, 2]])
        try notices.keep("host-4", [pairs[2].ours], files: [record(5)])
        try notices.keep("host-5", [pairs[3].ours], files: [record(5), record(5)])
        try notices.keep("host-6", [stream.ours], files: [record(6)])
        try notices.keep("hosts", files: [Array("memwarnd hosts 2".utf8)])
        try notices.keep("odd", [pairs[4].ours])
        for pair in pairs + [stream] { pair.closeOurs() }
        try manager.start()
        let names = "host-1, host-2, host-3, host-4, host-5, host-6, hosts, odd, state"
        #expect(manager.daemon?.line { $0.hasSuffix("the service manager had kept: \(names)") } != nil)
        try notices.waitUntilKept { $0.count == 2 }
        #expect(notices.kept.map(\.name).sorted() == ["hosts", "state"])
        for pair in pairs + [stream] { #expect(pair.isEnded) }
        #expect(try manager.host("first").id == 1)
        #expect(try manager.state() == DaemonState())
    }

    @Test("an unknown connection ends at once, although the service manager has a duplicate of it")
    func end() throws {
        let pair = try SocketPair(CInt(SOCK_SEQPACKET.rawValue))
        let handedOver = fcntl(pair.ours, F_DUPFD_CLOEXEC, 3)
        let found = Inheritance([InheritedDescriptor(fd: handedOver, name: "host-1")])
        #expect(found.useless.map(\.name) == ["host-1"])
        #expect(pair.isEnded)
    }
}

/// Two connected sockets, one of which the service manager gets.
private final class SocketPair {
    let ours: CInt
    private let theirs: CInt
    private var isOpen = true

    init(_ type: CInt) throws {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, type | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        (ours, theirs) = (ends[0], ends[1])
    }

    deinit {
        closeOurs()
        close(theirs)
    }

    func closeOurs() {
        if isOpen { close(ours) }
        isOpen = false
    }

    /// Whether the connection ends within 20 seconds.
    var isEnded: Bool {
        var request = pollfd(fd: theirs, events: 0)
        return poll(&request, 1, 20_000) == 1 && request.revents & Int16(POLLHUP) != 0
    }
}
