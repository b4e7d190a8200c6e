import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing
import WarningPolicy

@testable import Systemd
@testable import memwarnd

extension Sensors {
    /// Opens a scope's files, and waits for the outcome.
    fileprivate func opening(
        _ scope: ScopeID,
        _ place: SensorPlace,
        on loop: EventLoop? = nil
    ) throws -> WatchOpening {
        let before = happened
        defer { happened = before }
        var opening: WatchOpening?
        happened = { input in
            guard case .opened(scope, let result) = input else { return }
            opening = result
        }
        open(scope, place, StallPlan())
        while opening == nil { try #require(loop).step() }
        return try #require(opening)
    }
}

struct SensorsTests {
    @Test("without pressure files there is nothing to open, and the scope gets the reason")
    func nothing() throws {
        let kernel = try FakeKernel(["/proc/meminfo": ""])
        let sensors = Sensors(kernel: kernel.tree, closer: DescriptorCloser(), loop: try EventLoop())
        guard case .failed(let error) = try sensors.opening(.wholeHost, .host) else {
            Issue.record("there is something")
            return
        }
        #expect(error == KernelError("open", kernel.tree.hostPressure, errno: ENOENT))
        #expect(sensors.look(.wholeHost) == nil)
        #expect(!sensors.listen(.wholeHost, [.some]))
        guard case .unreadable(.wholeHost, let unread) = sensors.read(.wholeHost, .stalls) else {
            Issue.record("it was read")
            return
        }
        #expect(unread.errno == EBADF)

        var policy = WarningPolicy(seed: 1)
        var effects = Effects()
        policy.handle(.started, at: .now, into: &effects)
        policy.handle(.opened(.wholeHost, .failed(error)), at: .now, into: &effects)
        let record = policy.scopes[0].record(nil)
        #expect(record.rung == .none)
        #expect(record.rungReason == "\(error)")
        #expect(record.window == 0)
    }

    @Test func aMalformedPressureFileCannotBeWatched() throws {
        let kernel = try FakeKernel(["/proc/pressure/memory": "hello\n"])
        let sensors = Sensors(kernel: kernel.tree, closer: DescriptorCloser(), loop: try EventLoop())
        guard case .failed(let error) = try sensors.opening(.wholeHost, .host) else {
            Issue.record("there is something")
            return
        }
        #expect(error.operation == "understand")
    }
}

@Suite(.enabled(if: FakeCgroups.missing == nil, "\(FakeCgroups.missing ?? "")"))
struct ScopeFilesTests {
    private let cgroups: FakeCgroups
    private let loop: EventLoop
    private let sensors: Sensors

    init() throws {
        cgroups = try FakeCgroups(["/", "/a", "/a/b"])
        loop = try EventLoop()
        sensors = Sensors(kernel: cgroups.kernel.tree, closer: DescriptorCloser(), loop: loop)
    }

    private func place(of pid: UInt32) throws -> SensorPlace {
        try SensorPlace.of(.pid(pid), below: CgroupMounts(in: cgroups.kernel.tree))
    }

    @Test("a process is in its cgroup, or in none that can be watched separately from the host")
    func locations() throws {
        try cgroups.move(11, to: "/a")
        try cgroups.move(12, to: "/a/b")
        try cgroups.move(13, to: "/")
        try cgroups.kernel.set("/proc/14/cgroup", "4:memory:/v1\n")
        #expect(try (11...14).map { try place(of: $0).name } == ["/a", "/a/b", "/", "/"])
        #expect(#expect(throws: KernelError.self) { try place(of: 15) }?.meansGone == true)
    }

    @Test("the root of a cgroup namespace is a cgroup, and different from the host")
    func namespaceRoot() throws {
        try cgroups.kernel.set("/sys/fs/cgroup/cgroup.events", "populated 1\n")
        try cgroups.move(11, to: "/")
        #expect(try place(of: 11).name == "/.")
    }

