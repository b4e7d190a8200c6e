import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// The kernel may take long to say which cgroup a process is in.
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
        // Both are admitted, which takes a look at their cgroups, too.
        #expect(try newcomer.hosts() == [] && other.hosts() == [])
        let file = cgroups.kernel.path("/proc/\(getpid())/cgroup")
        // To be opened for reading by the daemon, which waits until it is opened for writing.
        try #require(unlink(file) == 0 && mkfifo(file, 0o644) == 0)
    }

    /// Waits until the daemon waits, and lets it go on while `body` runs: with errors, since what it opens is no file that can be
    /// read from its start.
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

    @Test("while a newcomer is searched for others are served, and its frames are read after its welcome")
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

    @Test("a newcomer that leaves before it is found is not a host, and no other host gets its number")
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
