internal import BenchSupport
internal import Glibc

/// The paths of the programs, and a directory for the sockets, which is removed at the end with its contents.
final class Workbench {
    let directory: String
    private let daemonPrograms: String
    private let ownPrograms: String
    private var files: [String] = []

    /// `daemonPrograms` is the directory in which memwarnd and thrash were built.
    init(daemonPrograms: String) throws {
        self.daemonPrograms = daemonPrograms
        var template = Array("/tmp/memwarnd-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure("make a directory in", "/tmp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { throw Failure("find", "the benchmarks' own programs") }
        let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        ownPrograms = String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)])
    }

    deinit {
        for file in files { unlink(file) }
        rmdir(directory)
    }

    /// The path of a file in the directory.
    func file(_ name: String) -> String {
        let path = directory + "/" + name
        if !files.contains(path) { files.append(path) }
        return path
    }

    /// The daemons' log.
    var log: String { (try? readText(file("log"))) ?? "" }

    /// A configuration under which the machine is never short of memory, so that other processes do not affect the measurement.
    static let neverPressed = """
        [levels]
        warning = 100
        critical = 100
        critical-full = 100
        headroom = 0.02
        headroom-critical = 0.01
        """

    /// Starts the daemon with the socket `name`; `configuration` is TOML.
    func memwarnd(_ name: String, configuration: String = "") throws -> Program {
        let config = file(name + ".toml")
        try writeText(configuration, to: config, creating: true)
        return try Program(
            daemonPrograms + "/memwarnd",
            ["run", "--socket", file(name), "--config", config],
            log: file("log")
        )
    }

    /// Starts the C baseline with the socket `name`.
    func plain(_ name: String, pressure: String? = nil, reading cgroup: String? = nil) throws -> Program {
        try Program(ownPrograms + "/plain", [file(name)] + [pressure, cgroup].compactMap(\.self))
    }

    /// When the receivers answer.
    enum Answers: String {
        /// Each host answers right after its warning.
        case atOnce = "at-once"
        /// All hosts answer once the last one has its warning.
        case held
        /// The thread that receives wakes the main thread; only for a warning of the kernel, which is not answered.
        case woken
    }

    /// Starts `hosts` hosts of the server with the socket `name`; they are registered when this returns.
    func crowd(_ name: String, hosts: Int, answers: Answers, cgroup: String? = nil) throws -> Program {
        let arguments = [file(name), "\(hosts)", answers.rawValue] + (cgroup.map { [$0] } ?? [])
        let crowd = try Program(ownPrograms + "/crowd", arguments)
        guard try crowd.line() == "ready" else { throw Failure(sentence: "the crowd is not ready") }
        return crowd
    }

    /// Starts a Swift service of the server with the socket `name`; it is registered when this returns.
    func host(_ name: String, cgroup: String) throws -> Program {
        let host = try Program(ownPrograms + "/host", [file(name), cgroup])
        guard try host.line() == "ready" else { throw Failure(sentence: "the host is not ready") }
        return host
    }

    /// Starts a service with 800 MB in a cache, in objects of `size` bytes.
    ///
    /// With a socket, the daemon there warns it.
    func cacheHost(_ size: Int, socket name: String? = nil) throws -> Program {
        try Program(ownPrograms + "/cachehost", ["\(size)"] + (name.map { [file($0)] } ?? []))
    }

    /// Starts a service with 200 MB in a cache that warns itself, with or without another allocator preloaded.
    func allocatorProbe(_ library: String?, _ size: Int, _ filler: String) throws -> Program {
        // Through env(1), so that the benchmarks keep their own allocator.
        let preload = library.map { ["LD_PRELOAD=\($0)"] } ?? []
        return try Program("/usr/bin/env", preload + [daemonPrograms + "/allocator-probe", "\(size)", filler])
    }

    /// Makes the daemon with the socket `name` warn its hosts.
    func simulate(_ name: String) throws -> Program {
        try Program(daemonPrograms + "/memwarnd", ["simulate", "--socket", file(name), "--level", "warning"])
    }

    /// Whether the daemon has been built.
    var hasDaemon: Bool { access(daemonPrograms + "/memwarnd", X_OK) == 0 }

    /// Ends programs, and waits for their end, so that the sockets' names can be used again.
    func end(_ programs: [Program], sockets: [String]) {
        for program in programs { program.end() }
        for socket in sockets { unlink(file(socket)) }
    }

    /// Starts children that stall on memory in these cgroups for that number of seconds; they stall when this returns.
    func thrash(children: Int, seconds: Int, cgroups: [String]) throws -> Program {
        // On a disk, since a file in memory cannot be evicted. It is unlinked as soon as it is open.
        let file = "/var/tmp/memwarnd-bench-\(getpid())"
        let thrash = try Program(daemonPrograms + "/thrash", [file, "96", "\(children)", "\(seconds)"] + cgroups)
        guard try thrash.line() == "thrashing" else { throw Failure(sentence: "nothing thrashes") }
        return thrash
    }
}

/// Reads a small file.
func readText(_ path: String) throws -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure("read", path) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
        let count = read(file, &chunk, chunk.count)
        guard count >= 0 else { throw Failure("read", path) }
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += chunk[..<count]
    }
}

/// Writes a small file, for example of the kernel.
func writeText(_ text: String, to path: String, creating: Bool = false) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC | (creating ? O_CREAT | O_TRUNC : 0), 0o600)
    guard file >= 0 else { throw Failure("write", path) }
    defer { close(file) }
    let written = text.withCString { write(file, $0, strlen($0)) }
    guard written == text.utf8.count else { throw Failure("write", path) }
}
