import CLinux
import MemoryPressure
import TestSupport
import Testing

struct PressureSensorTests {
    // An exit test, because descriptor 0 belongs to the whole process.
    @Test("opening a sensor closes no other descriptors")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let null = open("/dev/null", O_RDONLY)
            try #require(dup2(null, 0) == 0)
            let sensor = try PressureSensor(.host)
            #expect(fcntl(0, F_GETFD) >= 0)
            #expect(sensor.look().stalls != nil)
        }
    }

    private static let cgroup = "/sys/fs/cgroup/a.slice"

    /// A cgroup without PSI and with these files, on a machine without PSI.
    private static func kernel(
        events: String? = nil,
        current: UInt64? = nil,
        max: String = "10000",
        available: UInt64 = 900_000
    ) throws -> FakeKernel {
        var files = [
            "/proc/self/mountinfo": "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "/proc/meminfo": "MemTotal: 1000000 kB\nMemAvailable: \(available) kB\n",
            "/proc/11/cgroup": "0::/a.slice\n",
            "/sys/fs/cgroup/cgroup.procs": "",
            "\(cgroup)/cgroup.events": "populated 1\n",
        ]
        if let events { files["\(cgroup)/memory.events"] = events }
        if let current {
            files["\(cgroup)/memory.current"] = "\(current)\n"
            files["\(cgroup)/memory.max"] = max + "\n"
            files["\(cgroup)/memory.high"] = "max\n"
            files["\(cgroup)/memory.stat"] = "inactive_file 0\npgscan 0\nworkingset_refault 0\n"
        }
        return try FakeKernel(files)
    }

    private static func events(high: Int = 0, max: Int = 0) -> String {
        "low 0\nhigh \(high)\nmax \(max)\noom 0\noom_kill 0\n"
    }

    private static func sensor(_ kernel: FakeKernel) throws -> PressureSensor {
        try PressureSensor(try SensorPlace.of(.pid(11), in: kernel.tree), in: kernel.tree)
    }

    @Test("without PSI the ladder leads down to an available source, and reports the reason")
    func rungs() throws {
        #expect(try Self.sensor(try Self.kernel(events: Self.events(), current: 1)).rung == .events)
        #expect(try Self.sensor(try Self.kernel(current: 1)).rung == .usage)
        let kernel = try Self.kernel()
        let host = try PressureSensor(.host, in: kernel.tree)
        #expect(host.rung == .available)
        #expect(host.rungReason.hasSuffix("/proc/pressure/memory: No such file or directory (errno 2)"))
        #expect(host.descriptors.isEmpty)
        let failure = #expect(throws: KernelError.self) { try Self.sensor(try Self.kernel(current: 1, max: "max")) }
        #expect(failure?.path.hasSuffix("/a.slice/memory.pressure") == true)
    }

    @Test("a hit of a limit with little left causes a warning at once")
    func hitLimit() throws {
        let kernel = try Self.kernel(events: Self.events(high: 5), current: 8_800)
        let sensor = try Self.sensor(kernel)
        #expect(sensor.triggers.map(\.trigger) == [.limits])
        try kernel.set("\(Self.cgroup)/memory.events", Self.events(high: 6))
        // The watch has the file open, as it would have the kernel's.
        #expect(try sensor.event(.limits) == .rose(from: .normal))
        #expect(sensor.machine.level == .warning)
        #expect(sensor.machine.reason.source == .highEvents)
        #expect(sensor.machine.reason.limit == BindingLimit(.max, bytes: 10_000, path: "/a.slice"))
        #expect(sensor.limitEvents.high == 6)
        #expect(sensor.isSampling)
        #expect(sensor.triggers.isEmpty)
        #expect(sensor.due != nil)
    }

    @Test("a limit that is hit by file reads is ignored for a second, and no longer")
    func mute() throws {
        let kernel = try Self.kernel(events: Self.events(), current: 2_000)
        let sensor = try Self.sensor(kernel)
        #expect(sensor.due == nil, "far from its limit nothing runs")
        try kernel.set("\(Self.cgroup)/memory.events", Self.events(max: 900))
        #expect(try sensor.event(.limits) == nil)
        #expect(sensor.machine.level == .normal)
        #expect(sensor.triggers.isEmpty)
        #expect(sensor.due != nil)
        #expect(try sensor.tick() == nil)
        #expect(sensor.triggers.map(\.trigger) == [.limits])
        #expect(sensor.due == nil)
    }

    @Test("the smaller the headroom the more often it is read; large headroom is not read at all")
    func headroom() throws {
        let dues = try [5_000, 6_000, 8_500].map { (used: UInt64) in
            let kernel = try Self.kernel(current: used)
            return try Self.sensor(kernel).due
        }
        #expect(dues[0] == nil)
        #expect(try #require(dues[2]) < #require(dues[1]))
        let kernel = try Self.kernel(current: 8_500)
        let sensor = try Self.sensor(kernel)
        try kernel.set("\(Self.cgroup)/memory.current", "9050\n")
        #expect(try sensor.tick() == .rose(from: .normal))
        #expect(sensor.machine.reason.source == .headroom)
        try kernel.set("\(Self.cgroup)/memory.current", "9700\n")
        #expect(try sensor.tick() == .rose(from: .warning))
        #expect(sensor.machine.level == .critical)
    }

    @Test("the machine's available memory raises its level if nothing else can be read")
    func available() throws {
        let kernel = try Self.kernel(available: 400_000)
        let sensor = try PressureSensor(.host, in: kernel.tree)
        #expect(sensor.due != nil)
        try kernel.set("/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 90000 kB\n")
        #expect(try sensor.tick() == .rose(from: .normal))
        #expect(sensor.machine.reason.limit?.kind == .machine)
    }

    @Test("the machine's headroom is not used for a cgroup whose limits are unknown")
    func withoutController() throws {
        let kernel = try Self.kernel(events: Self.events(), available: 20_000)
        let cgroup = Cgroup(path: "/a.slice", directory: kernel.path(Self.cgroup))
        let sensor = try PressureSensor(SensorPlace(cgroup: cgroup), in: kernel.tree)
        #expect(sensor.rung == .events)
        #expect(sensor.headroom() == nil)
        #expect(try sensor.tick() == nil)
        #expect(sensor.machine.level == .normal)
    }

    @Test("a sensor starts at a given level, and holds it until readings change it")
    func inheritedLevel() throws {
        let kernel = try Self.kernel(available: 900_000)
        let sensor = try PressureSensor(.host, in: kernel.tree, level: .critical)
        #expect(sensor.machine.level == .critical)
        #expect(sensor.isSampling)
        #expect(try sensor.tick() == nil, "the dwell begins")
    }

    @Test("new rules apply from the next reading")
    func follow() throws {
        let kernel = try Self.kernel(available: 200_000)
        let sensor = try PressureSensor(.host, in: kernel.tree)
        #expect(try sensor.tick() == nil)
        var policy = SensorPolicy()
        policy.levels.headroom = .percent(30)
        sensor.follow(policy)
        #expect(try sensor.tick() == .rose(from: .normal))
    }
}
