import CLinux
import TestSupport
import Testing

@testable import ResourceArchives

struct StateFolderTests {
    @Test(
        "the folder of a file is the part of its path before the last slash",
        arguments: [
            ("/var/lib/a/state.json", "/var/lib/a"), ("/state.json", "/"), ("state.json", "."), ("./state.json", "."),
            ("a/state.json", "a"), ("a/\u{301}b/\u{301}state.json", "a/\u{301}b"), ("/\u{301}", "/"),
        ]
    )
    func folder(file: String, folder: String) {
        #expect(StateFolder.folderPath(of: file) == folder)
    }

    private static let python = "/usr/bin/python3"

    /// Runs a command in which all calls of one function fail with an errno.
    private static let refuser = """
        import ctypes, os, platform, struct, sys
        calls = {"x86_64": {"fsync": 74, "flock": 73}, "aarch64": {"fsync": 82, "flock": 32}}
        number, error = calls[platform.machine()][sys.argv[1]], int(sys.argv[2])
        # Load the number of the call; the errno if it is this one, else go on.
        steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x50000 + error), (0x06, 0, 0, 0x7FFF0000)]
        code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
        program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code)))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
            sys.exit("no filter: " + os.strerror(ctypes.get_errno()))
        os.execv(sys.argv[3], sys.argv[3:])
        """

    private static func start(refusing call: String, _ error: CInt, _ command: [String]) throws -> ChildProcess {
        try ChildProcess(python, ["-c", refuser, call, "\(error)"] + command)
    }

    /// The reason why calls cannot be made to fail on this machine; `nil` if they can.
    private static let missing: String? = {
        guard access(python, X_OK) == 0 else { return "\(python) is not installed" }
        let code = try? start(refusing: "fsync", EIO, ["/bin/true"]).end().code
        return code == 0 ? nil : "this process may have no filter for its calls"
    }()

    @Test(
        "a state that is not yet stored on the disk does not replace the previous one (5.40)",
        .enabled(if: missing == nil, "\(missing ?? "")")
    )
    func brokenDisk() throws {
        let directory = try TemporaryDirectory()
        try directory.write("old", to: "state.json")
        let path = directory.path + "/state.json"
        let writer = try ChildProcess.path(of: "state-writer")
        let (code, output) = try Self.start(refusing: "fsync", EIO, [writer, path, "1"]).end()
        #expect(code != 0 && !output.contains("saved"))
        #expect(output.contains("sync"), "\(output)")
        #expect(try String(decoding: FileBytes.read(path), as: UTF8.self) == "old")
    }

    @Test(
        "on a file system without locks, a state is written without a lock",
        .enabled(if: missing == nil, "\(missing ?? "")")
    )
    func noLocks() throws {
        let directory = try TemporaryDirectory()
        let writer = try ChildProcess.path(of: "state-writer")
        let process = try Self.start(refusing: "flock", ENOLCK, [writer, directory.path + "/state.json", "1"])
        #expect(process.line(startingWith: "saved") == "saved 1")
    }
}
