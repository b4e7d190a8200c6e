import CLinux
import Foundation
import MemoryPressure
import TestSupport
import Testing

/// A daemon of a test's own, on a socket of its own, ended when the test lets go of it.
final class DaemonProcess {
    let directory: TemporaryDirectory
    let socket: String
    /// Where it listens for programs that follow `$MEMORY_PRESSURE_WATCH`.
    let pressureSocket: String
    let process: ChildProcess

    /// Thresholds that the machine's own pressure does not reach, so that every warning is one that a test asked for.
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
    /// `wrapper` is a program with an absolute path and arguments that runs what follows them.
    init(
        wrapper: [String] = [],
        options: [String] = [],
        configuration: String = DaemonProcess.deaf,
        environment: [String: String] = [:]
    ) throws {
        directory = try TemporaryDirectory()
        // Other users' clients are to get to the socket.
        chmod(directory.path, 0o755)
        socket = directory.path + "/memwarnd.sock"
        pressureSocket = directory.path + "/pressure.sock"
        // No bus but a test's own hears of what is tried out.
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

    /// The next line of its log with this text in it.
    func log(containing text: String, within seconds: Double = 20) -> String? {
        process.line(within: seconds) { $0.contains(text) }
    }

    /// How many descriptors it has open.
    func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: descriptors).count
    }

    /// How many of its descriptors are sockets.
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
    /// Runs `memwarnd` with a subcommand to its end.
    static func memwarnd(_ arguments: String...) throws -> (code: CInt, output: String) {
        try ChildProcess("memwarnd", arguments).end()
    }
}
