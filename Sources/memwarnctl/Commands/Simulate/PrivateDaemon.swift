import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// A daemon inside this process, in a directory of its own, which hears of no real pressure.
///
/// Its kernel is an empty directory: nothing can be watched there, so no real warning comes between the simulated ones,
/// whatever the machine that runs the test is doing.
final class PrivateDaemon {
    let daemon: Daemon
    /// Where it listens.
    let path: String
    /// What a program needs in its environment to find it.
    let environment: [String: String]
    private let directory: String

    init() throws {
        // The program that is tested is not the service that this one may be a part of.
        unsetenv("NOTIFY_SOCKET")
        directory = try Self.makeDirectory()
        path = directory + "/memwarnd.sock"
        do {
            var configuration = Settings()
            let pressure = directory + "/pressure.sock"
            configuration.socket = path
            configuration.pressureSocket = .path(pressure)
            configuration.offersLowMemoryMonitor = false
            configuration.locksMemory = false
            let limit = ResourceLimit.descriptors.value
            daemon = try Daemon(
                configuration: configuration,
                kernel: KernelTree(root: directory),
                sockets: ListeningSockets(path: path, pressure: configuration.pressureSocket),
                journal: Journal(prefix: "memwarnd: ", minimum: .warning),
                isService: false
            )
            // The daemon raises it for its peers, and the program is to have what it would have without us.
            ResourceLimit.descriptors.value = limit
            environment = [
                SocketLocation.variable: path,
                "MEMORY_PRESSURE_WATCH": pressure,
                // What systemd tells services to send first: some 200000 2000000, and a zero.
                "MEMORY_PRESSURE_WRITE": "c29tZSAyMDAwMDAgMjAwMDAwMAA=",
            ]
        } catch {
            rmdir(directory)
            throw error
        }
    }

    deinit {
        for name in ["memwarnd.sock", "pressure.sock"] { unlink(directory + "/" + name) }
        rmdir(directory)
    }

    private static func makeDirectory() throws(KernelError) -> String {
        // Short: the path of a socket has 107 bytes at most.
        var template = Array("/tmp/memwarnd-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { bytes in
            bytes.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let path else { throw KernelError("make a directory like", "/tmp/memwarnd-XXXXXX", errno: errno) }
        // A service that gives its rights up still has to get to the socket.
        chmod(path, 0o711)
        return path
    }
}