    @Test("a scope's files are opened, read, polled and closed")
    func files() throws {
        try cgroups.move(11, to: "/a")
        guard case .opened(let files) = try sensors.opening(2, try place(of: 11), on: loop) else {
            Issue.record("it cannot be opened")
            return
        }
        #expect(files.triggers == [.some, .full])
        #expect(files.first.stalls != nil)
        #expect(files.watchesChanges)
        guard case .read(2, let readings) = sensors.read(2, .stalls) else {
            Issue.record("it cannot be read")
            return
        }
        #expect(readings.stalls != nil)
        #expect(readings.headroom == nil)
        #expect(sensors.listen(2, [.some]))
        #expect(sensors.look(2)?.stalls != nil)
        sensors.close(2)
        #expect(sensors.look(2) == nil)
    }

    @Test("if files cannot be opened again, the open ones stay in use")
    func failure() throws {
        try cgroups.move(11, to: "/a")
        let place = try place(of: 11)
        guard case .opened = try sensors.opening(2, place, on: loop) else {
            Issue.record("it cannot be opened")
            return
        }
        let path = cgroups.kernel.path("/sys/fs/cgroup/a/memory.pressure")
        try #require(unlink(path) == 0)
        // Without a limit there is nothing else to watch.
        guard case .failed(let error) = try sensors.opening(2, place, on: loop) else {
            Issue.record("it was opened")
            return
        }
        #expect(error == KernelError("watch", path, errno: ENODATA))
        #expect(sensors.look(2)?.stalls != nil)
        // The error distinguishes a cgroup that is gone from one that has nothing to watch.
        try #require(unlink(cgroups.kernel.path("/sys/fs/cgroup/a/b/memory.pressure")) == 0)
        try #require(unlink(cgroups.kernel.path("/sys/fs/cgroup/a/b/cgroup.events")) == 0)
        let below = SensorPlace(cgroup: Cgroup(path: "/a/b", directory: cgroups.kernel.path("/sys/fs/cgroup/a/b")))
        cgroups.kernel.removeDirectory("/sys/fs/cgroup/a/b")
        guard case .failed(let gone) = try sensors.opening(3, below, on: loop) else {
            Issue.record("it was opened")
            return
        }
        #expect(gone.meansGone)
    }

    @Test(
        "changed limits, switched accounting and empty cgroups are reported, once for each scope"
    )
    func moves() throws {
        for path in ["/sys/fs/cgroup/a/", "/sys/fs/cgroup/a/b/"] {
            try cgroups.kernel.set(path + "memory.max", "max\n")
            try cgroups.kernel.set(path + "cgroup.pressure", "1\n")
        }
        try cgroups.move(11, to: "/a")
        try cgroups.move(12, to: "/a/b")
        for (scope, pid) in [(2, 11), (3, 12)] as [(ScopeID, UInt32)] {
            guard case .opened = try sensors.opening(scope, try place(of: pid), on: loop) else {
                Issue.record("it cannot be opened")
                return
            }
        }
        var heard: [String] = []
        let end = try loop.deferred(priority: .idle) { [loop] in loop.exit(code: 0) }
        sensors.happened = { input in
            switch input {
            case .limitsMoved(let scope): heard.append("limits \(scope)")
            case .accountingMoved(let scope): heard.append("accounting \(scope)")
            case .populationMoved(let scope): heard.append("population \(scope)")
            default: heard.append("another input")
            }
            if heard.count == 4 { end.schedule() }
        }
        try overwrite("/sys/fs/cgroup/a/memory.max", "5\n")
        try overwrite("/sys/fs/cgroup/a/b/cgroup.pressure", "0\n")
        try overwrite("/sys/fs/cgroup/a/cgroup.events", "populated 0\n")
        #expect(try loop.run() == 0)
        #expect(heard == ["limits 2", "limits 3", "accounting 3", "population 2"])
    }

