internal import CLinux
public import Testing

/// A test's own message bus: a dbus-daemon that is killed when the test releases it.
public final class PrivateBus {
    static let program = "/usr/bin/dbus-daemon"
    /// Whether the programs that this needs are installed.
    public static let isInstalled = access(program, X_OK) == 0 && access("/usr/bin/dbus-monitor", X_OK) == 0
    /// The reason why they are not available.
    public static let comment: Comment = "dbus-daemon and its dbus-monitor are not installed"
    /// A name that the bus refuses to every client.
    public static let forbiddenName = "org.example.Forbidden"

    /// The D-Bus address at which it listens.
    public let address: String
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    /// Starts a bus, and waits until it listens: at a path, or in its own directory.
    public init(at path: String? = nil) throws {
        directory = try TemporaryDirectory()
        // Other users' clients need access to the socket.
        chmod(directory.path, 0o755)
        try directory.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
              "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(path ?? directory.path + "/bus")</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow user="*"/>
                <allow own="*"/>
                <deny own="\(Self.forbiddenName)"/>
                <allow send_destination="*"/>
                <allow receive_sender="*"/>
              </policy>
            </busconfig>
            """,
            to: "bus.conf"
        )
        process = try ChildProcess(
            Self.program,
            ["--config-file=\(directory.path)/bus.conf", "--nofork", "--print-address"]
        )
        // The bus prints its address when it listens.
        address = try #require(process.line(startingWith: "unix:"), "dbus-daemon did not start")
    }

    /// Starts a program that prints the signals of this interface, and waits until it listens.
    public func monitor(_ interface: String) throws -> ChildProcess {
        let monitor = try ChildProcess(
            "/usr/bin/dbus-monitor",
            ["--address", address, "type='signal',interface='\(interface)'"]
        )
        // A bus takes its name from a client that becomes a monitor.
        try #require(monitor.line { $0.contains("member=NameLost") } != nil, "dbus-monitor did not start")
        return monitor
    }

    /// Kills the bus without notice to its clients, and waits until it has ended.
    public func kill() {
        process.send(SIGKILL)
        _ = process.wait()
    }

    /// Stops the bus or lets it continue, by a signal.
    public func send(_ signal: CInt) {
        process.send(signal)
    }
}
