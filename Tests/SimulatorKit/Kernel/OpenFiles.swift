import MemoryPressure

/// The files of a process that watches one cgroup: the rung, the triggers, and the polled ones.
///
/// A class, because each change of the kernel's figures looks at all of them.
final class OpenFiles {
    /// The process that polls the files, and its name for the watch.
    enum Owner {
        case daemon(scope: UInt64)
        case host(Int)
        /// A trigger of a script, by its name.
        case script(String, isPrivileged: Bool)
    }

    let owner: Owner
    let node: KernelModel.Node
    let rung: Rung
    let window: Duration
    /// The number of switches of the cgroup's accounting when the files were opened: a dead trigger stays dead.
    let accounting: Int
    /// `full` comes first: if both fire at once, it carries more information.
    var triggers: [StallTrigger]
    /// The polled triggers.
    private(set) var polled: [PressureSensor.Trigger] = [] {
        didSet { pollsStalls = polled.contains { $0 != .limits } }
    }
    private(set) var pollsStalls = false
    /// The last reading of `memory.events`: a later change is an event.
    var events: MemoryEvents?
    /// Whether a check of the triggers, and one of the events, is in the queue.
    var hasLook = false
    var hasEventLook = false

    init(
        _ owner: Owner,
        _ node: KernelModel.Node,
        _ rung: Rung,
        _ plan: StallPlan,
        accounting: Int,
        _ kernel: KernelModel,
        at now: UInt64
    ) {
        self.owner = owner
        self.node = node
        self.rung = rung
        self.accounting = accounting
        let window: Duration =
            switch rung {
            case .privileged: plan.privilegedWindow
            case .unprivileged, .polling: plan.window
            case .events, .usage, .available: .seconds(1)
            }
        self.window = window
        let isPrivileged = rung == .privileged
        triggers =
            rung.rawValue > Rung.unprivileged.rawValue
            ? []
            : [PressureStall.Kind.full, .some].map { kind in
                let line = kind == .full ? kernel.counts[node].full : kernel.counts[node].some
                let total = line.total(after: kernel.elapsed(at: now))
                return StallTrigger(kind, isPrivileged: isPrivileged, plan: plan, window: window, total: total, at: now)
            }
        events = kernel.events(of: node, at: now)
    }

    var pollsLimits: Bool { polled.contains(.limits) }

    func polls(_ kind: PressureStall.Kind) -> Bool { polled.contains(.stalls(kind)) }

    /// Polls these from now on; earlier stall events are discarded.
    func poll(_ wanted: [PressureSensor.Trigger], _ kernel: KernelModel, at now: UInt64) {
        for index in triggers.indices where wanted.contains(.stalls(triggers[index].kind)) {
            guard !polled.contains(.stalls(triggers[index].kind)) else { continue }
            // The kernel has also checked while nothing polled.
            _ = triggers[index].look(total: total(triggers[index].kind, kernel, at: now), at: now)
        }
        polled = wanted
    }

    func total(_ kind: PressureStall.Kind, _ kernel: KernelModel, at now: UInt64) -> Double {
        let line = kind == .full ? kernel.counts[node].full : kernel.counts[node].some
        return line.total(after: kernel.elapsed(at: now))
    }

    /// Whether the PSI file is dead: its cgroup is gone, or the accounting was switched in the meantime.
    func isDead(_ kernel: KernelModel, accounting: Int) -> Bool {
        !kernel.tree[node].exists || accounting != self.accounting
    }

    /// When the triggers have to be checked again; `nil` if the present stalls cannot cause an event.
    func nextLook(_ kernel: KernelModel, at now: UInt64) -> UInt64? {
        guard pollsStalls, let first = triggers.first else { return nil }
        let length = kernel.end.map { kernel.elapsed(at: $0) } ?? 0
        let some = kernel.counts[node].some.highest(within: length)
        guard some > 0 else { return nil }
        let full = kernel.counts[node].full.highest(within: length)
        let mayFire = triggers.contains { polls($0.kind) && $0.mayFire(at: $0.kind == .full ? full : some) }
        return mayFire ? first.nextLook(after: now) : nil
    }
}
