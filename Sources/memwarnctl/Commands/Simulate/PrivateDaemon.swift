import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Systemd

/// A daemon that this process starts in a private directory, and that sees no real pressure.
///
/// Its kernel is a directory without a kernel's files: nothing can be watched there, so no real warning interferes with
/// the simulated ones, whatever the machine is doing.
final class PrivateDaemon {
    let process: SpawnedCommand
    /// The environment variables with which a program finds it.
    let environment: [String: String?]
    private let path: String
    private let directory: String

    private static let files = ["memwarnd.sock", "pressure.sock", "memwarnd.toml"]
    /// The maximum time until it listens, and then until it answers.
    private static let patience = Duration.seconds(20)

    /// Starts it.
    init(on loop: EventLoop) throws {
        let program = try ProgramFile.memwarnd.path()
        directory = try Self.makeDirectory()
        path = directory + "/memwarnd.sock"
        environment = [
            // The tested program is not part of the service that may contain this process.
            "NOTIFY_SOCKET": nil,
            SocketLocation.variable: path,
            "MEMORY_PRESSURE_WATCH": directory + "/pressure.sock",
            // The value that systemd tells services to send first: some 200000 2000000, and a zero.
            "MEMORY_PRESSURE_WRITE": "c29tZSAyMDAwMDAgMjAwMDAwMAA=",
        ]
        do {
            let configuration = directory + "/memwarnd.toml"
            try Self.write("doors.low-memory-monitor = false\nprocess.lock-memory = false\n", to: configuration)
            process = try SpawnedCommand(
                [
                    program, "run", "--owner", "\(getpid())", "--socket", path, "--config", configuration,
                    "--kernel-root", directory,
                ],
                environment: environment,
                on: loop
            )
        } catch {
            Self.remove(directory)
            throw error
        }
    }

    deinit {
        process.signal(SIGKILL)
        Self.remove(directory)
    }

    /// Connects to it, waiting until it listens.
    ///
    /// - Throws: ``Failure`` if it ends before that; it has printed the reason itself.
    func connect() throws(Failure) -> ControlClient {
        let end = MonotonicInstant.now.advanced(by: Self.patience)
        while true {
            do throws(KernelError) {
                return ControlClient(try FrameSocket(connectingTo: path))
            } catch {
                guard !process.hasEnded, MonotonicInstant.now < end else {
                    throw .software("the daemon of this simulation does not answer: \(error)")
                }
            }
            // It starts within some 20 ms, and no event shows when it listens.
            _ = poll(nil, 0, 2)
        }
    }

    private static func makeDirectory() throws(KernelError) -> String {
        // The path is short because the path of a socket has at most 107 bytes.
        var template = Array("/tmp/memwarnd-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { bytes in
            bytes.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let path else { throw KernelError("make a directory like", "/tmp/memwarnd-XXXXXX", errno: errno) }
        // A service that drops its rights still has to reach the socket.
        chmod(path, 0o711)
        return path
    }

    private static func write(_ text: String, to path: String) throws(KernelError) {
        let raw = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard raw >= 0 else { throw KernelError("make", path, errno: errno) }
        let file = Descriptor(taking: raw)
        let bytes = Array(text.utf8)
        guard CLinux.write(file.raw, bytes, bytes.count) == bytes.count else {
            throw KernelError("write", path, errno: errno)
        }
    }

    private static func remove(_ directory: String) {
        for name in files { unlink(directory + "/" + name) }
        rmdir(directory)
    }
}
