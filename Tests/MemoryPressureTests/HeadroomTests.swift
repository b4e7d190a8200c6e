import CLinux
import MemoryPressure
import TestSupport
import Testing

struct HeadroomTests {
    /// A tree of cgroups, each with the values of its files: high, max, current, inactive_file.
    private func kernel(_ cgroups: [String: (String, String, UInt64, UInt64)]) throws -> FakeKernel {
        var files: [String: String] = [:]
        for (path, figures) in cgroups {
            files["/m\(path)/memory.high"] = figures.0 + "\n"
            files["/m\(path)/memory.max"] = figures.1 + "\n"
            files["/m\(path)/memory.current"] = "\(figures.2)\n"
            files["/m\(path)/memory.stat"] = "anon 1\ninactive_file \(figures.3)\nactive_file 2\n"
        }
        return try FakeKernel(files)
    }

    private func cgroup(_ path: String, in kernel: FakeKernel, _ version: MemoryCgroup.Version = .two) -> MemoryCgroup {
        MemoryCgroup(version, path: path, directory: kernel.path(path == "/" ? "/m" : "/m\(path)"))
    }

    private func headroom(_ path: String, in kernel: FakeKernel) throws -> Headroom? {
        try Headroom.read(of: cgroup(path, in: kernel))
    }

