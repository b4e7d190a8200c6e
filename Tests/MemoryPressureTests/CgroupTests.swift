import CLinux
import MemoryPressure
import TestSupport
import Testing

struct CgroupTests {
    private static let hybridMounts = """
        31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 master:1 - cgroup2 cgroup2 rw

        """
    private static let pureMounts = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"

    @Test func findsACgroupOnAPureHost() throws {
        let kernel = try FakeKernel([
            "/proc/7/cgroup": "0::/system.slice/a.service\n",
            "/proc/self/mountinfo": Self.pureMounts,
            "/sys/fs/cgroup/system.slice/a.service/cgroup.events": "populated 1\n",
        ])
        let cgroup = try #require(try Cgroup.of(.pid(7), in: kernel.tree))
        #expect(cgroup.path == "/system.slice/a.service")
        #expect(cgroup.pressure == kernel.path("/sys/fs/cgroup/system.slice/a.service/memory.pressure"))
        #expect(!cgroup.isHierarchyRoot)
    }

    @Test func findsALineOtherThanTheFirstOnAHybridHost() throws {
        let kernel = try FakeKernel([
            "/proc/7/cgroup": "9:name=systemd:/x\n4:memory:/wrong\n0::/\n",
            "/proc/self/mountinfo": Self.hybridMounts,
            "/sys/fs/cgroup/unified/memory.pressure": "",
        ])
        let cgroup = try #require(try Cgroup.of(.pid(7), in: kernel.tree))
        #expect(cgroup.path == "/")
        #expect(cgroup.directory == kernel.path("/sys/fs/cgroup/unified"))
        #expect(cgroup.isHierarchyRoot)
    }

    @Test func knowsThatANamespacesRootIsAnOrdinaryCgroup() throws {
        let kernel = try FakeKernel([
            "/proc/self/cgroup": "0::/\n",
            "/proc/self/mountinfo": Self.pureMounts,
            "/sys/fs/cgroup/cgroup.events": "populated 1\n",
        ])
        let cgroup = try #require(try Cgroup.of(.current, in: kernel.tree))
        #expect(!cgroup.isHierarchyRoot)
    }

    @Test("in a mount that shows part of the tree, the search is limited to that part")
    func mountOfAPart() throws {
        let kernel = try FakeKernel([
            "/proc/7/cgroup": "0::/pod/box/worker\n",
            "/proc/self/mountinfo": "30 23 0:26 /pod/box /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n",
            "/sys/fs/cgroup/worker/cgroup.events": "",
        ])
        let cgroup = try #require(try Cgroup.of(.pid(7), in: kernel.tree))
        #expect(cgroup.directory == kernel.path("/sys/fs/cgroup/worker"))
    }

    @Test("a container that sees the host's paths uses the mount's root")
    func hostNamespaceInsideAContainer() throws {
        let kernel = try FakeKernel([
            "/proc/self/cgroup": "0::/docker/0123456789abcdef\n",
            "/proc/self/mountinfo": "30 23 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n",
            "/sys/fs/cgroup/cgroup.events": "",
        ])
        let cgroup = try #require(try Cgroup.of(.current, in: kernel.tree))
        #expect(cgroup.directory == kernel.path("/sys/fs/cgroup"))
    }

    /// The host's hierarchy in a container whose own cgroup is three levels below the top.
    private func container(_ membership: String, own: String = "/pods/a/box") throws -> FakeKernel {
        try FakeKernel([
            "/proc/7/cgroup": "0::\(membership)\n",
            "/proc/self/mountinfo": "30 23 0:26 /../../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "/sys/fs/cgroup/system.slice/x.service/cgroup.procs": "1\n",
            "/sys/fs/cgroup/pods/a/other/cgroup.procs": "1\n2\n",
            "/sys/fs/cgroup/pods/b/box/cgroup.procs": "7\n",
            // This is above the namespace's root, so it must not match although the pid does.
            "/sys/fs/cgroup/pods/cgroup.procs": "\(getpid())\n",
            "/sys/fs/cgroup\(own)/cgroup.procs": "1\n\(getpid())\n",
        ])
    }

