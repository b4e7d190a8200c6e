import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import TestSupport
import Testing

@testable import memwarnctl

struct DiagnosisTests {
    /// A machine without anything to improve.
    static func ideal() throws -> Surroundings {
        var snapshot = DaemonSnapshot.sample
        snapshot.daemon.version = Version.current
        snapshot.scopes = [.sample(1, "/"), .sample(2, "/a.slice")]
        return Surroundings(
            stallTotal: .success(854_700_000),
            shortTrigger: .worked,
            trigger: .worked,
            cgroupMounts: .success([CgroupMount(directory: "/sys/fs/cgroup", root: "/")]),
            controllers: ["cpu", "memory"],
            ownCgroup: Cgroup(path: "/a.slice", directory: "/nonexistent"),
            ownPressure: .worked,
            hasOwnEvents: true,
            otherPressure: ("/sys/fs/cgroup/b.slice", .worked),
            memory: .success(MemoryAvailability(total: 16 << 30, available: 4 << 30)),
            swap: 2 << 30,
            descriptorLimit: 65_536,
            lockLimit: 8 << 20,
            capabilities: 1 << 14,
            daemon: .success(snapshot)
        )
    }

    private func diagnosis(_ change: (inout Surroundings) -> Void) throws -> Diagnosis {
        var seen = try Self.ideal()
        change(&seen)
        return Diagnosis(seen)
    }

    private func finding(_ check: String, _ change: (inout Surroundings) -> Void) throws -> Finding {
        let finding = try diagnosis(change).findings.first { $0.check == check }
        return try #require(finding, "no finding of \(check)")
    }

    private func error(_ errno: CInt, _ operation: String = "open") -> KernelError {
        KernelError(operation, "/file", errno: errno)
    }

    @Test func aPerfectHostHasNothingToImprove() throws {
        let diagnosis = try diagnosis { _ in }
        #expect(diagnosis.state == .good)
        #expect(diagnosis.exitCode == .done)
        #expect(diagnosis.findings.allSatisfy { $0.state == .good && $0.advice == nil })
        #expect(diagnosis.text.hasSuffix("\n\nall good"))
        let expected = "the machine would be watched by privileged triggers; a stall is noticed within 0.5 s"
        #expect(diagnosis.findings.first == .good("watching", expected))
    }

    @Test("in a container with its own pids other processes cannot be located, and the advice names the missing option")
    func ownPids() throws {
        let finding = try finding("processes") { $0.seesAllProcesses = false }
        #expect(finding.state == .degraded)
        #expect(finding.advice?.contains("hostPID: true") == true)
    }

    @Test("a /proc that hides processes of other users is a bad sign, and the advice names a remedy")
    func hidden() throws {
        let finding = try finding("processes") { $0.hiding = "hidepid=2" }
        #expect(finding.state == .degraded)
        #expect(finding.seen.contains("hidepid=2"))
        #expect(finding.advice?.contains("SupplementaryGroups=") == true)
    }

    @Test("hosts are listed by allocator, and allocators that keep freed memory are a bad sign")
    func allocators() throws {
        func host(_ name: String, _ allocator: HostAllocator) -> HostRecord {
            HostRecord {
                $0.id = 1
                $0.state = .present
                $0.pid = 1
                $0.uid = 1
                $0.priority = 128
                $0.level = .normal
                $0.name = name
                $0.scope = "/"
                $0.allocator = allocator
            }
        }
        let findings = try diagnosis {
            $0.daemon = $0.daemon.map { snapshot in
                var snapshot = snapshot
                snapshot.hosts = [
                    host("a", .glibc), host("b", .mimalloc), host("c", .unstated), host("d", .glibc), host("e", .other),
                ]
                return snapshot
            }
        }.findings.filter { $0.check == "allocators" }
        #expect(findings.map(\.seen) == ["other: e", "glibc: a, d", "mimalloc: b"])
        #expect(findings.map(\.state) == [.degraded, .good, .degraded])
    }

