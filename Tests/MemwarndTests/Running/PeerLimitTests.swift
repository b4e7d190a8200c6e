import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

struct PeerLimitTests {
    /// A command line that starts a command with at most `count` descriptors.
    static func limited(to count: Int) -> [String] {
        ["/bin/sh", "-c", "ulimit -n \(count) && exec \"$0\" \"$@\""]
    }

    @Test("newcomers beyond the limit are refused, present peers are served, and a peer that leaves makes room")
    func limit() throws {
        // The daemon keeps 512 for itself.
        let daemon = try DaemonProcess(wrapper: Self.limited(to: 512 + 20))
        let control = try RawPeer(daemon)
        var hosts = try (0..<19).map { try RawPeer(daemon, host: "host \($0)") }

        let late = try RawPeer(daemon)
        // Sent before the client could know of its refusal. This must not hide the refusal.
        _ = late.send(try Frame(sequence: 1, message: .hello(Hello(name: "late"))).encoded())
        let (sequence, refusal) = try late.refusal()
        #expect(sequence == 0)
        let message = "there are 20 peers already; raise LimitNOFILE= of the daemon"
        #expect(refusal == Refusal(code: .tooManyPeers, message: message))
        #expect(try late.receive() == nil)

        try control.simulate(.patient(.warning))
        for host in hosts { try host.acknowledge(try host.warning().round) }
        #expect(try control.round().answered == 19)

        hosts.removeLast()
        try control.waitForHosts(18)
        let next = try RawPeer(daemon, host: "next")
        #expect(next.id == 20)
    }

    @Test("if descriptors run out, newcomers are refused, and present peers notice nothing")
    func exhaustion() throws {
        // The first host starts the thread that finds processes: it has a pipe to it, and one back.
        let own = try DaemonProcess().descriptorCount() + 4
        let daemon = try DaemonProcess(wrapper: Self.limited(to: own + 6))
        var hosts = try (0..<6).map { try RawPeer(daemon, host: "host \($0)") }
        for _ in 0..<3 {
            let late = try RawPeer(daemon)
            let (sequence, refusal) = try late.refusal()
            #expect(sequence == 0 && refusal.code == .tooManyPeers)
            #expect(refusal.message.hasSuffix("Too many open files (errno 24); raise LimitNOFILE= of the daemon"))
            #expect(try late.receive() == nil)
        }
        #expect(daemon.log(containing: "refused pid \(getpid())") != nil)
        try hosts[0].simulate(.patient(.warning, to: .name("host 1")))
        try hosts[1].acknowledge(try hosts[1].warning().round)
        #expect(try hosts[0].round().answered == 1)

        hosts.removeFirst()
        try hosts[0].waitForHosts(5)
        let next = try RawPeer(daemon, host: "next")
        #expect(try next.hosts().map(\.name) == (1..<6).map { "host \($0)" } + ["next"])
    }

    @Test("a program at the pressure socket cannot get a refusal, so it waits for its turn")
    func waiting() throws {
        // The first host starts the thread that finds processes: it has a pipe to it, and one back.
        let own = try DaemonProcess().descriptorCount() + 4
        let daemon = try DaemonProcess(wrapper: Self.limited(to: own + 6))
        var hosts = try (0..<6).map { try RawPeer(daemon, host: "host \($0)") }
        let late = try PressureClient(path: daemon.pressureSocket)
        #expect(daemon.log(containing: "refused a newcomer") != nil)
        #expect(!late.hasNews, "it was let go of")
        hosts.removeFirst()
        try hosts[0].waitForHosts(6)
        // The program took the last descriptor, so the daemon had none with which to read its name.
        try hosts[0].simulate(.patient(.critical, to: .name("pressure client")))
        #expect(try late.warnings() == 1)
    }

    @Test(
        "a user may have an eighth of the connections, across both doors, and the refusal names the setting",
        .enabled(if: OtherUser.missing == nil && Python.isInstalled, "\(OtherUser.missing ?? "no Python")")
    )
    func quota() throws {
        let daemon = try DaemonProcess(wrapper: Self.limited(to: 512 + 80))
        let script = """
            import socket, struct, sys
            pressure = []
            for _ in range(4):
                s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                s.connect(sys.argv[2])
                pressure.append(s)
            native = []
            while True:
                s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                s.connect(sys.argv[1])
                try:
                    # A query about the daemon, 25 bytes, sequence 5.
                    s.send(bytes.fromhex("01100000 19000000 0500000000000000 00 0000000000000000"))
                except BrokenPipeError:
                    pass
                answer = s.recv(4096)
                if answer[1] == 5:
                    print(len(native), struct.unpack_from("<H", answer, 16)[0], answer[20:].decode(), flush=True)
                    break
                native.append(s)
            while pressure[0].recv(1):
                print("warned", flush=True)
            """
        let greedy = try Python.start(script, [daemon.socket, daemon.pressureSocket], wrapper: OtherUser.wrapper)
        let reason = "has 10 connections already, the maximum of limits.peers-per-user"
        // Four of the ten connected through the other door.
        #expect(greedy.line { _ in true } == "6 5 uid \(OtherUser.id) \(reason)")
        let control = try RawPeer(daemon)
        let host = try RawPeer(daemon, host: "ours")
        try control.simulate(.patient(.critical))
        #expect(try host.warning().warning.level == .critical)
        #expect(greedy.line { _ in true } == "warned")
    }

