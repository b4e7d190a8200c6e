import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing

@testable import memwarnd

struct SensorsTests {
    static func sensors(
        _ kernel: FakeKernel,
        _ configuration: Configuration = Configuration(),
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
            host.record(.present).rungReason
                == "cannot open \(kernel.tree.hostPressure): No such file or directory (errno 2)"
        )
        #expect(host.level == .normal)
        #expect(host.look() == nil)
        let record = host.record(.present)
        #expect(record.rung == .none)
        #expect(record.window == 0)
    }

    @Test func aPressureFileThatIsNoneCannotBeWatched() throws {
        let kernel = try FakeKernel(["/proc/pressure/memory": "hello\n"])
        #expect(try Self.sensors(kernel).host.failure?.operation == "understand")
    }

    @Test("bytes are wanted up to where a headroom warning ends", arguments: [(900_000, 0), (100_000, 25_000)])
    func bytesWanted(availableKiB: Int, wantedKiB: UInt64) throws {
        let kernel = try FakeKernel([
            "/proc/meminfo": "MemTotal: 1000000 kB\nMemAvailable: \(availableKiB) kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n"
        ])
        let sensors = try Self.sensors(kernel)
        #expect(sensors.bytesWanted(sensors.host.sensor?.headroom()) == wantedKiB * 1024)
    }

    @Test func nothingIsWantedWhereMemoryIsNotKnown() throws {
        #expect(try Self.sensors(try FakeKernel([:])).bytesWanted(nil) == 0)
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

    @Test("a scope reaches what lies below it, and not what only begins with the same letters")
    func within() throws {
        let cgroups = try FakeCgroups(["/", "/a", "/a/b", "/a/b/c", "/ab"])
        let paths = ["/a", "/a/b", "/a/b/c", "/ab"]
        for (index, path) in paths.enumerated() { try cgroups.move(Int32(11 + index), to: path) }
        let sensors = try SensorsTests.sensors(cgroups.kernel)
        let scopes = paths.indices.map { sensors.scope(of: UInt32(11 + $0)) }
        func within(_ scope: Scope) -> [String] { sensors.within(scope).map(\.path).sorted() }
        #expect(within(sensors.host) == ["/"] + paths)
        #expect(within(scopes[0]) == ["/a", "/a/b", "/a/b/c"])
        #expect(within(scopes[1]) == ["/a/b", "/a/b/c"])
        #expect(within(scopes[3]) == ["/ab"])
        // All are calm, and of equals the closest binds.
        for scope in scopes { #expect(sensors.binding(scope) === scope) }
        #expect(sensors.binding(sensors.host) === sensors.host)
    }

    @Test func aScopeIsReleasedWithItsLastHost() throws {
        let cgroups = try FakeCgroups(["/", "/a"])
        try cgroups.move(11, to: "/a")
        let loop = try EventLoop()
        let sensors = try SensorsTests.sensors(cgroups.kernel, loop: loop)
        let scope = sensors.scope(of: 11)
        let host = FakeHost(id: 1, in: scope).host
        scope.hosts = [host]
        sensors.release(scope)
        #expect(sensors.scope(of: 11) === scope)
        scope.hosts = []
        sensors.release(scope)
        #expect(sensors.cgroups.isEmpty)
        // Taking its triggers back may take long, and waits until there is nothing else to do.
        #expect(sensors.scope(of: 11) === scope)
        sensors.release(scope)
        let end = try loop.deferred {
            // A later one is another scope, with another id.
            #expect(sensors.scope(of: 11).id == 3)
            loop.exit(code: 0)
        }
        end.schedule()
        #expect(try loop.run() == 0)
        sensors.release(sensors.host)
        #expect(sensors.all.map(\.path) == ["/", "/a"])
    }

    @Test(
        "who may help: those inside, those under the same limit, and on the machine's account everybody",
        arguments: [
            ("/a/b", nil, [.inside, .inside, .beside, .rest]),
            ("/a/b", BindingLimit(.machine, bytes: 1, path: "/"), [.inside, .inside, .beside, .rest]),
            ("/a/b", BindingLimit(.max, bytes: 1, path: "/a/b"), [.inside, .inside, nil, nil]),
            ("/a/b", BindingLimit(.high, bytes: 1, path: "/a"), [.inside, .inside, .beside, nil]),
            ("/a/b", BindingLimit(.v1, bytes: 1, path: "/a"), [.inside, .inside, nil, nil]),
            ("/", nil, [.inside, .inside, .inside, .inside]),
            ("/d", nil, [.rest, .rest, .rest, .inside]),
        ] as [(String, BindingLimit?, [StagePlan.Ring?])]
    )
    func rings(pressured: String, limit: BindingLimit?, expected: [StagePlan.Ring?]) throws {
        let paths = ["/a/b", "/a/b/x", "/a/c", "/d"]
        let cgroups = try FakeCgroups(["/"] + paths)
        for (index, path) in paths.enumerated() { try cgroups.move(Int32(11 + index), to: path) }
        let sensors = try SensorsTests.sensors(cgroups.kernel)
        let scopes = paths.indices.map { sensors.scope(of: UInt32(11 + $0)) }
        let scope = try #require(sensors.scope(at: pressured))
        #expect(scopes.map { sensors.ring(of: $0, around: scope, limit: limit) } == expected)
    }

    @Test("cgroups that the configuration names are watched without hosts, from when they appear until they are gone")
    func configuredCgroups() throws {
        let cgroups = try FakeCgroups(["/", "/web", "/db"])
        let sensors = try SensorsTests.sensors(cgroups.kernel)
        var events: [String] = []
        sensors.configured = { scope, _ in events.append(scope.path) }
        try sensors.watch([try CgroupPattern("/w*")])
        #expect(events == ["/web"])
        #expect(sensors.all.map(\.path) == ["/", "/web"])
        let scope = try #require(sensors.scope(at: "/web"))
        sensors.release(scope)
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
            configuration: Configuration(),
            inherited: ["/": .warning, "/a": .critical],
            loop: try EventLoop()
        )
        #expect(sensors.host.level == .warning)
        let scope = sensors.scope(of: 11)
        #expect(scope.level == .critical)
        #expect(sensors.binding(scope) === scope)
        #expect(sensors.binding(sensors.host) === sensors.host)
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
            configuration: Configuration(),
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
        var configuration = Configuration()
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
        var configuration = Configuration()
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
        sensors.configured = { told.append("\($0.path) \($1)") }
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