    @Test("a limit that changes while files are being opened is reported or has already been read")
    func moveDuringOpening() throws {
        try cgroups.kernel.set("/sys/fs/cgroup/a/memory.max", "max\n")
        try cgroups.move(11, to: "/a")
        let end = try loop.deferred(priority: .idle) { [loop] in loop.exit(code: 0) }
        try cgroups.kernel.set("/sys/fs/cgroup/a/memory.current", "1\n")
        try cgroups.kernel.set("/sys/fs/cgroup/a/memory.stat", "inactive_file 0\n")
        var first: SensorReadings?
        var isReported = false
        sensors.happened = { input in
            switch input {
            case .opened(_, .opened(let files)): first = files.first
            case .limitsMoved(2): isReported = true
            default: Issue.record("another input: \(input)")
            }
            if first != nil { end.schedule() }
        }
        let a = try place(of: 11)
        sensors.open(2, a, StallPlan())
        try overwrite("/sys/fs/cgroup/a/memory.max", "5\n")
        #expect(try loop.run() == 0)
        let limit = try #require(first).headroom?.limit.bytes
        #expect(isReported || limit == 5)
    }

    @Test("changed limits are reported for a cgroup that was removed and created again under its name")
    func madeAgain() throws {
        let limit = "/sys/fs/cgroup/a/memory.max"
        try cgroups.kernel.set(limit, "max\n")
        try cgroups.move(11, to: "/a")
        guard case .opened = try sensors.opening(2, try place(of: 11), on: loop) else {
            Issue.record("it cannot be opened")
            return
        }
        // cgroupfs does not report a removal. The only sign is a file with another inode number under the same name.
        try cgroups.kernel.set(limit + ".new", "max\n")
        try #require(rename(cgroups.kernel.path(limit + ".new"), cgroups.kernel.path(limit)) == 0)
        guard case .opened = try sensors.opening(2, try place(of: 11), on: loop) else {
            Issue.record("it cannot be opened again")
            return
        }
        let end = try loop.deferred(priority: .idle) { [loop] in loop.exit(code: 0) }
        var heard: [String] = []
        sensors.happened = { input in
            if case .limitsMoved(let scope) = input { heard.append("limits \(scope)") }
            end.schedule()
        }
        try overwrite(limit, "5\n")
        try overwrite("/sys/fs/cgroup/a/cgroup.events", "populated 0\n")
        #expect(try loop.run() == 0)
        #expect(heard == ["limits 2"])
    }

    /// Writes a file in place, as on cgroupfs.
    private func overwrite(_ path: String, _ text: String) throws {
        let descriptor = try Descriptor(opening: cgroups.kernel.path(path), O_WRONLY)
        try #require(write(descriptor.raw, text, text.utf8.count) == text.utf8.count)
    }

    @Test("cgroups that match the patterns are reported when they appear, and other patterns restart the search")
    func patterns() throws {
        var told: [String] = []
        sensors.happened = { input in
            switch input {
            case .patternsChanged: told.append("new patterns")
            case .cgroupAppeared(let place): told.append(place.name)
            default: told.append("another input")
            }
        }
        var failures: [String] = []
        sensors.searchFailed = { failures.append($0) }
        try sensors.watch([CgroupPattern("/a*")], waits: true)
        try sensors.watch([CgroupPattern("/a/b")], waits: true)
        try sensors.watch([], waits: true)
        #expect(told == ["new patterns", "/a", "new patterns", "/a/b", "new patterns"])
        #expect(failures == [])
    }

    @Test("patterns that a thread searches for take effect after the search, and the last ones win")
    func laterPatterns() throws {
        var told: [String] = []
        let end = try loop.deferred(priority: .idle) { [loop] in loop.exit(code: 0) }
        sensors.happened = { input in
            switch input {
            case .patternsChanged: told.append("new patterns")
            case .cgroupAppeared(let place):
                told.append(place.name)
                if place.name == "/a/b" { end.schedule() }
            default: told.append("another input")
            }
        }
        try sensors.watch([CgroupPattern("/a")], waits: true)
        try sensors.watch([CgroupPattern("/a*")], waits: false)
        try sensors.watch([CgroupPattern("/a/b")], waits: false)
        #expect(told == ["new patterns", "/a"])
        #expect(try loop.run() == 0)
        #expect(told == ["new patterns", "/a", "new patterns", "/a/b"])
    }
}
