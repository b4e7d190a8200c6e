import CLinux
import TestSupport
import Testing

@testable import MemoryPressure

struct CgroupMountsTests {
    private static func line(_ directory: String, _ type: String = "cgroup2", _ options: String = "rw") -> String {
        "30 23 0:26 / \(directory) rw - \(type) none \(options)\n"
    }

    @Test("the mounts of both hierarchies are read together, and kept until the kernel reports a change")
    func keeping() throws {
        let lines = [Self.line("/a"), Self.line("/b", "cgroup", "rw,memory"), Self.line("/cgroup", "tmpfs")]
        let kernel = try FakeKernel(["/proc/self/mountinfo": lines.joined()])
        let mounts = CgroupMounts(in: kernel.tree)
        #expect(try mounts.all(of: .unified).map(\.directory) == ["/a"])
        try kernel.set("/proc/self/mountinfo", Self.line("/c"))
        #expect(try mounts.all(of: .memoryV1).map(\.directory) == ["/b"])
        #expect(try mounts.all(of: .unified).map(\.directory) == ["/a"])
        #expect(try CgroupMounts(in: kernel.tree).all(of: .unified).map(\.directory) == ["/c"])
    }

    @Test("a file that cannot be opened is tried again")
    func missing() throws {
        let kernel = try FakeKernel([:])
        let mounts = CgroupMounts(in: kernel.tree)
        #expect(throws: KernelError.self) { try mounts.all(of: .unified) }
        try kernel.set("/proc/self/mountinfo", Self.line("/a"))
        #expect(try mounts.all(of: .unified).count == 1)
    }

    @Test("the next query sees a mount or unmount", .enabled(if: PrivateMounts.areAllowed))
    func changes() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            try directory.makeDirectory("/proc/self")
            // The mounts of this thread, which has its own mount namespace.
            try #require(symlink("/proc/thread-self/mountinfo", directory.path + "/proc/self/mountinfo") == 0)
            let place = directory.path + "/groups"
            try directory.makeDirectory("/groups")
            try PrivateMounts.enter()
            let mounts = CgroupMounts(in: KernelTree(root: directory.path))
            func isMounted() throws -> Bool { try mounts.all(of: .unified).contains { $0.directory == place } }
            #expect(try !isMounted())
            try #require(mount("none", place, "cgroup2", 0, nil) == 0)
            #expect(try isMounted())
            #expect(try isMounted())
            try #require(umount(place) == 0)
            #expect(try !isMounted())
        }
    }
}
