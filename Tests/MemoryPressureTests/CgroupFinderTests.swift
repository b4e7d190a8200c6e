import CLinux
import MemoryPressure
import TestSupport
import Testing

struct CgroupFinderTests {
    private let kernel: FakeKernel

    init() throws {
        kernel = try FakeKernel(["/proc/self/mountinfo": "30 23 0:26 / /cg rw - cgroup2 cgroup2 rw\n"])
        try kernel.directory("/cg/system.slice")
        try kernel.set("/cg/cgroup.procs", "")
    }

    private func finder(_ patterns: String..., limit: Int = 1024) throws -> CgroupFinder {
        try CgroupFinder(patterns.map { try CgroupPattern($0) }, in: kernel.tree, limit: limit)
    }

    private func make(_ path: String) throws { try kernel.directory("/cg" + path) }
    private func remove(_ path: String) { kernel.removeDirectory("/cg" + path) }
    private func appeared(_ path: String) -> CgroupFinder.Event {
        .appeared(Cgroup(path: path, directory: kernel.path("/cg" + path)))
    }

    private func isReadable(_ finder: CgroupFinder) -> Bool {
        var request = pollfd(fd: finder.descriptor, events: Int16(POLLIN))
        return poll(&request, 1, 0) == 1
    }

    /// All events that the finder can report now, in their order.
    private func events(of finder: CgroupFinder) throws -> [CgroupFinder.Event] {
        var events = try finder.update()
        while isReadable(finder) { events += try finder.update() }
        return events
    }

