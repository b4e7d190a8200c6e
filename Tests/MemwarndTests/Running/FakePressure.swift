import Foundation
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnd

/// A daemon on a thread of this process that reads fake pressure every 20 ms.
///
/// The daemon may not write its PSI files, so it polls them instead of arming triggers. For this the process gives up root for
/// good: use it in an exit test.
final class FakePressure {
    private let kernel: FakeKernel
    private let directory: TemporaryDirectory
    private var files: [String: (descriptor: CInt, some: UInt64)] = [:]
    private let meminfo: CInt
    /// The daemon's socket.
    let socket: String
    /// The socket for programs that follow `$MEMORY_PRESSURE_WATCH`.
    let pressureSocket: String

    /// Creates cgroups with these paths, in addition to the host.
    init(cgroups: [String]) throws {
        kernel = try FakeKernel([
            "/proc/self/mountinfo": "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "/proc/meminfo": Self.meminfo(available: 900_000),
            "/sys/fs/cgroup/cgroup.procs": "",
            "/proc/\(getpid())/cgroup": "0::/\n",
        ])
        directory = try TemporaryDirectory()
        socket = directory.path + "/memwarnd.sock"
        pressureSocket = directory.path + "/pressure.sock"
        meminfo = open(kernel.path("/proc/meminfo"), O_RDWR | O_CLOEXEC)
        try #require(meminfo >= 0, "open: errno \(errno)")
        for path in ["/"] + cgroups {
            let file = path == "/" ? "/proc/pressure/memory" : "/sys/fs/cgroup\(path)/memory.pressure"
            try kernel.set(file, Self.text(some: 0))
            if path != "/" { try kernel.set("/sys/fs/cgroup\(path)/cgroup.events", "populated 1\n") }
            let descriptor = open(kernel.path(file), O_RDWR | O_CLOEXEC)
            try #require(descriptor >= 0, "open: errno \(errno)")
            files[path] = (descriptor, 0)
            try #require(chmod(kernel.path(file), 0o444) == 0)
        }
        let groups = ([""] + cgroups).map { kernel.path("/sys/fs/cgroup" + $0) }
        for path in [kernel.path(""), directory.path] + groups { chmod(path, 0o777) }
        chmod(kernel.path("/proc/\(getpid())/cgroup"), 0o666)
        if geteuid() == 0 { try #require(seteuid(OtherUser.id) == 0) }
    }

    /// Moves this process to a cgroup.
    func move(to path: String) throws {
        try kernel.set("/proc/\(getpid())/cgroup", "0::\(path)\n")
    }

    /// Adds ten seconds of `some` stall: a single reading shows a stall for the whole window.
    func stall(_ path: String) throws {
        try waitUntilWatched(path)
        let (descriptor, some) = try #require(files[path])
        files[path] = (descriptor, some + 10_000_000)
        // Written in place and with the same length: a reader sees either the old text or the new one.
        let text = Self.text(some: some + 10_000_000)
        try #require(pwrite(descriptor, text, text.utf8.count, 0) == text.utf8.count)
    }

    /// Stalls that were counted before the daemon watches a scope have no effect.
    private func waitUntilWatched(_ path: String) throws {
        func isWatched(_ message: Message) -> Bool {
            if case .scope(let record) = message { record.path == path && record.rung != .none } else { false }
        }
        let observer = try RawPeer(path: socket)
        try observer.send(.subscribe, sequence: 1)
        _ = try observer.next()
        guard try !observer.page(.scopes).records.contains(where: isWatched) else { return }
        while try !isWatched(observer.next().message) {}
    }

    /// Leaves the host this many thousandths of its memory.
    func leave(thousandths: Int) throws {
        // Written in place, as in `stall`.
        let text = Self.meminfo(available: thousandths * 1_000)
        try #require(pwrite(meminfo, text, text.utf8.count, 0) == text.utf8.count)
    }

    private static func meminfo(available: Int) -> String {
        "MemTotal: 1000000 kB\nMemAvailable: \(String(available + 10_000_000).dropFirst()) kB\n"
    }

    /// Removes a cgroup.
    func remove(_ path: String) throws {
        let (descriptor, _) = try #require(files[path])
        for file in ["memory.pressure", "cgroup.events"] {
            try #require(unlink(kernel.path("/sys/fs/cgroup\(path)/\(file)")) == 0, "errno \(errno)")
        }
        kernel.removeDirectory("/sys/fs/cgroup\(path)")
        // As in the kernel, an open file of a removed cgroup can no longer be read.
        try #require(ftruncate(descriptor, 0) == 0)
    }

    /// Starts the daemon; with `bus` it also emits its warnings there.
    func start(bus: Bus.Kind? = nil, repeating interval: Duration = .seconds(15)) {
        let root = kernel.path("")
        let path = socket
        let started = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do {
                var configuration = Settings()
                configuration.stalls.window = .milliseconds(20)
                configuration.levels.dwell = .milliseconds(1)
                configuration.levels.repeatInterval = interval
                configuration.criticalDeadline = .seconds(60)
                let daemon = try Daemon(
                    configuration: configuration,
                    kernel: KernelTree(root: root),
                    sockets: ListeningSockets(path: path),
                    bus: bus,
                    journal: Journal(prefix: "memwarnd: ", minimum: .error)
                )
                started.signal()
                _ = try daemon.run()
            } catch {
                fatalError("the daemon ended: \(error)")
            }
        }
        started.wait()
    }

    private static func text(some: UInt64) -> String {
        let total = String(String(some + 1_000_000_000_000).dropFirst())
        return """
            some avg10=0.00 avg60=0.00 avg300=0.00 total=\(total)
            full avg10=0.00 avg60=0.00 avg300=0.00 total=000000000000

            """
    }
}
