import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing

@testable import memwarnd

/// A service manager with one unit, the daemon's: it owns the socket, starts the daemon, and keeps descriptors across restarts.
final class ServiceManager {
    /// The socket that receives the daemon's reports, and the descriptors that the daemon stores.
    let notices: NotifySocket
    /// The daemon's socket.
    let socket: String
    /// The daemon that was started last.
    private(set) var daemon: ChildProcess?
    private let directory: TemporaryDirectory
    private let listening: CInt

    init(_ configuration: String = DaemonProcess.deaf) throws {
        notices = try NotifySocket()
        directory = try TemporaryDirectory()
        socket = directory.path + "/memwarnd.sock"
        listening = CLinux.socket(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let address = try SocketAddress(path: socket)
        let bound = listening
        try #require(address.withSockaddr { bind(bound, $0, $1) } == 0 && listen(listening, 64) == 0)
        try configure(configuration)
    }

    deinit {
        daemon = nil
        close(listening)
    }

    /// Writes the daemon's configuration.
    func configure(_ text: String) throws {
        try directory.write(text, to: "memwarnd.toml")
    }

    /// Starts the daemon with all stored descriptors, and waits until it reports that it is ready.
    ///
    /// The daemon stores hosts once they have stayed for `patience` seconds; `nil` leaves its default.
    func start(options: [String] = [], patience: Int? = 0) throws {
        try begin(options: options, patience: patience)
        _ = try notice { $0.hasPrefix("READY=1") }
    }

    /// Starts the daemon with all stored descriptors.
    func begin(options: [String] = [], patience: Int? = 0) throws {
        notices.drain()
        let kept = notices.kept
        // Only the program itself knows its process ID.
        let program = ["-c", "export LISTEN_PID=$$; exec \"$0\" \"$@\"", try ChildProcess.path(of: "memwarnd")]
        daemon = try ChildProcess(
            "/bin/sh",
            program + ["run", "--config", directory.path + "/memwarnd.toml"]
                + (patience.map { ["--store-patience", "\($0)"] } ?? []) + options,
            environment: [
                "NOTIFY_SOCKET": notices.path,
                // A daemon that traps ends at once.
                "SWIFT_BACKTRACE": "enable=no",
                // The machine's own buses receive nothing from this test.
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory.path)/no-bus",
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(directory.path)/no-bus",
                "LISTEN_FDS": "\(kept.count + 1)",
                "LISTEN_FDNAMES": (["native"] + kept.map(\.name)).joined(separator: ":"),
            ],
            descriptors: [listening] + kept.map(\.descriptor)
        )
    }

    /// Ends the daemon with a signal, and reads its last messages.
    func end(_ signal: CInt) {
        daemon?.send(signal)
        _ = daemon?.wait()
        notices.drain()
    }

    /// The next notice that matches.
    func notice(where matches: (String) -> Bool) throws -> String {
        while true {
            let notice = try notices.next()
            if matches(notice) { return notice }
        }
    }

    /// The stored state.
    func state() throws -> DaemonState? {
        notices.drain()
        let entry = try #require(notices.kept.first { $0.name == DaemonState.name })
        let file = MemoryFile(adopting: fcntl(entry.descriptor, F_DUPFD_CLOEXEC, 3))
        return DaemonState(decoding: try file.read(limit: DaemonState.maximumSize))
    }

    /// Connects.
    func peer() throws -> RawPeer {
        try RawPeer(path: socket)
    }

    /// Connects and registers.
    func host(_ name: String) throws -> RawPeer {
        let peer = try peer()
        try peer.register(name)
        return peer
    }
}

extension RawPeer {
    /// The next frame, which is a welcome.
    func nextWelcome() throws -> Welcome {
        let frame = try next()
        guard case .welcome(let welcome) = frame.message else { throw Unexpected("\(frame) instead of a welcome") }
        return welcome
    }
}