    @Test(
        "a user that queries without end is refused on all its connections, and the daemon answers root as before",
        .enabled(if: OtherUser.missing == nil && Python.isInstalled, "\(OtherUser.missing ?? "no Python")")
    )
    func queries() throws {
        let daemon = try DaemonProcess()
        let script = """
            import socket, struct, sys
            def ask(connection):
                # A query about the daemon, 25 bytes, sequence 5; a record and the end answer it.
                connection.send(bytes.fromhex("01100000 19000000 0500000000000000 00 0000000000000000"))
                while True:
                    answer = connection.recv(4096)
                    if answer[1] == 5:
                        return struct.unpack_from("<H", answer, 16)[0], answer[20:].decode(), connection.recv(1)
                    if answer[1] == 36:
                        return None
            count, refusal = 0, None
            while not refusal and count < 100_000:
                connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                connection.connect(sys.argv[1])
                for _ in range(100):
                    refusal = ask(connection)
                    if refusal:
                        break
                    count += 1
            print(count >= 2_000, count < 100_000, *refusal, flush=True)
            """
        let greedy = try Python.start(script, [daemon.socket], wrapper: OtherUser.wrapper)
        #expect(greedy.line { _ in true } == "True True 5 your user or cgroup queries too often; wait a second b''")
        for _ in 0..<3 {
            let control = try RawPeer(daemon)
            for _ in 0..<900 {
                try control.send(.query(Query(section: .daemon)), sequence: 7)
                while try control.next().message != .end(End()) {}
            }
        }
    }

    @Test(
        "a user that sends frames without end is refused on all its connections, and its hosts' answers count as before",
        .enabled(if: OtherUser.missing == nil && Python.isInstalled, "\(OtherUser.missing ?? "no Python")")
    )
    func frames() throws {
        let daemon = try DaemonProcess()
        let script = """
            import socket, struct, sys
            def connect():
                connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                connection.connect(sys.argv[1])
                return connection
            def acknowledgement(round):
                return struct.pack("<BBHIQ", 1, 4, 0, 56, round) + bytes(40)
            host = connect()
            host.send(struct.pack("<BBHIQBQH", 1, 1, 0, 32, 1, 128, 0, 5) + b"their")
            host.recv(4096)
            count, refused = 0, False
            while not refused and count < 100_000:
                stray = connect()
                try:
                    for _ in range(900):
                        stray.send(acknowledgement(0))
                        count += 1
                except BrokenPipeError:
                    refused = True
            answer = stray.recv(4096)
            print(count >= 20_000, struct.unpack_from("<H", answer, 16)[0], answer[20:].decode(), flush=True)
            while True:
                warning = host.recv(4096)
                if warning[1] == 3:
                    host.send(acknowledgement(struct.unpack_from("<Q", warning, 8)[0]))
            """
        let greedy = try Python.start(script, [daemon.socket], wrapper: OtherUser.wrapper)
        let refusal = greedy.line { _ in true }
        #expect(refusal == "True 5 your user or cgroup sends too many frames; wait a second")
        let control = try RawPeer(daemon)
        for _ in 0..<3 {
            try control.simulate(.patient(.critical, to: .name("their")))
            #expect(try control.round().answered == 1)
        }
    }

    @Test(
        "a user's data at the pressure socket count as frames, so more connections do not allow more of them",
        .enabled(if: OtherUser.missing == nil && Python.isInstalled, "\(OtherUser.missing ?? "no Python")")
    )
    func pressureFrames() throws {
        let daemon = try DaemonProcess()
        // Each write waits until the daemon has read the one before, so each is a token.
        let script = """
            import fcntl, socket, struct, sys, termios
            connections, count = [], 0
            def write(connection):
                global count
                connection.send(b"x")
                count += 1
                while struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))[0]:
                    pass
            try:
                for _ in range(100):
                    connections.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                    connections[-1].connect(sys.argv[1])
                    for _ in range(900):
                        write(connections[-1])
            except OSError:
                pass
            print(20_000 <= count < 60_000, connections[0].recv(1) if connections else "", flush=True)
            """
        let greedy = try Python.start(script, [daemon.pressureSocket], wrapper: OtherUser.wrapper)
        #expect(daemon.log(containing: "its user or cgroup sends too many frames") != nil)
        let control = try RawPeer(daemon)
        let host = try RawPeer(daemon, host: "ours")
        try control.simulate(.patient(.critical, to: .name("ours")))
        try host.acknowledge(try host.warning().round)
        #expect(try control.round().answered == 1)
        try control.simulate(.patient(.critical, to: .name("python3")))
        #expect(greedy.line { _ in true } == "True b'\\n'")
    }

    /// Whether this process, and a daemon that it starts, can have this many connections.
    static let isRoomy: Bool = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit.rlim_max >= 12_000
    }()

    @Test("ten thousand hosts that register at once all get in", .enabled(if: isRoomy, "it takes 12 000 descriptors"))
    func crowd() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let daemon = try DaemonProcess()
        let control = try RawPeer(daemon)
        var hosts: [RawPeer] = []
        while hosts.count < 10_000 {
            // A full queue of newcomers is not a refusal.
            guard let host = try? RawPeer(daemon) else {
                sched_yield()
                continue
            }
            try host.send(.hello(Hello(name: "host \(hosts.count)")))
            hosts.append(host)
        }
        for host in hosts {
            guard case .welcome = try host.next().message else { throw Unexpected("no welcome") }
        }
        let round = try control.simulate(Simulate(level: .critical, deadline: 1_000))
        #expect(round.hosts == 10_000 && round.undeliverable == 0)
    }
}
