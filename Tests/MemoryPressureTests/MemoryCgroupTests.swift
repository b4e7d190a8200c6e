import MemoryPressure
import TestSupport
import Testing

struct MemoryCgroupTests {
    private static let hybridMounts = """
        31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
        32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,hugetlb,memory
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 master:1 - cgroup2 cgroup2 rw

        """
    private static let pureMounts = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"

    @Test func isTheCgroupItselfIfVersionTwoHasTheController() throws {
        let kernel = try FakeKernel([
            "/proc/7/cgroup": "0::/a/b\n", "/proc/self/mountinfo": Self.pureMounts,
            "/sys/fs/cgroup/a/b/memory.max": "max\n",
        ])
        let cgroup = try #require(try Cgroup.of(.pid(7), in: kernel.tree))
        #expect(try MemoryCgroup.of(.pid(7), in: kernel.tree) == MemoryCgroup(cgroup))
        #expect(MemoryCgroup(cgroup).version == .two)
    }

    @Test func isTheCgroupOfVersionOneOnAHybridHost() throws {
        let kernel = try FakeKernel([
            "/proc/7/cgroup": "5:cpu,memory_no:/x\n4:hugetlb,memory:/a:b/c\n0::/\n",
            "/proc/self/mountinfo": Self.hybridMounts, "/sys/fs/cgroup/unified/memory.pressure": "",
            "/sys/fs/cgroup/memory/a:b/c/memory.limit_in_bytes": "1\n",
        ])
        let directory = kernel.path("/sys/fs/cgroup/memory/a:b/c")
        #expect(
            try MemoryCgroup.of(.pid(7), in: kernel.tree)
                == MemoryCgroup(.one, path: "/a:b/c", directory: directory)
        )
    }

    @Test("version 2 does not replace a hierarchy of version 1 that is not mounted here")
    func notMounted() throws {
        let kernel = try FakeKernel([
            "/proc/7/cgroup": "4:memory:/a\n0::/a\n", "/proc/self/mountinfo": Self.pureMounts,
            "/sys/fs/cgroup/a/memory.pressure": "",
        ])
        #expect(try MemoryCgroup.of(.pid(7), in: kernel.tree) == nil)
    }

    @Test("a container that sees the host's paths uses the mount's root")
    func container() throws {
        let kernel = try FakeKernel([
            "/proc/self/cgroup": "4:memory:/docker/0123\n",
            "/proc/self/mountinfo": "35 31 0:32 /docker/0123 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "1\n",
        ])
        let cgroup = try #require(try MemoryCgroup.of(.current, in: kernel.tree))
        #expect(cgroup.directory == kernel.path("/sys/fs/cgroup/memory"))
        #expect(cgroup.path == "/docker/0123")
        #expect(cgroup.lineage == [cgroup])
    }

    @Test(
        "the path upwards ends at the mount",
        arguments: [
            ("/a/b", "/m/a/b", ["/a/b /m/a/b", "/a /m/a", "/ /m"]),
            ("/", "/m", ["/ /m"]),
            ("/pod/box/worker", "/m/worker", ["/pod/box/worker /m/worker", "/pod/box /m"]),
            ("/..", "/m", ["/.. /m"]),
            ("/a/\u{301}b", "/m/a/\u{301}b", ["/a/\u{301}b /m/a/\u{301}b", "/a /m/a", "/ /m"]),
            ("/ab", "/m/b", ["/ab /m/b"]),
        ]
    )
    func lineage(path: String, directory: String, expected: [String]) {
        let cgroup = MemoryCgroup(.two, path: path, directory: directory)
        #expect(cgroup.lineage.map { "\($0.path) \($0.directory)" } == expected)
    }

    @Test("if a cgroup is deeper than any real one, the topmost 32 are read, whatever its names")
    func deepLineage() {
        func cgroup(_ depth: Int) -> MemoryCgroup {
            let path = String(repeating: "/a", count: depth)
            return MemoryCgroup(.two, path: depth == 0 ? "/" : path, directory: "/m" + path)
        }
        for depth in [3, 31, 32, 1_500] {
            #expect(cgroup(depth).lineage == (0...min(depth, 31)).reversed().map(cgroup))
        }
    }

    @Test func findsTheRealOne() throws {
        let cgroup = try #require(try MemoryCgroup.of(.current))
        let membership = try KernelFile.text(of: KernelTree.live.cgroups(of: .current))
        #expect(membership.contains(":\(cgroup.path)"))
        #expect(KernelFile.exists(cgroup.directory + "/cgroup.procs"))
    }
}
