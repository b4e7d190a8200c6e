import CLinux
import Testing

/// A shell as a child process; the test itself waits for its end.
enum Shell {
    /// Starts a shell that runs the script; its standard input is a duplicate of `input`.
    static func start(_ script: String, input: CInt) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        // The test runner's threads block signals, and a child process inherits that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words = ["/bin/sh", "-c", script]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, "/bin/sh", &actions, &attributes, &arguments, environ)
        try #require(failure == 0, "cannot start /bin/sh: errno \(failure)")
        return pid
    }
}
