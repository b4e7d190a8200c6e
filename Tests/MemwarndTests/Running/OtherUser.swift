import CLinux
import TestSupport

/// Another user, as which a test that runs as root can start programs.
enum OtherUser {
    /// `daemon` or `bin`, depending on the distribution: D-Bus accepts no user without a name, and `nobody` owns no hosts.
    static let id: UInt32 = 1

    /// The words to put before a command to run it as that user.
    static let wrapper = ["/usr/bin/setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups"]

    /// The reason why nothing can be started as another user here, or `nil`.
    static let missing: String? = {
        guard geteuid() == 0 else { return "it takes root to start something as another user" }
        guard access(wrapper[0], X_OK) == 0 else { return "\(wrapper[0]) is not installed" }
        do {
            let arguments = Array(wrapper.dropFirst()) + [try ChildProcess.path(of: "memwarnd"), "--version"]
            let code = try ChildProcess(wrapper[0], arguments).end().code
            return code == 0 ? nil : "other users may not run the programs of this build"
        } catch {
            return "\(error)"
        }
    }()

    /// Starts a program of this build as that user.
    static func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        let path = try ChildProcess.path(of: program)
        return try ChildProcess(wrapper[0], Array(wrapper.dropFirst()) + [path] + arguments)
    }
}
