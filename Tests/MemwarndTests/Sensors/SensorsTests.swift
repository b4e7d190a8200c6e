import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnd

struct SensorsTests {
    static func sensors(
        _ kernel: FakeKernel,
        _ configuration: Settings = Settings(),
        loop: EventLoop? = nil
    ) throws -> Sensors {
        Sensors(kernel: kernel.tree, configuration: configuration, loop: try loop ?? EventLoop())
    }

    @Test func withoutPressureFilesNothingCanBeWatched() throws {
        let kernel = try FakeKernel(["/proc/meminfo": ""])
        let host = try Self.sensors(kernel).host
        #expect(host.failure == KernelError("open", kernel.tree.hostPressure, errno: 2))
        #expect(host.sensor == nil)
        #expect(
            host.record(.present, hosts: 0).rungReason
                == "cannot open \(kernel.tree.hostPressure): No such file or directory (errno 2)"
        )
        #expect(host.level == .normal)
        #expect(host.look() == nil)
        let record = host.record(.present, hosts: 0)
        #expect(record.rung == .none)
        #expect(record.window == 0)
    }

    @Test func aPressureFileThatIsNoneCannotBeWatched() throws {
        let kernel = try FakeKernel(["/proc/pressure/memory": "hello\n"])
        #expect(try Self.sensors(kernel).host.failure?.operation == "understand")
    }
}

@Suite(.enabled(if: FakeCgroups.missing == nil, "\(FakeCgroups.missing ?? "")"))
struct ScopeTests {
    @Test func processesOfOneCgroupShareAScope() throws {
        let cgroups = try FakeCgroups(["/", "/a", "/a/b"])
        for (pid, path) in [(11, "/a"), (12, "/a"), (13, "/a/b")] { try cgroups.move(Int32(pid), to: path) }
        let sensors = try SensorsTests.sensors(cgroups.kernel)
        let first = sensors.scope(of: 11)
        #expect(first.path == "/a")
        #expect(first.id == 2)
        #expect(first.sensor != nil)
        #expect(sensors.scope(of: 12) === first)
        #expect(sensors.scope(of: 13) !== first)
        #expect(sensors.all.map(\.path) == ["/", "/a", "/a/b"])
    }