    @Test("without privilege a stall is detected later, and the advice names the missing privilege")
    func unprivileged() throws {
        let diagnosis = try diagnosis { $0.shortTrigger = .failed(error(EINVAL, "arm a trigger on")) }
        #expect(diagnosis.exitCode == .failed)
        let expected = """
            degraded  watching                the machine would be watched by triggers; a stall is noticed up to 2 s late
                                              → with CAP_SYS_RESOURCE a stall is noticed within 0.5 s
            good      psi                     the kernel counts memory stalls: 854 s since boot
            degraded  privileged trigger      cannot arm a trigger on /file: Invalid argument (errno 22)
                                              → run with CAP_SYS_RESOURCE, as the packaged unit does
            good      trigger                 a window of 2 s is accepted
            """
        #expect(diagnosis.text.hasPrefix(expected + "\n"))
        let count = diagnosis.findings.count
        #expect(diagnosis.text.hasSuffix("\n\n2 of \(count) checks could be better; the machine can be watched"))
    }

    @Test("without any trigger the machine is polled")
    func polling() throws {
        let change: (inout Surroundings) -> Void = {
            $0.shortTrigger = .failed(KernelError("open for writing", "/file", errno: EROFS))
            $0.trigger = .failed(KernelError("open for writing", "/file", errno: EROFS))
        }
        let watching = try finding("watching", change)
        #expect(watching.seen.hasPrefix("the machine would be watched by polling: a wake-up every 2 s"))
        #expect(try finding("trigger", change).advice?.contains("ProtectControlGroups=") == true)
    }

    @Test(
        "without PSI only available memory can be read, which is the lowest rung",
        arguments: [ENOENT, EOPNOTSUPP]
    )
    func withoutStalls(errno: CInt) throws {
        let change: (inout Surroundings) -> Void = {
            $0.stallTotal = .failure(KernelError("read", "/file", errno: errno))
            $0.shortTrigger = .failed(KernelError("read", "/file", errno: errno))
            $0.trigger = $0.shortTrigger
        }
        #expect(try diagnosis(change).exitCode == .failed)
        #expect(try finding("watching", change).seen.contains("how much memory is available"))
        let psi = try finding("psi", change)
        #expect(psi.state == .bad)
        #expect(psi.advice == "boot with psi=1; the kernel has to be built with CONFIG_PSI")
    }

    @Test("if nothing can be read, nothing can be watched")
    func nothing() throws {
        let diagnosis = try diagnosis {
            $0.stallTotal = .failure(error(EACCES))
            $0.memory = .failure(error(ENOENT))
        }
        #expect(diagnosis.state == .bad)
        #expect(diagnosis.exitCode == .nothingToWatch)
        #expect(diagnosis.text.hasSuffix("\n\nnothing can be watched here"))
        let states = diagnosis.findings.filter { $0.state == .bad }.map(\.check)
        #expect(states == ["watching", "psi", "memory"])
    }

    @Test("swap, descriptors and locked memory", arguments: [true, false])
    func limits(isEnough: Bool) throws {
        let diagnosis = try diagnosis {
            $0.capabilities = 0
            $0.swap = isEnough ? 1 << 30 : 0
            $0.descriptorLimit = isEnough ? 1_512 : 1_511
            // With any limit, however high, nothing is locked.
            $0.lockLimit = isEnough ? nil : 1 << 40
        }
        let findings = diagnosis.findings.filter { ["swap", "descriptors", "memory locking"].contains($0.check) }
        #expect(findings.count == 3)
        #expect(findings.allSatisfy { $0.state == (isEnough ? .good : .degraded) })
        #expect(findings[1].seen == (isEnough ? "1512, enough for 1000 hosts" : "1511, enough for 999 hosts"))
    }

    @Test func noLimitIsTheBest() throws {
        let diagnosis = try diagnosis {
            $0.capabilities = nil
            $0.descriptorLimit = nil
            $0.lockLimit = nil
        }
        #expect(diagnosis.exitCode == .done)
    }

