import TestSupport
import Testing

@testable import ResourceManager

@Suite(.onTwoThreads)
struct CapacityTests {
    private static func kernel(_ changes: [String: String] = [:]) throws -> FakeKernel {
        let files = [
            "/proc/self/cgroup": "0::/system.slice/search.service\n",
            "/proc/self/mountinfo": "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "/proc/self/status": "Name:\tsearch\nCpus_allowed:\t0f,00000003\n",
            "/proc/meminfo": "MemTotal: 8388608 kB\nMemAvailable: 6291456 kB\n",
            "/sys/fs/cgroup/system.slice/memory.max": "4294967296\n",
            "/sys/fs/cgroup/system.slice/memory.high": "max\n",
            "/sys/fs/cgroup/system.slice/memory.current": "1000\n",
            "/sys/fs/cgroup/system.slice/search.service/memory.max": "max\n",
            "/sys/fs/cgroup/system.slice/search.service/memory.high": "1073741824\n",
            "/sys/fs/cgroup/system.slice/search.service/memory.current": "500\n",
        ]
        return try FakeKernel(files.merging(changes) { $1 })
    }

    private static func host(in kernel: FakeKernel) -> ControllerHost {
        ControllerHost("capacity", kernel: kernel.tree)
    }

    @Test("the tightest limit of the cgroup and its ancestors counts, with the memory charged to it (row 30)")
    func tightest() throws {
        let kernel = try Self.kernel()
        let host = Self.host(in: kernel)
        #expect(host.capacity == Capacity(memoryLimit: 1 << 30, memoryUsed: 500, cores: 6))
        try kernel.set("/sys/fs/cgroup/system.slice/search.service/memory.high", "max\n")
        #expect(host.capacity == Capacity(memoryLimit: 4 << 30, memoryUsed: 1000, cores: 6))
        try kernel.set("/sys/fs/cgroup/system.slice/memory.max", "max\n")
        #expect(host.capacity == Capacity(memoryLimit: 8 << 30, memoryUsed: 2 << 30, cores: 6))
    }

    @Test("without cgroups the machine's memory is the limit, and without any figure there is no limit")
    func bare() throws {
        let kernel = try FakeKernel(["/proc/meminfo": "MemTotal: 1024 kB\nMemAvailable: 1000 kB\n"])
        #expect(Self.host(in: kernel).capacity == Capacity(memoryLimit: 1 << 20, memoryUsed: 24 << 10, cores: 1))
        #expect(Self.host(in: try FakeKernel([:])).capacity.memoryLimit == 0)
    }

    @Test("a changed limit changes environment and budget, and no controller can refuse it (5.35)")
    func limitMoves() throws {
        let kernel = try Self.kernel()
        let host = Self.host(in: kernel)
        let trace = Trace()
        let a = RecordingController("A", host: host, trace: trace)
        a.supportedModes = []
        a.recordsLayout = true
        let window = Window(host: host)
        window.rootViewController = a
        window.makeVisible()
        #expect(a.view.budget == Budget(bytes: 1 << 30, threads: 6))
        #expect(a.environment.memoryClass == .medium)
        _ = trace.take()
        host.updateCapacity()
        #expect(trace.take().isEmpty)

        try kernel.set("/sys/fs/cgroup/system.slice/search.service/memory.high", "268435456\n")
        host.updateCapacity()
        #expect(
            trace.take() == [
                "A.willTransition(normal)", "A.viewWillLayoutSubviews", "A.viewDidLayoutSubviews",
                "A.didTransition(normal)",
            ]
        )
        #expect(a.view.budget == Budget(bytes: 256 << 20, threads: 6))
        #expect(a.environment.memoryClass == .small)

        try kernel.set("/proc/self/status", "Name:\tsearch\nCpus_allowed:\t00000003\n")
        host.updateCapacity()
        #expect(a.view.budget == Budget(bytes: 256 << 20, threads: 2))
    }

    @Test("a window with a budget that the program has set keeps it")
    func ownBudget() throws {
        let kernel = try Self.kernel()
        let host = Self.host(in: kernel)
        let window = Window(host: host)
        window.resize(to: Budget(bytes: 7))
        try kernel.set("/sys/fs/cgroup/system.slice/search.service/memory.high", "268435456\n")
        host.updateCapacity()
        #expect(window.budget == Budget(bytes: 7))
        #expect(host.environment.memoryLimit == 256 << 20)
    }
}
