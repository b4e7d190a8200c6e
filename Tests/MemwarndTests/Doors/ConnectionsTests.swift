import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnd

struct ConnectionsTests {
    /// A door in a directory of its own, that lets all in.
    private final class Door {
        let directory: TemporaryDirectory
        let loop: EventLoop
        let connections: Connections<Peer>

        init(whileMaking: @escaping () -> Void = {}) throws {
            directory = try TemporaryDirectory()
            loop = try EventLoop()
            let quotas = PeerQuotas(total: 1_000, perUser: nil, exempt: [geteuid()])
            connections = try Connections(
                try ListeningSocket(path: directory.path + "/door"),
                admission: Admission(quotas, in: .live),
                tellsNewcomers: true,
                loop: loop
            ) { (descriptor) throws(KernelError) in
                whileMaking()
                return try Peer(FrameSocket(taking: descriptor), now: .now)
            }
        }

        func connect() throws -> FrameSocket { try FrameSocket(connectingTo: connections.path) }
    }

    /// Sends packets of a size to a peer that does not read, as many as it takes.
    private static func fill(_ peer: Peer, with size: Int) -> Int {
        let packet = [UInt8](repeating: 0, count: size)
        var count = 0
        while packet.withUnsafeBytes({ peer.send($0) }) == .sent { count += 1 }
        return count
    }

    @Test(
        "a peer that does not read is sent the largest frame there is, and not much more",
        arguments: [(Frame.maximumSize, 1...4), (100, 8...64)]
    )
    func queue(size: Int, expected: ClosedRange<Int>) throws {
        let door = try Door()
        var count = 0
        door.connections.admitted = { peer in
            count = Self.fill(peer, with: size)
            door.loop.exit(code: 0)
        }
        let client = try door.connect()
        #expect(try door.loop.run() == 0)
        #expect(expected.contains(count), "\(count) packets")
        withExtendedLifetime(client.fileDescriptor) {}
    }

    @Test("a connection that an earlier daemon had is sent no more than a new one")
    func adopted() throws {
        let door = try Door()
        var ends: [CInt] = [-1, -1]
        let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        defer { close(ends[0]) }
        let peer = door.connections.adopt(Descriptor(taking: ends[1]))
        let count = peer.map { Self.fill($0, with: Frame.maximumSize) } ?? 0
        #expect((1...4).contains(count), "\(count) packets")
    }

    @Test("newcomers that take long to let in hold up nothing that is more important")
    func givingWay() throws {
        var made = 0
        let door = try Door {
            made += 1
            let start = MonotonicInstant.now
            while start.duration(to: .now) < PollGroup.turn {}
        }
        let clients = try (0..<5).map { _ in try Client(door.connect()) }
        var turns: [Int] = []
        let urgent = try door.loop.deferred(priority: .important) {
            turns.append(made)
            if made == clients.count { door.loop.exit(code: 0) }
        }
        door.connections.admitted = { _ in urgent.schedule() }
        #expect(try door.loop.run() == 0)
        #expect(turns == Array(1...clients.count))
        withExtendedLifetime((clients, urgent)) {}
    }

    /// A connection in an array.
    private final class Client {
        let socket: FrameSocket

        init(_ socket: consuming FrameSocket) {
            self.socket = socket
        }
    }
}
