import MemoryPressure
import WarningPolicy

/// The files that cannot be opened or read for a while.
struct Shortages {
    enum Kind {
        case descriptors
        case opens(KernelModel.Node, errno: Int32)
        case reads(KernelModel.Node, limitsOnly: Bool)
    }

    private var all: [(number: Int, kind: Kind)] = []
    private var lastNumber = 0

    mutating func begin(_ kind: Kind) -> Int {
        lastNumber += 1
        all.append((lastNumber, kind))
        return lastNumber
    }

    mutating func end(_ number: Int) { all.removeAll { $0.number == number } }

    var isEmpty: Bool { all.isEmpty }

    var isOutOfDescriptors: Bool { all.contains { if case .descriptors = $0.kind { true } else { false } } }

    /// The error when a cgroup's files are opened.
    func opening(_ node: KernelModel.Node) -> Int32? {
        for (_, kind) in all {
            switch kind {
            case .descriptors: return 24
            case .opens(node, let errno): return errno
            default: break
            }
        }
        return nil
    }

    /// Whether a cgroup's limits, which are opened again for each reading, or all of its files, cannot be read.
    func reading(_ node: KernelModel.Node) -> (limits: Bool, all: Bool) {
        var (limits, everything) = (false, false)
        for (_, kind) in all {
            switch kind {
            case .descriptors: limits = true
            case .reads(node, let limitsOnly):
                limits = true
                everything = everything || !limitsOnly
            default: break
            }
        }
        return (limits, everything)
    }
}

extension Simulation {
    enum Opening {
        case opened(Int, first: SensorReadings)
        case failed(KernelError)
    }

    /// Opens a cgroup's files on the best rung of the ladder.
    func open(_ owner: OpenFiles.Owner, _ node: KernelModel.Node, _ plan: StallPlan) -> Opening {
        let kernel = world.kernel
        let path = kernel.tree[node].path
        let features = scenario.features
        let (isDaemon, isPrivileged) =
            switch owner {
            case .daemon: (true, features.isPrivileged)
            case .host: (false, false)
            case .script(_, let isPrivileged): (false, isPrivileged)
            }
        guard kernel.tree[node].exists else { return .failed(KernelError("open", path, errno: 2)) }
        if isDaemon, let errno = shortages.opening(node) { return .failed(KernelError("open", path, errno: errno)) }
        var first = SensorReadings(at: clock)
        first.stalls = kernel.stalls(of: node, at: now)
        first.limitEvents = kernel.events(of: node, at: now)
        first.headroom = kernel.headroom(of: node, at: now)
        let rung: Rung
        if first.stalls != nil {
            rung = !features.takesTriggers ? .polling : isPrivileged ? .privileged : .unprivileged
        } else if first.limitEvents != nil {
            rung = .events
        } else if first.headroom != nil {
            rung = node == CgroupTree.root ? .available : .usage
        } else {
            return .failed(KernelError("open", path, errno: 2))
        }
        let opened = OpenFiles(owner, node, rung, plan, accounting: world.accounting[node], kernel, at: now)
        let index = files.firstIndex { $0 == nil } ?? files.count
        if index == files.count {
            files.append(nil)
            fileSerials.append(0)
        }
        files[index] = opened
        fileSerials[index] += 1
        let all: [PressureSensor.Trigger] =
            opened.triggers.map { .stalls($0.kind) } + (opened.events == nil ? [] : [.limits])
        poll(index, all)
        return .opened(index, first: first)
    }

    func close(_ index: Int) {
        files[index] = nil
        fileSerials[index] += 1
    }

    func poll(_ index: Int, _ triggers: [PressureSensor.Trigger]) {
        files[index]?.poll(triggers, world.kernel, at: now)
        scan(index)
    }

