import MemoryPressure
import Systemd
import TestSupport
import Testing

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
        patrol = try CgroupPatrol([CgroupPattern("/*")], in: kernel.tree, loop: loop)
    }

    /// As long as a whole turn, so that each report is one.
    private func work() {
        let start = MonotonicInstant.now
        while start.duration(to: .now) < PollGroup.turn {}
    }

    /// Runs the loop until so many have been reported; in each turn of other work `between` is called with how many have been.
    private func run(until count: Int, between: @escaping (Int) -> Void = { _ in }) throws -> [String] {
        var reports: [String] = []
        var turns = 0
        patrol.appeared = { cgroup in
            reports.append(cgroup.path)
            work()
        }
        patrol.vanished = { path in
            reports.append("-" + path)
            work()
        }
        // As important as the patrol: of equals the one comes that has waited longest.
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

    @Test("many finds are reported in turns, between which everything else has its own")
    func turns() throws {
        patrol.begin()
        for name in names { try kernel.directory("/cg" + name) }
        #expect(try run(until: 5) == names)
    }

    @Test("what goes before it is reported is not, and what comes meanwhile is found afterwards")
    func passing() throws {
        patrol.begin()
        for name in names { try kernel.directory("/cg" + name) }
        let reports = try run(until: 6) { count in
            guard count == 1 else { return }
            kernel.removeDirectory("/cg/4")
            try? kernel.directory("/cg/6")
        }
        #expect(reports == ["/1", "/2", "/3", "/5", "-/4", "/6"])
    }

    @Test func whatIsThereFromTheStartIsReportedAtOnce() throws {
        for name in names { try kernel.directory("/cg" + name) }
        var reports: Set<String> = []
        patrol.appeared = { cgroup in
            reports.insert(cgroup.path)
            work()
        }
        patrol.begin()
        #expect(reports == Set(names))
    }
}
