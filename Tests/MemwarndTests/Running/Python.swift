import CLinux
import TestSupport

/// The distribution's Python, for clients that do not use this project's code: its standard library, and GLib if installed.
enum Python {
    static let path = "/usr/bin/python3"
    static let isInstalled = access(path, X_OK) == 0

    /// The reason why Python has no GLib, or `nil`.
    static let withoutGLib: String? = {
        guard isInstalled else { return "\(path) is not installed" }
        let code = try? ChildProcess(path, ["-c", "import gi; gi.require_version('Gio', '2.0')"]).end().code
        return code == 0 ? nil : "python3-gi and gir1.2-glib-2.0 are not installed"
    }()

    /// Starts a script.
    static func start(
        _ script: String,
        _ arguments: [String] = [],
        wrapper: [String] = [],
        environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let command = wrapper + [path, "-c", script] + arguments
        return try ChildProcess(command[0], Array(command.dropFirst()), environment: environment)
    }
}
