import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// memwarnd and memwarnctl in their installed places, and each without the other.
struct ProgramFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        for folder in ["bin", "libexec", "libexec/memwarnd"] { mkdir(directory.path + "/" + folder, 0o755) }
    }

    /// A second name for a program of this build: /proc/self/exe is the name by which the program was started.
    private func install(_ program: String, _ place: String) throws -> String {
        let path = "\(directory.path)/\(place)/\(program)"
        let source = try ChildProcess.path(of: program)
        if link(source, path) != 0 {
            try #require(try ChildProcess("/bin/cp", [source, path]).end().code == 0)
        }
        return path
    }

    @Test("as installed, the daemon's program finds the commands, and the commands find the daemon")
    func installed() throws {
        let program = try install("memwarnd", "bin")
        _ = try install("memwarnctl", "libexec/memwarnd")
        #expect(try ChildProcess(program, ["--version"]).end() == (0, "0.1.0"))
        let options = ["simulate", "--standalone", "--level", "normal", "--timeout", "1ms"]
        let run = try ChildProcess(program, options + ["--", "/bin/sleep", "60"]).end()
        #expect(run.code == 4)
        #expect(run.output.hasPrefix("memwarnd: 0 of 1 host registered within 1.00 ms; "))
    }

    @Test("without memwarnctl a command reports both places and exits with 72; the daemon runs without it")
    func withoutCommands() throws {
        let program = try install("memwarnd", "bin")
        let (code, output) = try ChildProcess(program, ["status"]).end()
        #expect(code == 72)
        #expect(output.hasPrefix("memwarnd: a part of memwarnd is missing: there is no program "))
        #expect(output.contains("/bin/../libexec/memwarnd/memwarnctl, nor \(directory.path)/bin/memwarnctl; "))
        let daemon = try ChildProcess(program, ["run", "--socket", directory.path + "/memwarnd.sock"])
        #expect(daemon.line { $0.contains("listens on") } != nil)
    }

    @Test("without memwarnd the commands that need a daemon of their own report it")
    func withoutDaemon() throws {
        let program = try install("memwarnctl", "libexec/memwarnd")
        let (code, output) = try ChildProcess(
            program,
            ["simulate", "--standalone", "--level", "normal", "--", "/bin/true"]
        ).end()
        #expect(code == 72)
        #expect(output.contains("/libexec/memwarnd/../../bin/memwarnd, nor "))
    }

    @Test("arguments are passed on byte for byte")
    func bytes() throws {
        let words = #"simulate\0--host\0\377\0--level\0warning\0--socket\0/nonexistent"#
        let script = "/bin/printf '\(words)' | /usr/bin/xargs -0 \(try ChildProcess.path(of: "memwarnd"))"
        let (code, output) = try ChildProcess("/bin/sh", ["-c", script]).end()
        // xargs exits with 123 if a command exits with a code from 1 to 125.
        #expect(code == 123)
        #expect(output.contains("cannot connect to /nonexistent"))
    }

    @Test("a daemon with an owner ends with that process, which has to be its parent")
    func owner() throws {
        let daemon = "\(try ChildProcess.path(of: "memwarnd")) run --socket \(directory.path)/memwarnd.sock --owner"
        let stranger = try ChildProcess("/bin/sh", ["-c", "\(daemon) 1"]).end()
        #expect(stranger.code == 1)
        #expect(stranger.output == "memwarnd: process 1, for which this daemon was started, has ended")
        let manager = try NotifySocket()
        let script = "\(daemon) $$ & echo started $!; wait"
        let parent = try ChildProcess("/bin/sh", ["-c", script], environment: ["NOTIFY_SOCKET": manager.path])
        let started = try #require(parent.line(startingWith: "started "))
        let pid = try #require(pid_t(started.dropFirst("started ".count)))
        // The daemon prints nothing as long as nothing is wrong, and its socket is a file before it listens there.
        #expect(try manager.next().hasPrefix("READY=1"))
        let socket = directory.path + "/memwarnd.sock"
        // Once the daemon answers, it handles signals.
        _ = try RawPeer(path: socket).page(.daemon)
        #expect(kill(pid, 0) == 0)
        parent.send(SIGKILL)
        // The pipe that both write to closes when the daemon ends. The daemon removes its socket before that.
        #expect(parent.rest().isEmpty)
        #expect(access(socket, F_OK) != 0)
    }
}
