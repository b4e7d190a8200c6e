import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

struct StartUpTests {
    /// Runs a daemon that is expected to fail at the start.
    static func run(_ arguments: String...) throws -> (code: CInt, output: String) {
        try ChildProcess("memwarnd", ["run"] + arguments).end()
    }

    @Test func aSocketThatAnotherDaemonListensOnIsLeftAlone() throws {
        let daemon = try DaemonProcess()
        let (code, output) = try Self.run("--socket", daemon.socket)
        #expect(code == 69)
        let reason = "cannot listen on \(daemon.socket): Address already in use (errno 98)"
        #expect(output == "memwarnd: another daemon listens there already: \(reason)")
        _ = try RawPeer(daemon, host: "still here")
    }

    @Test func aStaleSocketIsTakenOver() throws {
        let killed = try DaemonProcess()
        killed.process.send(SIGKILL)
        #expect(killed.process.wait() == -SIGKILL)
        #expect(access(killed.socket, F_OK) == 0)
        let next = try ChildProcess("memwarnd", ["run", "--socket", killed.socket])
        try #require(next.line { $0.contains("listens on") } != nil)
        try RawPeer(path: killed.socket).register("first")
    }

    @Test func aFileInThePlaceOfTheSocketIsNotRemoved() throws {
        let directory = try TemporaryDirectory()
        try directory.write("precious", to: "file")
        let path = directory.path + "/file"
        let (code, output) = try Self.run("--socket", path)
        #expect(code == 73)
        let reason = "cannot listen on \(path): File exists (errno 17)"
        #expect(output == "memwarnd: \(reason); choose another place with --socket")
        #expect(try KernelFile.text(of: path) == "precious")
    }

    @Test func createsTheDirectoryOfItsSocket() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/memwarnd/memwarnd.sock"
        let daemon = try ChildProcess("memwarnd", ["run", "--socket", path])
        try #require(daemon.line { $0.contains("listens on") } != nil)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o666)
    }

    @Test(
        "a folder of the socket that may not be written, or not be made, is 77 with the reason",
        .enabled(if: OtherUser.missing == nil, "\(OtherUser.missing ?? "")"),
        arguments: ["memwarnd.sock", "own/memwarnd.sock"]
    )
    func forbiddenFolder(name: String) throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        let path = directory.path + "/" + name
        let (code, output) = try OtherUser.start("memwarnd", ["run", "--socket", path]).end()
        #expect(code == 77)
        let reason = "cannot listen on \(path): Permission denied (errno 13)"
        #expect(output == "memwarnd: \(reason); choose another place with --socket")
    }

    @Test("a folder of the socket that does not exist is 73", arguments: ["a/b", "link"])
    func missingFolder(name: String) throws {
        let directory = try TemporaryDirectory()
        try #require(symlink(directory.path + "/gone", directory.path + "/link") == 0)
        let path = directory.path + "/" + name + "/memwarnd.sock"
        let (code, output) = try Self.run("--socket", path)
        #expect(code == 73)
        let missing = "cannot listen on \(path): No such file or directory (errno 2)"
        #expect(output == "memwarnd: \(missing); choose another place with --socket")
    }

    @Test func aPathThatIsTooLongIsRefused() throws {
        let path = "/tmp/" + String(repeating: "x", count: 103)
        let (code, output) = try Self.run("--socket", path)
        #expect(code == 73)
        let reason = "cannot use the socket path \(path): File name too long (errno 36)"
        #expect(output == "memwarnd: \(reason); choose another place with --socket")
    }

    @Test("without PSI there is nothing to watch; the daemon leaves no socket behind")
    func withoutPressure() throws {
        let kernel = try FakeKernel(["/proc/meminfo": ""])
        let directory = try TemporaryDirectory()
        let path = directory.path + "/memwarnd.sock"
        let (code, output) = try Self.run("--socket", path, "--kernel-root", kernel.path(""))
        #expect(code == 1)
        let reason = "cannot open \(kernel.path("/proc/pressure/memory")): No such file or directory (errno 2)"
        #expect(output == "memwarnd: nothing can be watched here, is PSI switched off (boot with psi=1)? \(reason)")
        #expect(access(path, F_OK) != 0)
    }

    @Test func aMalformedPressureFileCannotBeWatched() throws {
        let kernel = try FakeKernel(["/proc/pressure/memory": "full of nonsense\n"])
        let directory = try TemporaryDirectory()
        let (code, output) = try Self.run(
            "--socket",
            directory.path + "/memwarnd.sock",
            "--kernel-root",
            kernel.path("")
        )
        #expect(code == 1)
        let reason = "cannot understand \(kernel.path("/proc/pressure/memory")): Bad message (errno 74)"
        #expect(output.hasSuffix(reason))
    }

    @Test func theSocketOfTheConfigurationIsUsed() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/configured.sock"
        try directory.write("socket = \"\(path)\"\n", to: "memwarnd.toml")
        let daemon = try ChildProcess("memwarnd", ["run", "--config", directory.path + "/memwarnd.toml"])
        #expect(daemon.line { $0.hasSuffix("listens on \(path)") } != nil)
    }
}
