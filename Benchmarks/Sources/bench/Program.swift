internal import BenchSupport
internal import CBench
internal import Glibc

/// A program that the benchmarks start.
///
/// It is killed, by its pid, when the object is released.
final class Program {
    let pid: pid_t
    private let name: String
    private let input: CInt
    private let output: CInt
    private var unread: [UInt8] = []
    private var hasEnded = false

    /// Starts a program.
    ///
    /// Its error messages go to this process's standard error, or to `log`.
    init(_ path: String, _ arguments: [String], log: String? = nil) throws {
        name = path
        var inputEnds: [CInt] = [0, 0]
        var outputEnds: [CInt] = [0, 0]
        guard pipe(&inputEnds) == 0, pipe(&outputEnds) == 0 else { throw Failure("make a pipe for", path) }
        for end in inputEnds + outputEnds { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer {
            close(inputEnds[0])
            close(outputEnds[1])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, inputEnds[0], 0)
        posix_spawn_file_actions_adddup2(&actions, outputEnds[1], 1)
        if let log { posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600) }
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for argument in argv { free(argument) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, path, &actions, nil, &argv, environ)
        guard failure == 0 else { throw Failure("start", path, errno: failure) }
        self.pid = pid
        input = inputEnds[1]
        output = outputEnds[0]
    }

    deinit {
        end()
        close(input)
        close(output)
    }

    /// Kills the program, and waits for its end.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        kill(pid, SIGKILL)
        while waitpid(pid, nil, 0) < 0 && errno == EINTR {}
    }

    /// The descriptor to poll for the next line.
    var outputDescriptor: CInt { output }

    /// Writes a line to the program's standard input.
    func write(_ line: String) {
        let text = line + "\n"
        _ = text.withCString { Glibc.write(input, $0, strlen($0)) }
    }

    /// Reads the next line of the program's standard output.
    func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: unread[..<end], as: UTF8.self)
                unread.removeSubrange(...end)
                return line
            }
            try wait(for: [(output, CInt(POLLIN))], milliseconds: 60_000)
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { throw Failure(sentence: "\(name) ended") }
            unread += chunk[..<count]
        }
    }

    /// Reads the numbers on the next line.
    func numbers() throws -> [UInt64] {
        try line().split(separator: " ").compactMap { UInt64($0) }
    }
}

/// Waits until one of the descriptors is ready, and returns the events of each.
///
/// An interrupt ends the benchmarks here.
@discardableResult
func wait(for descriptors: [(CInt, CInt)], milliseconds: CInt) throws -> [CInt] {
    var requests = descriptors.map { pollfd(fd: $0.0, events: Int16($0.1), revents: 0) }
    let ready = poll(&requests, nfds_t(requests.count), milliseconds)
    if bench_was_interrupted() { throw Failure(sentence: "interrupted") }
    if ready == 0, !descriptors.isEmpty { throw Failure(sentence: "nothing came within \(milliseconds / 1000) s") }
    return requests.map { CInt($0.revents) }
}

/// Waits for that time.
func pause(milliseconds: CInt) throws {
    try wait(for: [], milliseconds: milliseconds)
}
