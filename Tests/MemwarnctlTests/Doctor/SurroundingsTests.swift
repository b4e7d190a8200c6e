import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import TestSupport
import Testing

@testable import memwarnctl

struct SurroundingsTests {
    private func look(_ files: [String: String]) throws -> (seen: Surroundings, kernel: FakeKernel) {
        let kernel = try FakeKernel(files)
        var options = DaemonOptions()
        options.socket = kernel.path("/memwarnd.sock")
        return (Surroundings(lookingAt: kernel.tree, daemon: options), kernel)
    }

    private static let pressure = """
        some avg10=0.00 avg60=0.00 avg300=0.00 total=1234567
        full avg10=0.00 avg60=0.00 avg300=0.00 total=5

        """

    @Test("a machine with complete version 2")
    func full() throws {
        let (seen, kernel) = try look([
            "/proc/pressure/memory": Self.pressure,
            "/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 900 kB\nSwapTotal: 2048 kB\n",
            "/proc/self/mountinfo": "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "/proc/self/cgroup": "0::/own\n",
            "/proc/self/ns/pid": "",
            "/proc/self/status": "Name:\tmemwarnd\nCapEff:\t0000000000004000\n",
            "/sys/fs/cgroup/cgroup.controllers": "cpu memory\n",
            "/sys/fs/cgroup/own/memory.pressure": Self.pressure,
            "/sys/fs/cgroup/own/memory.events": "high 0\n",
            "/sys/fs/cgroup/a/memory.current": "1\n",
            "/sys/fs/cgroup/other/memory.pressure": Self.pressure,
        ])
        #expect(try seen.stallTotal.get() == 1_234_567)
        #expect(seen.shortTrigger == .worked)
        #expect(seen.trigger == .worked)
        #expect(try seen.cgroupMounts.get() == [CgroupMount(directory: "/sys/fs/cgroup", root: "/")])
        #expect(seen.seesAllProcesses == false)
        #expect(!seen.isMemoryVersionOne)
        #expect(seen.controllers == ["cpu", "memory"])
        #expect(seen.ownCgroup?.path == "/own")
        #expect(seen.ownPressure == .worked)
        #expect(seen.hasOwnEvents)
        #expect(seen.otherPressure?.path == kernel.path("/sys/fs/cgroup/other"))
        #expect(seen.otherPressure?.attempt == .worked)
        #expect(try seen.memory.get().available == 900 << 10)
        #expect(seen.swap == 2 << 20)
        #expect(Capabilities.have(Capabilities.lockMemory, in: seen.capabilities))
        #expect(!Capabilities.have(24, in: seen.capabilities))
        #expect((try? seen.daemon.get()) == nil)
    }

    @Test("a hybrid host, where nothing can be written")
    func hybrid() throws {
        let (seen, _) = try look([
            "/proc/pressure/memory/is-a-directory": "",
            "/proc/self/mountinfo": """
            31 30 0:25 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
            32 30 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw

            """,
            "/proc/self/cgroup": "4:memory:/own\n0::/\n",
            "/sys/fs/cgroup/unified/memory.pressure": Self.pressure,
        ])
        #expect(seen.isMemoryVersionOne)
        #expect(seen.controllers.isEmpty)
        #expect(seen.ownPressure == .worked)
        #expect(seen.otherPressure == nil)
        #expect(throws: KernelError.self) { try seen.stallTotal.get() }
        guard case .failed(let error) = seen.trigger else {
            Issue.record("a directory took a trigger")
            return
        }
        #expect(error.errno == EISDIR)
    }

    @Test("a machine with nothing at all")
    func nothing() throws {
        let (seen, kernel) = try look([:])
        let missing = KernelError("open", kernel.path("/proc/pressure/memory"), errno: ENOENT)
        #expect(seen.stallTotal.failure == missing)
        #expect(seen.memory.failure?.errno == ENOENT)
        #expect(seen.cgroupMounts.failure?.errno == ENOENT)
        #expect(seen.swap == nil)
        #expect(seen.ownCgroup == nil)
        #expect(Diagnosis(seen).exitCode == .nothingToWatch)
    }

    @Test("a text that the kernel never writes is an error")
    func nonsense() throws {
        let (seen, _) = try look(["/proc/pressure/memory": "nonsense\n"])
        #expect(seen.stallTotal.failure?.errno == EBADMSG)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
