import CLinux
import Dispatch
import MemoryPressure
import MemwarnProtocol
import Synchronization
import Systemd
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnd

struct DoorTests {
    @Test(
        "only a rise and a repetition ask for memory; a fall does not",
        arguments: [
            (.warning, .answerWanted, true), (.critical, [.answerWanted, .repeated], true),
            (.critical, [.answerWanted, .simulated], true), (.warning, [], false), (.normal, [], false),
            (.normal, [.answerWanted, .simulated], false),
        ] as [(PressureLevel, WarningOptions, Bool)]
    )
    func demands(level: PressureLevel, options: WarningOptions, expected: Bool) {
        let warning = Warning(
            level: level,
            options: options,
            reason: .simulation,
            bytesWanted: 0,
            deadline: 0,
            scope: "/"
        )
        WarningPacket.with(warning, 1) { packet in #expect(packet.isDemand == expected) }
    }

    @Test("the pressure socket is beside the native one, or at its configured path")
    func places() {
        #expect(Settings.PressureSocket.beside.path(beside: "/run/x/memwarnd.sock") == "/run/x/pressure.sock")
        #expect(Settings.PressureSocket.beside.path(beside: "memwarnd.sock") == "pressure.sock")
        #expect(Settings.PressureSocket.path("/a").path(beside: "/run/x/memwarnd.sock") == "/a")
    }

    @Test("a socket that ends removes its path, unless another daemon listens there")
    func removal() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/memwarnd.sock"
        do {
            let sockets = try ListeningSocket(path: path)
            withExtendedLifetime(sockets) { #expect(access(path, F_OK) == 0) }
        }
        #expect(access(path, F_OK) != 0)
        let later: ListeningSocket
        do {
            let former = try ListeningSocket(path: path)
            unlink(path)
            later = try ListeningSocket(path: path)
            withExtendedLifetime(former) {}
        }
        #expect(access(path, F_OK) == 0)
        withExtendedLifetime(later) {}
    }

    @Test("of daemons that start together and find a stale socket, exactly one listens")
    func startedTogether() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/memwarnd.sock"
        let address = try SocketAddress(path: path)
        for _ in 0..<2_000 {
            let stale = CLinux.socket(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0)
            try #require(address.withSockaddr { bind(stale, $0, $1) } == 0)
            close(stale)
            let sockets = Mutex<[ListeningSocket]>([])
            DispatchQueue.concurrentPerform(iterations: 3) { _ in
                guard let socket = try? ListeningSocket(path: path) else { return }
                sockets.withLock { $0.append(socket) }
            }
            let isReachable = (try? FrameSocket(connectingTo: path)) != nil
            #expect(isReachable && sockets.withLock { $0.count } == 1)
        }
    }

    @Test("no pressure socket is created if it is off; a stale socket is taken over")
    func sockets() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/memwarnd.sock"
        let pressure = directory.path + "/pressure.sock"
        do {
            let sockets = try ListeningSockets(path: path)
            #expect(try sockets.pressure(.off) == nil && access(pressure, F_OK) != 0)
        }
        let address = try SocketAddress(path: pressure)
        let left = CLinux.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        try #require(address.withSockaddr { bind(left, $0, $1) } == 0 && listen(left, 1) == 0)
        let sockets = try ListeningSockets(path: path)
        #expect(throws: KernelError("listen on", pressure, errno: EADDRINUSE)) { try sockets.pressure(.beside) }
        close(left)
        let socket = try sockets.pressure(.beside)
        #expect(socket?.path == pressure)
        var status = stat()
        #expect(stat(pressure, &status) == 0 && status.st_mode & 0o777 == 0o666)
    }

    @Test(
        "the path of a bus is read from its address, if the address has one",
        arguments: [
            ("unix:path=/run/bus", "/run/bus"), ("unix:path=/run/bus,guid=12;tcp:host=a", "/run/bus"),
            ("unix:path=/a%20b", nil), ("unix:abstract=/x", nil), ("tcp:host=a", nil), ("", nil),
        ]
    )
    func busAddress(text: String, expected: String?) {
        #expect(BusAddress.path(in: text) == expected)
    }

    @Test("a user's own instance uses the session bus, a system service the system bus")
    func busKind() async {
        await #expect(processExitsWith: .success) {
            unsetenv("XDG_RUNTIME_DIR")
            #expect(Bus.Kind.of(instanceAt: "/run/memwarnd/memwarnd.sock") == .system)
            setenv("XDG_RUNTIME_DIR", "/run/user/7", 1)
            #expect(Bus.Kind.of(instanceAt: "/run/user/7/memwarnd/memwarnd.sock") == .user)
            if geteuid() == 0 {
                #expect(Bus.Kind.of(instanceAt: "/run/memwarnd/memwarnd.sock") == .system)
                try #require(seteuid(OtherUser.id) == 0)
            }
            #expect(Bus.Kind.of(instanceAt: "/run/memwarnd/memwarnd.sock") == .user)
        }
    }
}
