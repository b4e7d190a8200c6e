import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

extension Surroundings {
    /// Collects the surroundings; changes nothing, and closes armed triggers at once.
    init(lookingAt kernel: KernelTree, daemon: DaemonOptions) {
        stallTotal = Self.result { () throws(KernelError) in
            let file = try Descriptor(opening: kernel.hostPressure, O_RDONLY)
            return try KernelFile.read(file.raw, path: kernel.hostPressure, limit: 1_024) { bytes in
                (try? PressureStall(parsing: bytes))?.some.total
            }
        }.flatMap { total in
            total.map { .success($0) } ?? .failure(KernelError("understand", kernel.hostPressure, errno: EBADMSG))
        }
        let plan = StallPlan()
        shortTrigger = Self.arm(kernel.hostPressure, plan, plan.privilegedWindow)
        trigger = Self.arm(kernel.hostPressure, plan, plan.window)

        let mountinfo = Self.result { () throws(KernelError) in try KernelFile.text(of: kernel.mountinfo) }
        cgroupMounts = mountinfo.map { CgroupMount.all(inMountinfo: $0) }
        let memoryV1 = CgroupMount.all(inMountinfo: (try? mountinfo.get()) ?? "", of: .memoryV1)
        isMemoryVersionOne = !memoryV1.isEmpty
        hiding = KernelTree.hiding(inMountinfo: (try? mountinfo.get()) ?? "")
        if hiding == nil, !kernel.showsAllProcesses { hiding = "for this process" }
        memory = Self.result { () throws(KernelError) in try MemoryAvailability.read(in: kernel) }
        swap = Self.kibibytes("SwapTotal:", in: kernel.meminfo)
        descriptorLimit = ResourceLimit.descriptors.hard
        lockLimit = ResourceLimit.lockedMemory.hard
        capabilities = Capabilities.effective(in: kernel)
        do throws(Failure) {
            let client = try ControlClient(daemon)
            self.daemon = .success(try DaemonSnapshot(from: client))
        } catch {
            self.daemon = .failure(error)
        }
        for name in [SocketLocation.variable, Self.watchVariable] {
            variables[name] = ProcessEnvironment.variable(name)
        }
        lookAtCgroups(kernel, plan)
        var namespace = stat()
        if stat(kernel.pidNamespace, &namespace) == 0 { seesAllProcesses = namespace.st_ino == Self.firstPidNamespace }
    }

    /// The inode of the pid namespace that the kernel starts with (PROC_PID_INIT_INO).
    private static let firstPidNamespace: ino_t = 0xEFFF_FFFC

    /// The variable in which sd-event and GLib look for a file or socket with pressure events.
    static let watchVariable = "MEMORY_PRESSURE_WATCH"

    private mutating func lookAtCgroups(_ kernel: KernelTree, _ plan: StallPlan) {
        guard let mount = (try? cgroupMounts.get())?.first.map({ kernel.path($0.directory) }) else { return }
        let text = (try? KernelFile.text(of: mount + "/cgroup.controllers")) ?? ""
        controllers = text.split { " \n".contains($0) }.map(String.init)
        ownCgroup = try? Cgroup.of(.current, in: kernel)
        if let own = ownCgroup {
            ownPressure = Self.attempt { () throws(KernelError) in
                let file = try Descriptor(opening: own.pressure, O_RDONLY)
                try KernelFile.read(file.raw, path: own.pressure, limit: 1_024) { _ in }
            }
            hasOwnEvents = KernelFile.exists(own.directory + "/memory.events")
        }
        // Any cgroup will do; those near the root probably exist and belong to another user.
        let other = ((try? KernelFile.directories(in: mount)) ?? []).sorted().map { "\(mount)/\($0)" }
            .first { $0 != ownCgroup?.directory && KernelFile.exists($0 + "/memory.pressure") }
        otherPressure = other.map { (path: $0, attempt: Self.arm($0 + "/memory.pressure", plan, plan.window)) }
    }

    private static func arm(_ path: String, _ plan: StallPlan, _ window: Duration) -> Attempt {
        attempt { () throws(KernelError) in
            _ = try PressureTrigger(
                arming: path,
                kind: .some,
                threshold: plan.threshold(.some, in: window),
                window: window
            )
        }
    }

    private static func attempt(_ body: () throws(KernelError) -> Void) -> Attempt {
        do throws(KernelError) {
            try body()
            return .worked
        } catch {
            return .failed(error)
        }
    }

    private static func result<Value>(_ body: () throws(KernelError) -> Value) -> Reading<Value> {
        do throws(KernelError) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }

    /// The words after one at the start of a line; `nil` if there is no such line.
    private static func words(_ first: String, in path: String) -> [Substring]? {
        let text = (try? KernelFile.text(of: path)) ?? ""
        let lines = text.split(separator: "\n").map { $0.split { " \t".contains($0) } }
        return lines.first { $0.first.map(String.init) == first }.map { Array($0.dropFirst()) }
    }

    private static func kibibytes(_ first: String, in path: String) -> UInt64? {
        words(first, in: path)?.first.flatMap { UInt64($0) }.flatMap { $0 < 1 << 54 ? $0 * 1_024 : nil }
    }
}
