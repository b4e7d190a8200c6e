public import CLinux
internal import Testing

/// A program that a test started; it is killed, by its pid, when the test releases it.
public final class ChildProcess {
    /// Its pid, valid until the test has waited for its end.
    public let pid: pid_t
    private let output: CInt
    private var unread: [UInt8] = []
    private var ended: CInt?

    /// Starts a program of this build, or one with an absolute path; its standard output and error can be read.
    ///
    /// It has this process's environment and these variables, is in the cgroups from its start, and has duplicates of the
    /// descriptors, from 3 on. `terminal` is the path of a device: it then is the program's input, output and error, and its
    /// controlling terminal.
    public init(
        _ program: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        cgroups: [String] = [],
        descriptors: [CInt] = [],
        terminal: String? = nil
    ) throws {
        var path = program.hasPrefix("/") ? program : try Self.path(of: program)
        var arguments = arguments
        if !cgroups.isEmpty {
            // A shell joins the cgroups and then becomes the program, whose memory is thus charged to them from its first page.
            let join =
                "for group in \"$@\"; do [ \"$group\" = -- ] && break; echo $$ >\"$group/cgroup.procs\" || exit 1; "
            arguments = ["-c", join + "shift; done; shift; exec \"$0\" \"$@\"", path] + cgroups + ["--"] + arguments
            path = "/bin/sh"
        }
        var ends: [CInt] = [0, 0]
        // A socket instead of a pipe, since it is close-on-exec from its creation: otherwise a program that another test starts at
        // this moment would keep the writing end open, and the test could not detect the end of this one.
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, terminal ?? "/dev/null", terminal == nil ? O_RDONLY : O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, terminal == nil ? ends[1] : 0, 1)
        posix_spawn_file_actions_adddup2(&actions, terminal == nil ? ends[1] : 0, 2)
        // Other descriptors that the test runner has open, and does not close on exec, must not reach the program.
        let given = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 3 + CInt(descriptors.count)) }
        defer { for duplicate in given { close(duplicate) } }
        for inherited in Self.openDescriptors where inherited > 2 && !given.contains(inherited) {
            posix_spawn_file_actions_addclose(&actions, inherited)
        }
        for (index, duplicate) in given.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, duplicate, 3 + CInt(index))
        }

        // The test runner's threads block signals, and a child process inherits that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // A session leader's first terminal becomes its controlling terminal. 0x80 is POSIX_SPAWN_SETSID, which the C library
        // declares for GNU's dialect only.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | (terminal == nil ? 0 : 0x80))

        var variables: [String] = []
        var cursor = environ
        while let entry = cursor.pointee {
            let text = String(cString: entry)
            if environment[String(text.prefix { $0 != "=" })] == nil { variables.append(text) }
            cursor += 1
        }
        variables += environment.map { "\($0.key)=\($0.value)" }
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var envp = variables.map { strdup($0) } + [nil]
        defer {
            for pointer in argv + envp { free(pointer) }
        }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, path, &actions, &attributes, &argv, &envp)
        close(ends[1])
        try #require(failure == 0, "cannot start \(path): \(String(cString: strerror(failure)))")
        self.pid = pid
        output = ends[0]
    }

    deinit {
        if ended == nil {
            kill(pid, SIGKILL)
            var status: CInt = 0
            waitpid(pid, &status, 0)
        }
        close(output)
    }

    /// Reads lines until one satisfies the condition, and returns it.
    ///
    /// - Returns: `nil` if no line satisfied the condition before the program ended or the time ran out.
    public func line(within seconds: Double = 20, where matches: (String) -> Bool) -> String? {
        let deadline = now() + seconds
        while true {
            while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                if matches(line) { return line }
            }
            let left = deadline - now()
            guard left > 0 else { return nil }
            var request = pollfd(fd: output, events: Int16(POLLIN))
            guard poll(&request, 1, CInt(left * 1000) + 1) > 0 else { continue }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { return nil }
            unread += chunk[..<count]
        }
    }

    /// Reads lines until one begins with `prefix`, and returns it.
    public func line(startingWith prefix: String, within seconds: Double = 20) -> String? {
        line(within: seconds) { $0.hasPrefix(prefix) }
    }

    /// The remaining output of the program, until it ends.
    public func rest(within seconds: Double = 20) -> String {
        var lines: [String] = []
        _ = line(within: seconds) {
            lines.append($0)
            return false
        }
        return lines.joined(separator: "\n")
    }

    /// Sends a signal.
    public func send(_ signal: CInt) {
        if ended == nil { kill(pid, signal) }
    }

    /// Ends it with SIGTERM, and waits until it has ended.
    @discardableResult
    public func stop() -> CInt {
        send(SIGTERM)
        return wait()
    }

    /// Waits for its end: returns the exit code, or the negative number of the signal that ended it.
    public func wait() -> CInt {
        if let ended { return ended }
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7f
        let code = signal == 0 ? (status >> 8) & 0xff : -signal
        ended = code
        return code
    }

    /// The folder with the programs as they are shipped, if tests are to start these; it has no other programs.
    public static let shipped = getenv("MEMWARND_PROGRAMS").map { String(cString: $0) }

    /// The path of a program of this build: beside the test bundle, or for memwarnd's two in ``shipped``.
    public static func path(of program: String) throws -> String {
        if let shipped, ["memwarnd", "memwarnctl"].contains(program) { return "\(shipped)/\(program)" }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        try #require(count > 0)
        let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/"
            + program
    }

    /// Waits for its end; kills it if it does not end within 20 seconds.
    public func end() -> (code: CInt, output: String) {
        let output = rest()
        // Its output has ended, so it has ended as well, or it hangs.
        send(SIGKILL)
        return (wait(), output)
    }

    private static var openDescriptors: [CInt] {
        guard let directory = opendir("/proc/self/fd") else { return [] }
        defer { closedir(directory) }
        var found: [CInt] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let number = CInt(name) { found.append(number) }
        }
        return found
    }

    private func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
