import CLinux
import MemwarnProgram
import Systemd

/// A program that a simulation runs, in a separate process group, with this process's standard streams.
final class SpawnedCommand {
    /// How long it may take to end after the request.
    static let patience = Duration.seconds(5)

    let pid: pid_t
    /// How it ended; `nil` while it runs.
    private(set) var end: ProcessEnd?
    /// Whether this process has requested or forced its end.
    private(set) var isEnding = false
    /// Called from the loop when it has ended.
    var ended: (ProcessEnd) -> Void = { _ in }

    private var source: ProcessSource?
    private var timer: TimerSource?

    /// Starts it.
    ///
    /// The first argument is searched for in `$PATH`. The environment is that of this process with these variables
    /// changed, and variables without a value removed.
    ///
    /// - Throws: ``Failure`` with the exit codes of shells: 127 if the program does not exist, 126 if it cannot be
    ///   started. ``SystemdError`` if this process cannot wait for it; then it has been ended.
    init(_ arguments: [String], environment: [String: String?] = [:], on loop: EventLoop) throws {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The loop has blocked signals, and this process may ignore SIGPIPE: both would be inherited.
        var none = sigset_t()
        sigemptyset(&none)
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &pipe)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var pid: pid_t = 0
        let argv = arguments.map { strdup($0) } + [nil]
        let envp = Self.variables(environment).map { strdup($0) } + [nil]
        defer { for copy in argv + envp { free(copy) } }
        let result = posix_spawnp(&pid, arguments[0], nil, &attributes, argv, envp)
        guard result == 0 else {
            let sentence = "cannot start \(arguments[0]): \(String(cString: strerror(result)))"
            throw Failure(message: sentence, code: .unstarted(errno: result))
        }
        self.pid = pid
        do {
            source = try loop.process(pid) { [unowned self] in note($0) }
            timer = try loop.timer(accuracy: .milliseconds(100)) { [unowned self] in
                signal(SIGKILL)
                // Afterwards: nothing may read what is said.
                Failure.say("process \(pid) did not end within 5 s of SIGTERM, and is killed")
            }
        } catch {
            kill(-pid, SIGKILL)
            throw error
        }
    }

    /// Whether it has ended, even if the loop has not processed that yet.
    var hasEnded: Bool {
        var info = siginfo_t()
        return end != nil || waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0
    }

    /// Requests its end, and forces it after ``patience``.
    func stop() {
        signal(SIGTERM)
        timer?.arm(after: Self.patience)
    }

    /// Signals its process group, unless it has ended: the group's number is not reused before the process was waited
    /// for.
    func signal(_ number: CInt) {
        guard end == nil else { return }
        isEnding = true
        kill(-pid, number)
    }

    /// The exit code of a program that failed by itself, as in shells; `nil` if it runs, was ended or did not fail.
    var failureCode: ExitStatus? {
        guard !isEnding else { return nil }
        return switch end {
        case .exited(let code): code == 0 ? nil : ExitStatus(rawValue: code)
        case .signaled(let number): .signal(number)
        case .unknown, nil: nil
        }
    }

    private func note(_ end: ProcessEnd) {
        self.end = end
        timer?.disarm()
        ended(end)
    }

    private static func variables(_ changes: [String: String?]) -> [String] {
        var variables: [String] = []
        var cursor = environ
        while let entry = cursor.pointee {
            let text = String(cString: entry)
            if changes.index(forKey: String(text.prefix { $0 != "=" })) == nil { variables.append(text) }
            cursor += 1
        }
        return variables + changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
    }
}

extension ProcessEnd {
    /// The end of a program in words: `ended with exit code 1`.
    var sentence: String {
        switch self {
        case .exited(let code): "ended with exit code \(code)"
        case .signaled(let number): "was ended by signal \(number)"
        case .unknown: "ended"
        }
    }
}