    @Test("existing cgroups are found, each once however many patterns it matches")
    func initial() throws {
        for name in ["a.service", "b.service", "c.scope"] { try make("/system.slice/\(name)") }
        try make("/system.slice/a.service/inner.service")
        try kernel.set("/cg/system.slice/file.service", "")
        let finder = try finder("/system.slice/*.service", "/*/a*", "/nowhere/*")
        #expect(
            try Set(events(of: finder)) == [appeared("/system.slice/a.service"), appeared("/system.slice/b.service")]
        )
        #expect(try events(of: finder) == [])
        #expect(!isReadable(finder))
    }

    @Test func reportsCgroupsThatAppearAndVanish() throws {
        let finder = try finder("/system.slice/*.service")
        #expect(try events(of: finder) == [])
        try make("/system.slice/a.service")
        #expect(isReadable(finder))
        #expect(try events(of: finder) == [appeared("/system.slice/a.service")])
        remove("/system.slice/a.service")
        try make("/system.slice/a.service")
        try make("/system.slice/a.scope")
        #expect(
            try events(of: finder) == [.vanished("/system.slice/a.service"), appeared("/system.slice/a.service")],
            "another one of the same name"
        )
        remove("/system.slice/a.scope")
        remove("/system.slice/a.service")
        #expect(try events(of: finder) == [.vanished("/system.slice/a.service")])
    }

    @Test("a cgroup that came and went between two searches is not reported, but a new one with its name is")
    func passing() throws {
        let finder = try finder("/system.slice/*.service")
        #expect(try events(of: finder) == [])
        for _ in 0..<3 {
            try make("/system.slice/a.service")
            remove("/system.slice/a.service")
        }
        #expect(try finder.update() == [])
        try make("/system.slice/a.service")
        try make("/system.slice/b.service")
        remove("/system.slice/a.service")
        try make("/system.slice/a.service")
        #expect(try finder.update() == [appeared("/system.slice/b.service"), appeared("/system.slice/a.service")])
        remove("/system.slice/a.service")
        try make("/system.slice/a.service")
        remove("/system.slice/a.service")
        #expect(try finder.update() == [.vanished("/system.slice/a.service")])
    }

    @Test("a cgroup that is created at once together with its parent directories is found")
    func deep() throws {
        let finder = try finder("/user.slice/*/app.slice", "/user.slice/*/app.slice/*.service")
        #expect(try events(of: finder) == [])
        try make("/user.slice/user-1.slice/app.slice/a.service")
        #expect(
            try events(of: finder) == [
                appeared("/user.slice/user-1.slice/app.slice"),
                appeared("/user.slice/user-1.slice/app.slice/a.service"),
            ]
        )
        try make("/user.slice/user-1.slice/app.slice/b.service")
        #expect(try events(of: finder) == [appeared("/user.slice/user-1.slice/app.slice/b.service")])
        for inner in ["/app.slice/a.service", "/app.slice/b.service", "/app.slice", ""] {
            remove("/user.slice/user-1.slice" + inner)
        }
        #expect(
            try events(of: finder) == [
                .vanished("/user.slice/user-1.slice/app.slice/a.service"),
                .vanished("/user.slice/user-1.slice/app.slice/b.service"),
                .vanished("/user.slice/user-1.slice/app.slice"),
            ]
        )
    }

    @Test("a directory that is created again under its old name is watched again, and its cgroups are reported")
    func recreated() throws {
        let finder = try finder("/a/*")
        try make("/a/x")
        #expect(try events(of: finder) == [appeared("/a/x")])
        remove("/a/x")
        remove("/a")
        try make("/a/y")
        #expect(try events(of: finder) == [.vanished("/a/x"), appeared("/a/y")])
        remove("/a/y")
        #expect(try events(of: finder) == [.vanished("/a/y")])
    }

    @Test("the results of an event on one directory do not affect a later directory with its name")
    func recreatedBetweenNotices() throws {
        let finder = try finder("/a/*", "/*.slice")
        #expect(try events(of: finder) == [appeared("/system.slice")])
        // This fills one read of the inotify queue, at 32 bytes an event; the last event that fits reports that an earlier `a` was
        // created.
        try make("/b")
        for _ in 0..<300 {
            try make("/a")
            remove("/a")
        }
        try make("/a/x")
        #expect(try finder.update() == [appeared("/a/x")])
        // This event belongs to the watch of the new `a`, which does not exist yet according to the events read so far.
        remove("/a/x")
        #expect(try events(of: finder) == [.vanished("/a/x")])
    }

    @Test("a mount of part of the tree names its cgroups as the kernel does")
    func mountOfAPart() throws {
        try kernel.set("/proc/self/mountinfo", "30 23 0:26 /pod /cg rw - cgroup2 cgroup2 rw\n")
        let finder = try finder("/*.slice")
        #expect(
            try events(of: finder)
                == [.appeared(Cgroup(path: "/pod/system.slice", directory: kernel.path("/cg/system.slice")))]
        )
        remove("/system.slice")
        #expect(try events(of: finder) == [.vanished("/pod/system.slice")])
    }

    @Test("cgroups beyond the limit are ignored and reported once; they are added as others vanish")
    func limit() throws {
        let finder = try finder("/system.slice/*", limit: 3)
        for number in 1...5 { try make("/system.slice/\(number)") }
        let first = try events(of: finder)
        #expect(first.count == 4)
        #expect(first.filter { $0 == .tooMany(3) }.count == 1)
        try make("/system.slice/6")
        #expect(try events(of: finder) == [], "said already")

        let known = (1...5).filter { first.contains(appeared("/system.slice/\($0)")) }
        try #require(known.count == 3)
        for number in known { remove("/system.slice/\(number)") }
        let second = try events(of: finder)
        #expect(Set(second.prefix(3)) == Set(known.map { .vanished("/system.slice/\($0)") }))
        let others = Set(1...6).subtracting(known)
        #expect(Set(second.dropFirst(3)) == Set(others.map { appeared("/system.slice/\($0)") }))
        try make("/system.slice/7")
        #expect(try events(of: finder) == [.tooMany(3)], "all had room meanwhile")
    }

    @Test("directories beyond the limit are not watched, and that is reported")
    func watchLimit() throws {
        let finder = try finder("/*/*/x", limit: 3)
        for number in 1...5 { try make("/\(number)/a") }
        #expect(try events(of: finder) == [.tooMany(3)])
    }

    @Test(
        "when the kernel has lost events, all directories are searched again",
        .enabled(
            if: Self.longestQueue <= 65_536 && KernelFile.exists("/dev/shm"),
            "it would take too many directories, or too long"
        )
    )
    func overflow() throws {
        // In memory: on a disk it takes seconds to create this many.
        let memory = "/dev/shm/memwarnd-test-\(getpid())"
        for path in ["", "/early", "/stays"] { try #require(mkdir(memory + path, 0o755) == 0) }
        defer { for path in ["/stays", "/late", "/last", ""] { rmdir(memory + path) } }
        try #require(symlink(memory, kernel.path("/cg/memory.slice")) == 0)
        try kernel.set("/proc/self/mountinfo", "30 23 0:26 / /cg/memory.slice rw - cgroup2 cgroup2 rw\n")
        let finder = try finder("/*")
        #expect(try events(of: finder).count == 2)
        for _ in 0..<(Self.longestQueue / 2 + 1) {
            mkdir(memory + "/x", 0o755)
            rmdir(memory + "/x")
        }
        // The kernel drops the events for these two.
        rmdir(memory + "/early")
        mkdir(memory + "/late", 0o755)
        let place = kernel.path("/cg/memory.slice")
        // One buffer may end between these two events.
        let passing: [CgroupFinder.Event] = [.appeared(Cgroup(path: "/x", directory: place + "/x")), .vanished("/x")]
        let events = try events(of: finder).filter { !passing.contains($0) }
        #expect(events == [.appeared(Cgroup(path: "/late", directory: place + "/late")), .vanished("/early")])
        mkdir(memory + "/last", 0o755)
        #expect(try self.events(of: finder) == [.appeared(Cgroup(path: "/last", directory: place + "/last"))])
    }

    private static let longestQueue: Int = {
        let text = try? KernelFile.text(of: "/proc/sys/fs/inotify/max_queued_events")
        return text.flatMap { Int($0.prefix { $0 != "\n" }) } ?? .max
    }()

    @Test func aHostWithoutVersionTwoHasNoCgroupsToFind() throws {
        try kernel.set("/proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n")
        let error = #expect(throws: KernelError.self) { try finder("/a") }
        #expect(error?.errno == ENODEV)
    }

    @Test("a mount that cannot be read causes an error, and the next call tries again")
    func unreadable() throws {
        try kernel.set("/proc/self/mountinfo", "30 23 0:26 / /later rw - cgroup2 cgroup2 rw\n")
        let finder = try finder("/*")
        let error = #expect(throws: KernelError.self) { try finder.update() }
        #expect(error == KernelError("watch", kernel.path("/later"), errno: ENOENT))
        try kernel.directory("/later/a")
        #expect(
            try events(of: finder) == [.appeared(Cgroup(path: "/a", directory: kernel.path("/later/a")))]
        )
    }

    @Test(
        "after random creation and removal the reported changes match the present cgroups",
        arguments: [1, 2, 3] as [UInt64]
    )
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let finder = try finder("/system.slice/*", "/system.slice/*/a*", "/system.slice/1/*/c")
        var there: Set<String> = []
        var told: Set<String> = []
        for step in 0..<2_000 {
            let names = ["1", "2", "a", "b", "c"]
            let depth = Int.random(in: 1...3, using: &generator)
            var path = "/system.slice"
            for _ in 0..<depth { path += "/" + (names.randomElement(using: &generator) ?? "1") }
            if there.contains(path), !there.contains(where: { $0.hasPrefix(path + "/") }) {
                remove(path)
                there.remove(path)
            } else if path.split(separator: "/").count == 2 || there.contains(String(path.dropLast(2))) {
                try make(path)
                there.insert(path)
            }
            // In batches of all lengths, so that many changes are outdated when they are reported.
            guard Int.random(in: 0..<20, using: &generator) == 0 || step == 1_999 else { continue }
            for event in try events(of: finder) {
                switch event {
                case .appeared(let cgroup): #expect(told.insert(cgroup.path).inserted)
                case .vanished(let path): #expect(told.remove(path) != nil)
                case .tooMany: Issue.record("all cgroups fit within the limit")
                }
            }
            let expected = there.filter { path in
                let names = path.split(separator: "/").dropFirst()
                return names.count == 1 || (names.count == 2 && names.last?.first == "a")
                    || (names.count == 3 && names.first == "1" && names.last == "c")
            }
            #expect(told == expected)
        }
    }

    @Test(
        "real cgroups appear and vanish",
        .enabled(if: RealCgroup.missing == nil, "\(RealCgroup.missing ?? "")")
    )
    func real() throws {
        let group = try RealCgroup("finder")
        let own = try #require(try Cgroup.of(.current))
        let base = (own.path == "/" ? "" : own.path) + "/" + group.name
        let finder = try CgroupFinder([CgroupPattern(base), CgroupPattern(base + "/*.service")])
        #expect(try events(of: finder) == [.appeared(Cgroup(path: base, directory: group.directory))])
        let inner = group.directory + "/a.service"
        try #require(mkdir(inner, 0o755) == 0)
        #expect(try events(of: finder) == [.appeared(Cgroup(path: base + "/a.service", directory: inner))])
        try #require(rmdir(inner) == 0)
        #expect(try events(of: finder) == [.vanished(base + "/a.service")])
        group.remove()
        #expect(try events(of: finder) == [.vanished(base)])
        #expect(!isReadable(finder))
    }
}