    @Test("the hierarchy of cgroups")
    func cgroups() throws {
        func expect(
            _ check: String,
            _ state: Finding.State,
            _ text: String,
            _ change: (inout Surroundings) -> Void
        ) throws {
            let finding = try finding(check, change)
            #expect(finding.state == state)
            #expect(finding.seen.contains(text))
            #expect((finding.advice == nil) == (state == .good))
        }
        try expect("cgroups", .bad, "cannot open") { $0.cgroupMounts = .failure(error(EACCES)) }
        try expect("cgroups", .degraded, "no cgroup v2") { $0.cgroupMounts = .success([]) }
        try expect("cgroups", .degraded, "a hybrid hierarchy") { $0.isMemoryVersionOne = true }
        try expect("memory controller", .degraded, "not on version 2") { $0.controllers = ["cpu"] }
        try expect("own cgroup", .degraded, "cannot be seen") { $0.ownCgroup = nil }
        try expect("own cgroup", .degraded, "/a.slice: cannot open") { $0.ownPressure = .failed(error(ENOENT)) }
        try expect("other cgroups", .good, "no other") { $0.otherPressure = nil }
        try expect("other cgroups", .degraded, "Permission denied") {
            $0.otherPressure = ("/b", .failed(error(EACCES)))
        }
    }

    @Test("a cgroup without the controller has no events")
    func noEvents() throws {
        let kernel = try FakeKernel(["/sys/fs/cgroup/a/cgroup.events": "", "/sys/fs/cgroup/cgroup.procs": ""])
        func state(_ path: String) throws -> Finding.State {
            try finding("memory controller") {
                $0.hasOwnEvents = false
                $0.ownCgroup = Cgroup(path: path, directory: kernel.path("/sys/fs/cgroup\(path)"))
            }.state
        }
        #expect(try state("/a") == .degraded)
        // The root has no events on any machine.
        #expect(try state("") == .good)
    }

    @Test("a daemon of another version, or a missing one, can be improved")
    func daemons() throws {
        let other = try finding("daemon") { $0.daemon = .success(.sample) }
        #expect(other.state == .degraded)
        #expect(other.seen == "version 1.2.3, pid 812, up 1 d 2 h, level critical")
        let none = try finding("daemon") { $0.daemon = .failure(.unavailable("no daemon answers: a; start one")) }
        #expect(none.state == .degraded)
        #expect(none.seen == "no daemon answers: a")
    }

    @Test("scopes with the same rung and reason make one finding, the best first")
    func scopes() throws {
        let findings = try diagnosis {
            var snapshot = DaemonSnapshot.sample
            snapshot.scopes = (1...9).map { .sample($0, "/\($0)\u{7}") }
            for index in 1..<6 {
                snapshot.scopes[index].rung = .polling
                snapshot.scopes[index].rungReason = "read-only\u{1b}"
            }
            snapshot.scopes[8].rung = .none
            $0.daemon = .success(snapshot)
        }.findings.filter { $0.check == "scopes" }
        #expect(
            findings == [
                .good("scopes", #"/1\u{7}, /7\u{7}, /8\u{7}: privileged trigger"#),
                .degraded("scopes", #"/2\u{7}, /3\u{7}, /4\u{7} and 2 more: polling"#, #"read-only\u{1b}"#),
                .bad("scopes", #"/9\u{7}: not watched"#, "see memwarnd status"),
            ]
        )
    }

    @Test(
        "variables that redirect programs away from the daemon are reported",
        arguments: [
            ("MEMORY_PRESSURE_WATCH", "/dev/null", .degraded), ("MEMORY_PRESSURE_WATCH", "", .degraded),
            ("MEMORY_PRESSURE_WATCH", "/run/memwarnd/pressure.sock", .good), ("MEMWARND_SOCKET", "/tmp/x", .good),
        ] as [(String, String, Finding.State)]
    )
    func variables(name: String, value: String, state: Finding.State) throws {
        #expect(try finding("$\(name)") { $0.variables[name] = value }.state == state)
    }
}
