import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnd

struct ConnectionsTests {
    /// Connections that report each event to a test.
    private final class Heard: Connections<Peer> {
        var whenAdmitted: (Peer) -> Void = { _ in }
        var whenReady: (Peer) -> Void = { _ in }
        var whenHungUp: (Peer) -> Void = { _ in }
        var whenMisbehaved: (Peer, Refusal) -> Void = { _, _ in }
        var whenTurnedAway: (Peer?, Refusal) -> Void = { _, _ in }

        override func admitted(_ peer: Peer) { whenAdmitted(peer) }
        override func ready(_ peer: Peer) { whenReady(peer) }
        override func hungUp(_ peer: Peer) { whenHungUp(peer) }
        override func misbehaved(_ peer: Peer, _ refusal: Refusal) { whenMisbehaved(peer, refusal) }
        override func turnedAway(_ newcomer: Peer?, _ refusal: Refusal) { whenTurnedAway(newcomer, refusal) }
    }

    /// A door in a directory of its own that admits every peer.
    private final class Door {
        let directory: TemporaryDirectory
        let loop: EventLoop
        let connections: Heard

        init(
            exempt: Set<UInt32> = [geteuid()],
            patience: Duration = .seconds(60),
            whileMaking: @escaping () -> Void = {}
        ) throws {
            directory = try TemporaryDirectory()
            loop = try EventLoop()
            let quotas = PeerQuotas(total: 1_000, perUser: nil, exempt: exempt)
            connections = try Heard(
                try ListeningSocket(path: directory.path + "/door"),
                admission: Admission(quotas, in: .live),
                closer: DescriptorCloser(),
                tellsNewcomers: true,
                patience: patience,
                loop: loop
            ) { (descriptor) throws(KernelError) in
                whileMaking()
                return try Peer(FrameSocket(taking: descriptor))
            }
        }

        /// Adopts one end of a new connection and returns the other.
        func adopt() throws -> (peer: Peer, far: CInt) {
            var ends: [CInt] = [-1, -1]
            let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
            guard let peer = connections.adopt(Descriptor(taking: ends[1])) else { throw Unexpected("no peer") }
            return (peer, ends[0])
        }

        func connect() throws -> FrameSocket { try FrameSocket(connectingTo: connections.path) }
    }

    /// Sends packets of `size` bytes to a peer that does not read until its queue is full, and returns their number.
    private static func fill(_ peer: Peer, with size: Int) -> Int {
        let packet = [UInt8](repeating: 0, count: size)
        var count = 0
        while packet.withUnsafeBytes({ peer.send($0) }) == .sent { count += 1 }
        return count
    }

    @Test(
        "the daemon can send a peer that does not read the largest frame, and not much more",
        arguments: [(Frame.maximumSize, 1...4), (100, 8...64)]
    )
    func queue(size: Int, expected: ClosedRange<Int>) throws {
        let door = try Door()
        var count = 0
        door.connections.whenAdmitted = { peer in
            count = Self.fill(peer, with: size)
            door.loop.exit(code: 0)
        }
        let client = try door.connect()
        #expect(try door.loop.run() == 0)
        #expect(expected.contains(count), "\(count) packets")
        withExtendedLifetime(client.fileDescriptor) {}
    }

    @Test("an adopted connection from an earlier daemon has the same limit as a new one")
    func adopted() throws {
        let door = try Door()
        let (peer, far) = try door.adopt()
        defer { close(far) }
        let count = Self.fill(peer, with: Frame.maximumSize)
        #expect((1...4).contains(count), "\(count) packets")
    }

