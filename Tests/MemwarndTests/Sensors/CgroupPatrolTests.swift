import CLinux
import MemoryPressure
import TestSupport
import Testing

@testable import Systemd
@testable import memwarnd

struct CgroupPatrolTests {
    private let kernel: FakeKernel
    private let loop: EventLoop
    private let patrol: CgroupPatrol
    private let names = (1...5).map { "/\($0)" }

    init() throws {
        kernel = try FakeKernel(["/proc/self/mountinfo": "30 23 0:26 / /cg rw - cgroup2 cgroup2 rw\n"])
        try kernel.directory("/cg")
        loop = try EventLoop()
        patrol = try CgroupPatrol([CgroupPattern("/*")], in: kernel.tree, loop: loop) { _ in false }
    }

    private func make(_ name: String) throws {
        try kernel.directory("/cg" + name)
        try kernel.set("/cg" + name + "/cgroup.events", "populated 0\n")
    }

    private func remove(_ name: String) {
        unlink(kernel.path("/cg" + name + "/cgroup.events"))
        kernel.removeDirectory("/cg" + name)
    }

    /// Takes a whole turn, so that each turn makes one report.
    private func work() {
        let start = MonotonicInstant.now
        while start.duration(to: .now) < PollGroup.turn {}
    }

    /// Runs the loop until there are `count` reports; each turn of the other work calls `between` with the number so far.
    private func run(until count: Int, between: @escaping (Int) -> Void = { _ in }) throws -> [String] {
        var reports: [String] = []
        var turns = 0
        patrol.appeared = { place in
            reports.append(place.name)
            work()
        }
        patrol.vanished = { path in
            reports.append("-" + path)
            work()
        }
        // This timer has the patrol's priority: among equals, the source that has waited longest is next.
        var other: TimerSource?
        other = try loop.timer(accuracy: .microseconds(1)) { [loop] in
            turns += 1
            between(reports.count)
            if reports.count >= count || turns > 1_000 { loop.exit(code: 0) }
            other?.arm(after: .zero)
        }
        other?.arm(after: .zero)
        #expect(try loop.run() == 0)
        other = nil
        #expect(turns >= count, "other work is done between two reports")
        return reports
    }

    @Test("many results are reported in turns, with turns for other work in between")
    func turns() throws {
        patrol.look(waits: true)
        for name in names { try make(name) }
        #expect(try run(until: 5) == names)
    }

    @Test("a cgroup that vanishes before its report is reported as gone afterwards, as are later cgroups")
    func passing() throws {
        patrol.look(waits: true)
        for name in names { try make(name) }
        let reports = try run(until: 7) { count in
            guard count == 1 else { return }
            remove("/4")
            try? make("/6")
        }
        #expect(reports == ["/1", "/2", "/3", "/4", "/5", "-/4", "/6"])
    }

    @Test func existingCgroupsAreReportedAtOnce() throws {
        for name in names { try make(name) }
        var reports: Set<String> = []
        patrol.appeared = { place in
            reports.insert(place.name)
            work()
        }
        patrol.look(waits: true)
        #expect(reports == Set(names))
    }

    @Test("a failing search reports its reason once, and reports again for another reason")
    func failing() throws {
        var heard: [String] = []
        patrol.failed = { heard.append($0) }
        kernel.removeDirectory("/cg")
        patrol.look(waits: true)
        try #require(heard.count == 1)
        #expect(heard[0].contains("/cg"))
        for _ in 1...2 { patrol.look(waits: true) }
        #expect(heard.count == 1)
    }

    @Test("a thread's search result is reported when it is returned, and no other search begins before that")
    func elsewhere() throws {
        let end = try loop.deferred(priority: .idle) { [loop] in loop.exit(code: 0) }
        var searches: [CgroupSearch] = []
        let patrol = try CgroupPatrol([CgroupPattern("/*")], in: kernel.tree, loop: loop) {
            searches.append($0)
            return true
        }
        patrol.look(waits: true)
        var reports: [String] = []
        patrol.appeared = { reports.append($0.name) }
        try make("/1")
        while searches.isEmpty { try loop.step() }
        try make("/2")
        end.schedule()
        _ = try loop.run()
        #expect(searches.count == 1)
        #expect(reports.isEmpty)
        searches[0].perform()
        patrol.take(searches[0])
        #expect(reports == ["/1", "/2"])
    }
}
