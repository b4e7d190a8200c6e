import Glibc
import TestSupport
import Testing

@testable import Systemd

/// A message bus of a test's own: a dbus-daemon that is killed when the test lets go of it.
final class PrivateBus {
    static let program = "/usr/bin/dbus-daemon"
    static let isInstalled = access(program, X_OK) == 0 && access("/usr/bin/dbus-monitor", X_OK) == 0
    static let comment: Comment = "dbus-daemon and its dbus-monitor are not installed"
    /// A name that the bus gives to nobody.
    static let forbiddenName = "org.example.Forbidden"

    let address: String
    private let directory: TemporaryDirectory
    private let process: ChildProcess

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
              "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(directory.path)/bus</listen>
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
    func monitor(_ interface: String) throws -> ChildProcess {
        let monitor = try ChildProcess(
            "/usr/bin/dbus-monitor",
            ["--address", address, "type='signal',interface='\(interface)'"]
        )
        // A bus takes the name from a client that becomes a monitor.
        try #require(monitor.line { $0.contains("member=NameLost") } != nil, "dbus-monitor did not start")
        return monitor
    }

    /// Ends the bus without a word to its clients.
    func kill() {
        process.send(SIGKILL)
    }
}
