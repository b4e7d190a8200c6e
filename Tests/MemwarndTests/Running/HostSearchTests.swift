import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// The kernel may take a long time to report a process's cgroup.
@Suite(.enabled(if: FakeCgroups.missing == nil, "\(FakeCgroups.missing ?? "")"))
struct HostSearchTests {
    private let cgroups: FakeCgroups
    private let daemon: DaemonProcess
    private let newcomer: RawPeer
    private let other: RawPeer

    init() throws {
        cgroups = try FakeCgroups(["/", "/a"])
        try cgroups.move(getpid(), to: "/a")
        daemon = try DaemonProcess(options: ["--kernel-root", cgroups.kernel.path("")])
        (newcomer, other) = (try RawPeer(daemon), try RawPeer(daemon))
        // Both are admitted, for which the daemon reads their cgroups too.
        #expect(try newcomer.hosts() == [] && other.hosts() == [])
        let file = cgroups.kernel.path("/proc/\(getpid())/cgroup")
        // The daemon opens this for reading, and blocks until the test opens it for writing.
        try #require(unlink(file) == 0 && mkfifo(file, 0o644) == 0)
    }

    /// Waits until the daemon blocks, and lets it continue while `body` runs.
    ///
    /// The daemon then gets an error, because a FIFO cannot be read from a position.
    private func continueDaemon(_ body: () throws -> Void) throws {
        let file = cgroups.kernel.path("/proc/\(getpid())/cgroup")
        let deadline = MonotonicInstant.now.advanced(by: .seconds(20))
        while MonotonicInstant.now < deadline {
            let descriptor = open(file, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            defer { close(descriptor) }
            if descriptor >= 0 { return try body() }
            try #require(errno == ENXIO, "errno \(errno)")
            sched_yield()
        }
        throw Unexpected("the daemon does not look for the newcomer")
    }

    @Test("while a newcomer is located, the daemon serves the others; it reads the newcomer's frames afterwards")
    func searching() throws {
        try newcomer.send(.hello(Hello(name: "newcomer")), sequence: 7)
        try newcomer.waitUntilRead()
        try newcomer.send(.query(Query(section: .hosts)), sequence: 8)
        #expect(try other.hosts() == [])
        try continueDaemon {
            let welcome = try newcomer.next()
            #expect(welcome.sequence == 7)
            guard case .welcome(let content) = welcome.message else { throw Unexpected("\(welcome)") }
            #expect(content.scope == "/")
            let record = try newcomer.next()
            #expect(record.sequence == 8)
            guard case .host(let host) = record.message else { throw Unexpected("\(record)") }
            #expect(host.name == "newcomer" && host.id == content.hostID)
        }
    }

    @Test("a newcomer that leaves before it is found does not become a host, and no other host gets its number")
    func leaving() throws {
        do {
            let leaving = try RawPeer(daemon)
            try leaving.send(.hello(Hello(name: "leaving")))
            try leaving.waitUntilRead()
        }
        try other.send(.hello(Hello(name: "other")), sequence: 3)
        try other.waitUntilRead()
        #expect(try newcomer.hosts() == [])
        try continueDaemon {
            guard case .welcome(let welcome) = try other.next().message else { throw Unexpected("no welcome") }
            #expect(welcome.hostID == 2)
            #expect(try newcomer.hosts().map(\.name) == ["other"])
        }
    }
}
