internal import CLinux
public import Testing

/// A message bus of a test's own: a dbus-daemon that is killed when the test lets go of it.
public final class PrivateBus {
    static let program = "/usr/bin/dbus-daemon"
    /// Whether there is what it takes.
    public static let isInstalled = access(program, X_OK) == 0 && access("/usr/bin/dbus-monitor", X_OK) == 0
    /// What to say where there is not.
    public static let comment: Comment = "dbus-daemon and its dbus-monitor are not installed"
    /// A name that the bus gives to nobody.
    public static let forbiddenName = "org.example.Forbidden"

    /// Where it listens, as a D-Bus address.
    public let address: String
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    /// Starts one, and waits until it listens: at a path, or in a directory of its own.
    public init(at path: String? = nil) throws {
        directory = try TemporaryDirectory()
        // Other users' clients are to get to the socket.
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
        // It prints the address when it listens.
        address = try #require(process.line(startingWith: "unix:"), "dbus-daemon did not start")
    }

    /// Somebody who listens already: prints the signals of this interface.
    public func monitor(_ interface: String) throws -> ChildProcess {
        let monitor = try ChildProcess(
            "/usr/bin/dbus-monitor",
            ["--address", address, "type='signal',interface='\(interface)'"]
        )
        // A bus takes the name from a client that becomes a monitor.
        try #require(monitor.line { $0.contains("member=NameLost") } != nil, "dbus-monitor did not start")
        return monitor
    }

    /// Ends the bus without a word to its clients, and waits until it has ended.
    public func kill() {
        process.send(SIGKILL)
        _ = process.wait()
    }

    /// Has it stand still, or go on.
    public func send(_ signal: CInt) {
        process.send(signal)
    }
}