    @Test("newcomers that take long to admit do not delay more important events")
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
        door.connections.whenAdmitted = { _ in urgent.schedule() }
        #expect(try door.loop.run() == 0)
        #expect(turns == Array(1...clients.count))
        withExtendedLifetime((clients, urgent)) {}
    }

    @Test("the daemon detects that a peer has closed its end, and does not read its queue")
    func hungUp() throws {
        let door = try Door()
        let (peer, far) = try door.adopt()
        for _ in 0..<20 { send(far, "x", 1, 0) }
        close(far)
        door.connections.whenReady = { _ in Issue.record("it is read") }
        door.connections.whenHungUp = {
            #expect($0 === peer && door.connections.remove($0))
            door.loop.exit(code: 0)
        }
        #expect(try door.loop.run() == 0)
    }

    @Test("a peer that accepts no data for too long is disconnected, even if its own queue is not read")
    func stuck() throws {
        let door = try Door(patience: .milliseconds(50))
        let (peer, far) = try door.adopt()
        defer { close(far) }
        _ = Self.fill(peer, with: 100)
        send(far, "x", 1, 0)
        door.connections.whenReady = { _ in Issue.record("it is read") }
        door.connections.whenMisbehaved = {
            #expect($0 === peer && $1.code == .tooManyPeers && door.connections.remove($0))
            door.loop.exit(code: 0)
        }
        door.connections.awaitRoom(peer.fileDescriptor, isRead: false)
        #expect(try door.loop.run() == 0)
    }

    /// A peer for whose packets the kernel has no memory, although its socket has room.
    private final class Starved: HostLink {
        let door = HostRecord.Door.native
        let process: FrameSocket.Peer
        let host: HostID? = nil
        var arrival: Arrival?
        let isShort = true
        private let descriptor: Descriptor

        init(_ descriptor: consuming Descriptor) throws(KernelError) {
            process = try FrameSocket.Peer(connectedTo: descriptor.raw)
            self.descriptor = descriptor
        }

        var fileDescriptor: CInt { descriptor.raw }
        func warn(_ packet: WarningPacket) -> FrameSocket.Sent { .full }
        func send(_ packet: UnsafeRawBufferPointer) -> FrameSocket.Sent { .full }
    }

    private final class Short: Connections<Starved> {
        var attempts = 0
        var whenMisbehaved: () -> Void = {}

        override func hasRoom(_ peer: Starved) {
            attempts += 1
            awaitRoom(peer.fileDescriptor, isRead: false)
        }
        override func misbehaved(_ peer: Starved, _ refusal: Refusal) {
            _ = remove(peer)
            whenMisbehaved()
        }
    }

    @Test("while the kernel has no memory for a peer's packets, the daemon tries again now and then, and not for ever")
    func shortage() throws {
        let (directory, loop) = (try TemporaryDirectory(), try EventLoop())
        let connections = try Short(
            try ListeningSocket(path: directory.path + "/door"),
            admission: Admission(PeerQuotas(total: 1_000, perUser: nil, exempt: [geteuid()]), in: .live),
            closer: DescriptorCloser(),
            tellsNewcomers: true,
            patience: .milliseconds(350),
            loop: loop
        ) { (descriptor) throws(KernelError) in try Starved(descriptor) }
        var ends: [CInt] = [-1, -1]
        let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        defer { close(ends[0]) }
        guard let peer = connections.adopt(Descriptor(taking: ends[1])) else { throw Unexpected("no peer") }
        connections.whenMisbehaved = { loop.exit(code: 0) }
        connections.awaitRoom(peer.fileDescriptor, isRead: false)
        #expect(try loop.run() == 0)
        #expect((1...5).contains(connections.attempts), "\(connections.attempts) attempts")
    }

    @Test("a packet that passes descriptors is not read", .enabled(if: Python.isInstalled))
    func passedDescriptors() throws {
        let door = try Door()
        let (peer, far) = try door.adopt()
        send(far, "first", 5, 0)
        // The kernel refuses descriptors only after the connection was adopted. This packet was sent earlier.
        var takes: CInt = 1
        setsockopt(peer.fileDescriptor, SOL_SOCKET, 83, &takes, socklen_t(MemoryLayout.size(ofValue: takes)))
        let script = "import socket; socket.send_fds(socket.socket(fileno=3), [b'second'], [0, 0])"
        let child = try ChildProcess(Python.path, ["-c", script], descriptors: [far])
        #expect(child.end().code == 0)
        defer { close(far) }
        var sizes: [Int] = []
        door.connections.whenReady = { peer in
            withUnsafeTemporaryAllocation(byteCount: Frame.maximumSize, alignment: 8) { buffer in
                if case .packet(let size) = peer.receive(into: buffer, at: .now) { sizes.append(size) }
            }
        }
        door.connections.whenMisbehaved = { peer, refusal in
            #expect(refusal.code == .malformed)
            #expect(door.connections.remove(peer, discardsUnread: true))
            door.loop.exit(code: 0)
        }
        #expect(try door.loop.run() == 0)
        #expect(sizes == [5])
    }

    @Test("the kernel refuses descriptors, or the daemon does if the kernel cannot", .enabled(if: Python.isInstalled))
    func refusedDescriptors() throws {
        let daemon = try DaemonProcess()
        let script = """
            import socket, sys
            for kind, path in (socket.SOCK_SEQPACKET, sys.argv[1]), (socket.SOCK_STREAM, sys.argv[2]):
                s = socket.socket(socket.AF_UNIX, kind)
                s.connect(path)
                try:
                    socket.send_fds(s, [bytes(16)], [0])
                    answer = s.recv(4096)
                    print("refused" if not answer or answer[1] == 5 else answer, flush=True)
                except PermissionError:
                    print("refused", flush=True)
            """
        let program = try Python.start(script, [daemon.socket, daemon.pressureSocket])
        #expect(program.end().output == "refused\nrefused")
    }

    @Test("a newcomer whose process has ended is refused; an exempt one is not", .enabled(if: Python.isInstalled))
    func ended() throws {
        let script = """
            import os, socket, sys
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect(sys.argv[1])
            if os.fork(): os._exit(0)
            os.close(1)
            os.close(2)
            s.recv(1)
            """
        for isExempt in [false, true] {
            let door = try Door(exempt: isExempt ? [geteuid()] : [])
            #expect(try Python.start(script, [door.connections.path]).end().code == 0)
            var outcome = ""
            door.connections.whenAdmitted = { _ in
                outcome = "in"
                door.loop.exit(code: 0)
            }
            door.connections.whenTurnedAway = { _, refusal in
                outcome = refusal.message
                door.loop.exit(code: 0)
            }
            #expect(try door.loop.run() == 0)
            let refusal = "the process of uid \(geteuid()) that connected has ended; connect from one that stays"
            #expect(outcome == (isExempt ? "in" : refusal))
        }
    }

    /// Connects to a socket as each of the given users in turn, then waits.
    private static let connecting = """
        import os, signal, socket, sys
        clients = []
        for uid in map(int, sys.argv[2:]):
            os.seteuid(uid)
            clients.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
            clients[-1].connect(sys.argv[1])
            os.seteuid(0)
        print("connected", flush=True)
        signal.pause()
        """

    @Test(
        "a user's newcomers do not have to wait for all earlier ones of another user",
        .enabled(if: Python.isInstalled && geteuid() == 0, "it takes root to connect as other users")
    )
    func turns() throws {
        // Each decision takes a whole turn, so the daemon decides on one newcomer between two rounds of accepting.
        let door = try Door {
            let start = MonotonicInstant.now
            while start.duration(to: .now) < PollGroup.turn {}
        }
        try #require(chmod(door.directory.path, 0o755) == 0)
        let uids = [UInt32](repeating: 1, count: 60) + [2]
        let clients = try Python.start(Self.connecting, [door.connections.path] + uids.map(String.init))
        try #require(clients.line(startingWith: "connected") != nil)
        var admitted: [UInt32] = []
        door.connections.whenAdmitted = { peer in
            admitted.append(peer.process.uid)
            if admitted.count == uids.count { door.loop.exit(code: 0) }
        }
        #expect(try door.loop.run() == 0)
        let place = try #require(admitted.firstIndex(of: 2))
        #expect(place < 10, "it was number \(place)")
    }

    /// A connection in an array.
    private final class Client {
        let socket: FrameSocket

        init(_ socket: consuming FrameSocket) {
            self.socket = socket
        }
    }
}