    @Test("the smallest share up the tree binds, even if another limit is smaller")
    func smallestShare() throws {
        let kernel = try kernel(["/a": ("max", "1000", 950, 0), "/a/b": ("max", "100", 60, 10)])
        let headroom = try #require(try headroom("/a/b", in: kernel))
        #expect(headroom == Headroom(limit: BindingLimit(.max, bytes: 1000, path: "/a"), used: 950))
        #expect(headroom.left == 50)
        #expect(headroom.share == .percent(5))
        try kernel.set("/m/a/memory.current", "100\n")
        #expect(
            try self.headroom("/a/b", in: kernel)
                == Headroom(limit: BindingLimit(.max, bytes: 100, path: "/a/b"), used: 50)
        )
    }

    @Test("of one cgroup's two limits the lower one binds; among equal shares the one closest to the process")
    func ties() throws {
        let kernel = try kernel(["/a": ("max", "200", 100, 0), "/a/b": ("80", "100", 40, 0)])
        #expect(try headroom("/a/b", in: kernel)?.limit == BindingLimit(.high, bytes: 80, path: "/a/b"))
        try kernel.set("/m/a/b/memory.high", "max\n")
        try kernel.set("/m/a/b/memory.current", "50\n")
        #expect(try headroom("/a/b", in: kernel)?.limit == BindingLimit(.max, bytes: 100, path: "/a/b"))
    }

    @Test("limits far below the top are not read, and do not hide those above them")
    func deep() throws {
        let nested = String(repeating: "/a", count: 40)
        let kernel = try kernel(["/a": ("max", "200", 100, 0), nested: ("max", "200", 150, 0)])
        #expect(try headroom(nested, in: kernel)?.limit.path == "/a")
    }

    @Test("a level without the controller is skipped")
    func passesBy() throws {
        let kernel = try kernel(["/a": ("max", "200", 100, 0), "/": ("max", "max", 1, 0)])
        try kernel.directory("/m/a/b/c")
        #expect(try headroom("/a/b/c", in: kernel)?.limit.path == "/a")
    }

    @Test func withoutAnyLimitThereIsNoHeadroom() throws {
        let kernel = try kernel(["/a": ("max", "max", 100, 0)])
        #expect(try headroom("/a", in: kernel) == nil)
        #expect(try headroom("/gone", in: kernel) == nil)
    }

    @Test("headroom is never negative", arguments: [("100", 150, 0, 0), ("100", 20, 30, 100), ("0", 0, 0, 0)])
    func bounds(max: String, current: UInt64, inactive: UInt64, left: UInt64) throws {
        let kernel = try kernel(["/a": ("max", max, current, inactive)])
        let headroom = try #require(try headroom("/a", in: kernel))
        #expect(headroom.left == left)
        #expect(headroom.share == (left == 0 ? .zero : .percent(100)))
    }

    @Test(
        "a malformed text causes an error",
        arguments: ["memory.max", "memory.current", "memory.stat"]
    )
    func damaged(file: String) throws {
        let kernel = try kernel(["/a": ("max", "100", 100, 0)])
        try kernel.set("/m/a/\(file)", "hello\n")
        let error = #expect(throws: KernelError.self) { try headroom("/a", in: kernel) }
        #expect(error == KernelError("understand", kernel.path("/m/a/\(file)"), errno: EBADMSG))
    }

    @Test("version 1 has its own files, and a huge number means no limit")
    func versionOne() throws {
        let kernel = try FakeKernel([
            "/m/memory.limit_in_bytes": "9223372036854771712\n",
            "/m/a/memory.limit_in_bytes": "1000\n", "/m/a/memory.usage_in_bytes": "500\n",
            "/m/a/memory.stat": "inactive_file 1\ntotal_inactive_file 100\n",
            "/m/a/b/memory.limit_in_bytes": "1152921504606846976\n",
        ])
        #expect(
            try Headroom.read(of: cgroup("/a/b", in: kernel, .one))
                == Headroom(limit: BindingLimit(.v1, bytes: 1000, path: "/a"), used: 400)
        )
        try kernel.set("/m/a/b/memory.limit_in_bytes", "1152921504606846975\n")
        try kernel.set("/m/a/b/memory.usage_in_bytes", "1152921504606846975\n")
        try kernel.set("/m/a/b/memory.stat", "total_inactive_file 0\n")
        #expect(try Headroom.read(of: cgroup("/a/b", in: kernel, .one))?.limit.path == "/a/b")
    }

    @Test func theHostsHeadroomIsItsAvailableMemory() throws {
        let kernel = try FakeKernel(["/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 250 kB\n"])
        let headroom = try Headroom.readHost(in: kernel.tree)
        #expect(headroom == Headroom(limit: BindingLimit(.machine, bytes: 1_024_000, path: "/"), used: 768_000))
        #expect(headroom.share == .percent(25))
        #expect(try Headroom.readHost().left > 0)
    }

    @Test(
        "the real kernel's limit, in either hierarchy",
        .enabled(if: RealPressure.missing == nil, "\(RealPressure.missing ?? "")")
    )
    func real() throws {
        let group = try PressureGroup("headroom", limit: 24)
        let version: MemoryCgroup.Version = RealPressure.hasVersionTwo ? .two : .one
        let directory = try #require(group.directories.first)
        let headroom = try #require(
            try Headroom.read(of: MemoryCgroup(version, path: "/x", directory: directory))
        )
        #expect(headroom.limit == BindingLimit(version == .one ? .v1 : .high, bytes: 24 << 20, path: "/x"))
        #expect(headroom.share > .percent(90))
        group.remove()
        #expect(try Headroom.read(of: MemoryCgroup(version, path: "/x", directory: directory)) == nil)
    }
}

struct MemoryLimitTests {
    @Test("on a hybrid host the limit of version 1 binds, with the memory charged against it")
    func versionOne() throws {
        let limit = "/sys/fs/cgroup/memory/a/memory.limit_in_bytes"
        let kernel = try FakeKernel([
            "/proc/self/cgroup": "4:memory:/a\n0::/\n",
            "/proc/self/mountinfo": "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
            "/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 250 kB\n",
            limit: "4096\n", "/sys/fs/cgroup/memory/a/memory.usage_in_bytes": "1024\n",
        ])
        #expect(try MemoryLimit.read(in: kernel.tree) == MemoryLimit(bytes: 4096, used: 1024))
        #expect(MemoryLimit.files(in: kernel.tree) == [kernel.path(limit)])
        try kernel.set(limit, "1024000\n")
        #expect(try MemoryLimit.read(in: kernel.tree).used == 768_000, "no tighter than the machine")
        try kernel.set(limit, "9223372036854771712\n")
        #expect(try MemoryLimit.read(in: kernel.tree) == MemoryLimit(bytes: 1_024_000, used: 768_000))
    }
}
