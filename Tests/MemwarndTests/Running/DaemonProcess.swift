import CLinux
import Foundation
import MemoryPressure
import TestSupport
import Testing

/// A test's own daemon on its own socket; it ends when the test releases it.
final class DaemonProcess {
    let directory: TemporaryDirectory
    let socket: String
    /// The socket for programs that follow `$MEMORY_PRESSURE_WATCH`.
    let pressureSocket: String
    let process: ChildProcess

    /// Thresholds that the machine's own pressure does not reach, so that only the test causes warnings.
    static let deaf = """
        [levels]
        warning = 100
        warning-windows = 60
        critical = 100
        critical-full = 100
        headroom = 0.02
        headroom-critical = 0.01

        """

    /// Starts a daemon and waits until it listens.
    ///
    /// `wrapper` is the absolute path of a program and its arguments; the program runs the command that follows them.
    init(
        wrapper: [String] = [],
        options: [String] = [],
        configuration: String = DaemonProcess.deaf,
        environment: [String: String] = [:]
    ) throws {
        directory = try TemporaryDirectory()
        // Other users' clients need access to the socket.
        chmod(directory.path, 0o755)
        socket = directory.path + "/memwarnd.sock"
        pressureSocket = directory.path + "/pressure.sock"
        // The machine's own buses receive nothing from a test.
        var variables = environment
        for name in ["DBUS_SYSTEM_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"] where variables[name] == nil {
            variables[name] = "unix:path=\(directory.path)/no-bus"
        }
        try directory.write(configuration, to: "memwarnd.toml")
        let command =
            wrapper + [
                try ChildProcess.path(of: "memwarnd"), "run", "--socket", socket,
                "--config", directory.path + "/memwarnd.toml",
            ] + options
        process = try ChildProcess(command[0], Array(command.dropFirst()), environment: variables)
        try #require(log(containing: "listens on \(socket)") != nil, "the daemon did not start")
    }

    /// The next line of its log that contains this text.
    func log(containing text: String, within seconds: Double = 20) -> String? {
        process.line(within: seconds) { $0.contains(text) }
    }

    /// The number of descriptors that it has open.
    func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: descriptors).count
    }

    /// The number of its descriptors that are sockets.
    func socketCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: descriptors).count { name in
            // A descriptor may be closed after the directory was read.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(name)")
            return target?.hasPrefix("socket:") == true
        }
    }

    private var descriptors: String { "/proc/\(process.pid)/fd" }

    /// Ends it as a service manager does.
    func terminate() -> CInt {
        process.send(SIGTERM)
        return process.end().code
    }
}

extension ChildProcess {
    /// Runs `memwarnd` with a subcommand until it ends.
    static func memwarnd(_ arguments: String...) throws -> (code: CInt, output: String) {
        try ChildProcess("memwarnd", arguments).end()
    }
}
