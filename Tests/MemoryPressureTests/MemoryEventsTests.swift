import CLinux
import MemoryPressure
import TestSupport
import Testing

struct MemoryEventsTests {
    private static let text = "low 1\nhigh 22\nmax 333\noom 4\noom_kill 5\noom_group_kill 6\n"
    private static let file = "/sys/fs/cgroup/a/memory.events"

    private func parse(_ text: String) -> MemoryEvents? {
        var text = text
        return text.withUTF8 { MemoryEvents(parsing: UnsafeRawBufferPointer($0)) }
    }

    private func cgroup(in kernel: FakeKernel) -> Cgroup {
        Cgroup(path: "/a", directory: kernel.path("/sys/fs/cgroup/a"))
    }

    @Test func readsTheFourCountsAndSkipsTheRest() {
        #expect(parse(Self.text) == MemoryEvents(high: 22, max: 333, oom: 4, oomKill: 5))
        #expect(parse("oom_kill 5\nfuture x y z\n\noom 4\nmax 18446744073709551615\nhigh 0\n")?.max == .max)
    }

    @Test(arguments: [
        "", "\n", "high 1\nmax 2\noom 3\n", "high 1\nmax 2\noom 3\noom_kill 4",
        "high 1\nhigh 1\nmax 2\noom 3\noom_kill 4\n",
        "high \nmax 2\noom 3\noom_kill 4\n", "high -1\nmax 2\noom 3\noom_kill 4\n", "high\nmax 2\noom 3\noom_kill 4\n",
        "high  1\nmax 2\noom 3\noom_kill 4\n", "high 18446744073709551616\nmax 2\noom 3\noom_kill 4\n",
    ])
    func isNilWhereACountIsMissingOrThereTwiceOrNoNumber(text: String) {
        #expect(parse(text) == nil)
    }

    @Test func watchesAFile() throws {
        let kernel = try FakeKernel([Self.file: Self.text])
        let watch = try MemoryEventsWatch(cgroup(in: kernel))
        #expect(watch.first == MemoryEvents(high: 22, max: 333, oom: 4, oomKill: 5))
        try kernel.set(Self.file, "high 23\nmax 333\noom 4\noom_kill 5\n")
        #expect(try watch.read().high == 23)
        try kernel.set(Self.file, "hello\n")
        let error = #expect(throws: KernelError.self) { _ = try watch.read() }
        #expect(error == KernelError("understand", kernel.path(Self.file), errno: EBADMSG))
    }

    @Test("without the memory controller there is no file to watch")
    func missing() throws {
        let kernel = try FakeKernel(["/sys/fs/cgroup/a/memory.pressure": ""])
        let error = #expect(throws: KernelError.self) { _ = try MemoryEventsWatch(cgroup(in: kernel)) }
        #expect(error == KernelError("open", kernel.path(Self.file), errno: ENOENT))
    }
}

/// The real kernel, with the memory controller on v2.
@Suite(.enabled(if: RealPressure.hasVersionTwo, "the memory controller is not on cgroup v2 here"))
struct RealMemoryEventsTests {
    @Test("the file polls as unchanged after a read; the file of a removed cgroup cannot be read")
    func removal() throws {
        let group = try PressureGroup("events", limit: 24)
        let watch = try MemoryEventsWatch(Cgroup(path: "/", directory: group.directory))
        var request = pollfd(fd: watch.descriptor, events: Int16(POLLPRI))
        #expect(poll(&request, 1, 0) == 0)
        group.remove()
        let error = #expect(throws: KernelError.self) { _ = try watch.read() }
        #expect(error?.errno == ENODEV)
    }
}
