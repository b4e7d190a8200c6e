import CLinux

/// A program that runs beside the test and is killed when the test releases it.
final class Program {
    private let process: pid_t
    /// The program's output; a socket instead of a pipe, because a socket can limit the time of a wait.
    private let output: Descriptor
    private var printed: [UInt8] = []

    /// Starts a program from `$PATH` with the test's environment and these variables.
    init(_ arguments: String..., environment: [String] = []) throws {
        var ends: [CInt] = [-1, -1]
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        _ = try CallError.check("socketpair", socketpair(AF_UNIX, type, 0, &ends))
        output = try Descriptor("socketpair", ends[0])
        let input = try Descriptor("socketpair", ends[1])
        try output.limitWaiting()

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.number, STDOUT_FILENO)

        var inherited: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let variable = next.pointee {
            inherited.append(variable)
            next += 1
        }
        let copies = (arguments + environment).map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let argv = copies.prefix(arguments.count) + [nil]
        let envp = copies.suffix(environment.count) + inherited + [nil]
        var pid: pid_t = 0
        let error = posix_spawnp(&pid, arguments[0], &actions, nil, Array(argv), Array(envp))
        guard error == 0 else { throw CallError(call: "posix_spawnp", errno: error) }
        process = pid
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    /// The next line that the program prints, without its line break.
    func line() throws -> String {
        while true {
            if let end = printed.firstIndex(of: UInt8(ascii: "\n")) {
                defer { printed.removeSubrange(...end) }
                return String(decoding: printed[..<end], as: UTF8.self)
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = try CallError.check("recv", recv(output.number, &bytes, bytes.count, 0))
            guard count > 0 else { throw CallError(call: "recv: the program ended", errno: 0) }
            printed += bytes.prefix(count)
        }
    }

    /// Whether a program can be started and prints a line.
    static func runs(_ name: String, _ argument: String) -> Bool {
        (try? Program(name, argument).line()) != nil
    }
}