    @Test(
        "a container with the host's hierarchy finds other cgroups by the host's names",
        arguments: [
            ("/../../../system.slice/x.service", "/system.slice/x.service"),
            ("/../../b/box", "/pods/b/box"),
            ("/../other", "/pods/a/other"),
            ("/..", "/pods/a"),
            ("/", "/pods/a/box"),
        ]
    )
    func hostHierarchyInANamespace(membership: String, path: String) throws {
        let kernel = try container(membership)
        let cgroup = try #require(try Cgroup.of(.pid(7), in: kernel.tree))
        #expect(cgroup.path == path)
        #expect(cgroup.directory == kernel.path("/sys/fs/cgroup" + path))
    }

    @Test("a process further down in the namespace still finds the namespace's root")
    func insideTheNamespace() throws {
        let kernel = try container("/../other", own: "/pods/a/box/inner")
        #expect(try Cgroup.of(.pid(7), in: kernel.tree)?.path == "/pods/a/other")
    }

    @Test("a cgroup above the mount, or a removed one, is not found", arguments: ["/../../../../x", "/../../gone/box"])
    func outsideTheMount(membership: String) throws {
        let kernel = try container(membership)
        #expect(try Cgroup.of(.pid(7), in: kernel.tree) == nil)
    }

    @Test("a container that is not in the hierarchy does not use another's cgroup")
    func unknownNamespaceRoot() throws {
        let kernel = try container("/", own: "/system.slice/short")
        #expect(try Cgroup.of(.pid(7), in: kernel.tree) == nil)
    }

    @Test func doesNotMistakeAnotherNamespacesCgroupForOurs() throws {
        let kernel = try FakeKernel([
            "/proc/7/cgroup": "0::/../other.service\n",
            "/proc/self/mountinfo": Self.pureMounts,
            "/sys/fs/cgroup/cgroup.events": "",
        ])
        #expect(try Cgroup.of(.pid(7), in: kernel.tree) == nil)
    }

    @Test func aHostWithoutVersionTwoHasNone() throws {
        let kernel = try FakeKernel([
            "/proc/7/cgroup": "4:memory:/x\n",
            "/proc/self/mountinfo": Self.hybridMounts,
        ])
        #expect(try Cgroup.of(.pid(7), in: kernel.tree) == nil)
    }

    @Test func aProcessThatHasEndedIsAnError() throws {
        let kernel = try FakeKernel(["/proc/self/mountinfo": Self.pureMounts])
        let error = #expect(throws: KernelError.self) { try Cgroup.of(.pid(7), in: kernel.tree) }
        #expect(
            error?.description == "cannot open \(kernel.path("/proc/7/cgroup")): No such file or directory (errno 2)"
        )
    }

    @Test func readsEscapedMountPoints() {
        let mounts = CgroupMount.all(inMountinfo: #"30 23 0:26 / /my\040groups\134 rw - cgroup2 none rw"#)
        #expect(mounts == [CgroupMount(directory: #"/my groups\"#, root: "/")])
    }

    @Test(arguments: ["", "\n\n", "30", "30 23 0:26 / /x rw", "30 23 0:26 / /x rw -", "- - - - - - - - -"])
    func damagedMountinfoIsNoMount(text: String) {
        #expect(CgroupMount.all(inMountinfo: text).isEmpty)
    }

    @Test func textThatIsNoEscapeInAMountPointStays() {
        let mounts = CgroupMount.all(inMountinfo: #"1 2 3 \0 /\04 6 - cgroup2 none rw"#)
        #expect(mounts == [CgroupMount(directory: #"/\04"#, root: #"\0"#)])
    }

    @Test func aRemovedCgroupIsNamedWithoutItsMark() {
        #expect(Cgroup.path(inMembership: "0::/a/b (deleted)\n") == "/a/b")
    }

    @Test func findsTheRealOne() throws {
        let cgroup = try #require(try Cgroup.of(.current))
        #expect(cgroup.path.hasPrefix("/"))
    }
}