    @Test("what has no cgroup of its own that can be watched belongs to the host")
    func hostScope() throws {
        let cgroups = try FakeCgroups(["/", "/gone"])
        try cgroups.move(11, to: "/")
        try cgroups.kernel.set("/proc/12/cgroup", "4:memory:/v1\n")
        try cgroups.move(13, to: "/unreadable")
        try cgroups.kernel.set("/sys/fs/cgroup/unreadable/cgroup.events", "")
        try cgroups.kernel.set("/sys/fs/cgroup/unreadable/memory.pressure", "hello\n")
        try cgroups.move(14, to: "/missing")
        try cgroups.kernel.set("/sys/fs/cgroup/missing/cgroup.events", "")
        let sensors = try SensorsTests.sensors(cgroups.kernel)
        for pid: UInt32 in 11...15 { #expect(sensors.scope(of: pid) === sensors.host, "pid \(pid)") }
        #expect(sensors.cgroups.isEmpty)
    }

    @Test("the root of a cgroup namespace is a cgroup, and not mistaken for the host")
    func namespaceRoot() throws {
        let cgroups = try FakeCgroups(["/"], mountRoot: "/")
        try cgroups.kernel.set("/sys/fs/cgroup/cgroup.events", "populated 1\n")
        try cgroups.move(11, to: "/")
        let sensors = try SensorsTests.sensors(cgroups.kernel)
        let scope = sensors.scope(of: 11)
        #expect(scope !== sensors.host)
        #expect(scope.path == "/.")
    }

    @Test func aScopeThatIsReleasedIsTakenBackUntilItIsClosed() throws {
        let cgroups = try FakeCgroups(["/", "/a"])
        try cgroups.move(11, to: "/a")
        let loop = try EventLoop()
        let sensors = try SensorsTests.sensors(cgroups.kernel, loop: loop)
        var opened: [ScopeID] = []
        sensors.opened = { opened.append($0.id) }
        let scope = sensors.scope(of: 11)
        #expect(sensors.scope(scope.id) === scope)
        #expect(sensors.release(scope))
        #expect(!sensors.release(scope))
        #expect(sensors.cgroups.isEmpty)
        #expect(sensors.scope(scope.id) == nil)
        // Taking its triggers back may take long, and waits until there is nothing else to do.
        #expect(sensors.scope(of: 11) === scope)
        #expect(opened == [2, 2])
        #expect(sensors.release(scope))
        let end = try loop.deferred {
            // A later one is another scope, with another id.
            #expect(sensors.scope(of: 11).id == 3)
            loop.exit(code: 0)
        }
        end.schedule()
        #expect(try loop.run() == 0)
        #expect(!sensors.release(sensors.host))
        #expect(sensors.all.map(\.path) == ["/", "/a"])
    }

    @Test("cgroups that the configuration names are watched without hosts, from when they appear until they are gone")
    func configuredCgroups() throws {
        let cgroups = try FakeCgroups(["/", "/web", "/db"])
        let sensors = try SensorsTests.sensors(cgroups.kernel)
        var events: [String] = []
        sensors.configured = { scope, isConfigured in
            events.append(scope.path)
            if !isConfigured { #expect(sensors.release(scope)) }
        }
        try sensors.watch([try CgroupPattern("/w*")])
        #expect(events == ["/web"])
        #expect(sensors.all.map(\.path) == ["/", "/web"])
        let scope = try #require(sensors.scope(at: "/web"))
        #expect(!sensors.release(scope))
        #expect(sensors.scope(at: "/web") === scope, "it is watched without hosts")
        // Other patterns, and what only the old ones named is let go of.
        try sensors.watch([try CgroupPattern("/db")])
        #expect(sensors.all.map(\.path) == ["/", "/db"])
        try sensors.watch([])
        #expect(sensors.all.map(\.path) == ["/"])
    }

    @Test("a scope starts at the level it had in a daemon before this one")
    func inheritedLevels() throws {
        let cgroups = try FakeCgroups(["/", "/a"])
        try cgroups.move(11, to: "/a")
        let sensors = Sensors(
            kernel: cgroups.kernel.tree,
            configuration: Settings(),
            inherited: ["/": .warning, "/a": .critical],
            loop: try EventLoop()
        )
        #expect(sensors.host.level == .warning)
        let scope = sensors.scope(of: 11)
        #expect(scope.level == .critical)
    }
}

/// Rules that change while scopes are watched.
@Suite(.enabled(if: FakeCgroups.missing == nil, "\(FakeCgroups.missing ?? "")"))
struct NewRulesTests {
    private let cgroups: FakeCgroups
    private let sensors: Sensors
    private let scope: Scope

    init() throws {
        cgroups = try FakeCgroups(["/", "/a", "/b"])
        try cgroups.move(11, to: "/a")
        sensors = Sensors(
            kernel: cgroups.kernel.tree,
            configuration: Settings(),
            inherited: ["/a": .critical],
            loop: try EventLoop()
        )
        scope = sensors.scope(of: 11)
    }

    @Test func aScopeStartsAtTheLevelThatItHad() {
        #expect(scope.level == .critical)
        #expect(sensors.host.level == .normal)
        // It was that scope's; another one of that name starts anew.
        sensors.forget(scope)
        #expect(sensors.scope(of: 11).level == .normal)
    }

    @Test("new thresholds arm triggers anew, and the level stays")
    func thresholds() throws {
        let sensor = try #require(scope.sensor)
        let since = scope.machine.since
        var configuration = Settings()
        configuration.levels.dwell = .seconds(20)
        #expect(sensors.follow(configuration) == [])
        #expect(scope.sensor === sensor)
        #expect(scope.machine.policy.dwell == .seconds(20))

        configuration.stalls.some = .percent(20)
        #expect(sensors.follow(configuration) == [])
        #expect(scope.sensor !== sensor)
        #expect(scope.level == .critical)
        #expect(scope.machine.since == since)
        #expect(scope.machine.policy.dwell == .seconds(20))
        // Once is enough.
        let next = scope.sensor
        #expect(sensors.follow(configuration) == [])
        #expect(scope.sensor === next)
    }

    @Test("where triggers cannot be armed anew the old ones stay")
    func failure() throws {
        let sensor = scope.sensor
        let path = cgroups.kernel.path("/sys/fs/cgroup/a/memory.pressure")
        try #require(unlink(path) == 0)
        var configuration = Settings()
        configuration.stalls.some = .percent(20)
        configuration.levels.dwell = .seconds(20)
        // Without a limit, or what is available, there is nothing else to watch either.
        #expect(sensors.follow(configuration) == [KernelError("open", path, errno: ENOENT)])
        #expect(scope.sensor === sensor)
        #expect(scope.machine.policy.dwell == .seconds(20))
    }

    @Test("new patterns leave a cgroup alone that the old ones named as well")
    func patterns() throws {
        var told: [String] = []
        sensors.configured = { [sensors] scope, isConfigured in
            told.append("\(scope.path) \(isConfigured)")
            // No host lives in it.
            if !isConfigured { #expect(sensors.release(scope)) }
        }
        defer { sensors.configured = { _, _ in } }
        try sensors.watch([CgroupPattern("/*")])
        #expect(told.sorted() == ["/a true", "/b true"])
        #expect(sensors.scope(at: "/a") === scope)
        told = []
        try sensors.watch([CgroupPattern("/a")])
        #expect(told == ["/a true", "/b false"])
        #expect(sensors.scope(at: "/a") === scope)
        #expect(sensors.scope(at: "/b") == nil)
        told = []
        try sensors.watch([])
        #expect(told == ["/a false"])
        #expect(sensors.cgroups.isEmpty)
    }
}