    /// Reads some of the files.
    func read(_ index: Int, _ reads: SensorReads) throws(KernelError) -> SensorReadings {
        var readings = SensorReadings(at: clock)
        guard let open = files[index] else { throw KernelError("read", "?", errno: 9) }
        let kernel = world.kernel
        let node = open.node
        let path = kernel.tree[node].path
        let isDaemon = if case .daemon = open.owner { true } else { false }
        let failing = isDaemon ? shortages.reading(node) : (limits: false, all: false)
        // Limits and usage are read by path: those of another cgroup if it was created again.
        let present = kernel.tree[node].exists ? node : kernel.tree.node(at: path)
        guard open.rung.hasOwnFiles || present != nil else { throw KernelError("find", path, errno: 19) }
        if reads.contains(.stalls), open.rung.hasStalls {
            guard !open.isDead(kernel, accounting: world.accounting[node]) else {
                throw KernelError("read", path, errno: 19)
            }
            guard !failing.all else { throw KernelError("read", path, errno: 12) }
            readings.stalls = kernel.stalls(of: node, at: now)
        }
        if reads.contains(.limitEvents), open.events != nil {
            guard kernel.tree[node].exists else { throw KernelError("read", path, errno: 19) }
            guard !failing.all else { throw KernelError("read", path, errno: 12) }
            readings.limitEvents = kernel.events(of: node, at: now)
            open.events = readings.limitEvents
        }
        if reads.contains(.headroom) {
            if let present, !failing.limits {
                readings.headroom = kernel.headroom(of: present, at: now)
            } else {
                readings.failed.insert(.headroom)
            }
        }
        if reads.contains(.reclaim), let present, !failing.limits {
            readings.reclaim = kernel.reclaim(of: present, at: now)
        }
        return readings
    }

    // MARK: Events

    /// Checks the polled files after a change of the kernel's figures.
    func scanFiles() {
        for index in files.indices where files[index] != nil { scan(index) }
    }

    private func scan(_ index: Int) {
        guard let open = files[index] else { return }
        if !open.hasLook, open.pollsStalls, let next = open.nextLook(world.kernel, at: now) {
            let kernel = world.kernel
            for number in open.triggers.indices {
                let total = open.total(open.triggers[number].kind, kernel, at: now)
                open.triggers[number].wake(total: total, at: now)
            }
            open.hasLook = true
            later(.look(index, serial: fileSerials[index]), at: next)
        }
        guard !open.hasEventLook, open.pollsLimits, let seen = open.events else { return }
        let counts = world.kernel.counts[open.node]
        guard counts.high.rate > 0 || counts.max.rate > 0 || world.kernel.events(of: open.node, at: now) != seen else {
            return
        }
        open.hasEventLook = true
        // CGROUP_FILE_NOTIFY_MIN_INTV: at most a hundred per second.
        later(.eventLook(index, serial: fileSerials[index]), after: 10_000_000)
    }

    func look(_ index: Int) {
        files[index]?.hasLook = false
        guard let open = files[index] else { return }
        // Both triggers of a process that polls both can fire in the same turn.
        let polled = open.polled
        for number in open.triggers.indices {
            let kind = open.triggers[number].kind
            let total = open.total(kind, world.kernel, at: now)
            // The first event may have closed them.
            guard files[index] === open, open.triggers[number].look(total: total, at: now),
                polled.contains(.stalls(kind))
            else { continue }
            fire(index, .stalls(kind))
        }
        scan(index)
    }

    func lookAtEvents(_ index: Int) {
        files[index]?.hasEventLook = false
        guard let open = files[index], open.pollsLimits, let seen = open.events else { return }
        if world.kernel.events(of: open.node, at: now) != seen { fire(index, .limits) }
        scan(index)
    }

    private func fire(_ index: Int, _ trigger: PressureSensor.Trigger) {
        guard let open = files[index] else { return }
        switch open.owner {
        case .daemon(let scope): notify(.fired(scope, files: index, serial: fileSerials[index], trigger))
        case .host(let host): judge(host, .event(trigger))
        case .script(let name, _): see(index, name, trigger)
        }
    }

    /// Handles a dead PSI file: its poller is notified at once, and on every poll.
    func die(_ index: Int) {
        guard let open = files[index] else { return }
        let error = KernelError("read", world.kernel.tree[open.node].path, errno: 19)
        switch open.owner {
        case .daemon(let scope):
            if open.pollsStalls { notify(.dead(scope, files: index, serial: fileSerials[index], error)) }
        case .host(let host):
            if open.rung.hasStalls { loseKernel(host, error) }
        case .script(let name, _):
            guard open.pollsStalls else { break }
            seen?.note(now, "dead \(name)")
            close(index)
        }
    }
}
