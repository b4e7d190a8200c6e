import MemoryPressure
import MemwarnProtocol

/// The machine of a scenario and its events, with or without a daemon: programs, jobs, kills, changes of cgroups.
///
/// It reports changes that a process could notice as ``News``.
final class World {
    /// A change that a process can be notified of.
    enum News {
        /// A host's process has ended, or was replaced.
        case ended(host: Int)
        case started(host: Int)
        case moved(host: Int)
        /// inotify: a change of this cgroup's limit or accounting, or the end of its last process.
        case limits(KernelModel.Node)
        case accounting(KernelModel.Node)
        case emptied(KernelModel.Node)
        case made(KernelModel.Node)
        case removed(KernelModel.Node)
    }

    /// The actions at later instants, in nanoseconds.
    enum Later {
        case startHost(Int)
        case endJob(Int)
        case remake(Int)
        case count(Int)
        case limits(Int)
    }

    let scenario: Scenario
    let kernel: KernelModel
    /// The scenario's cgroups; `nil` while a cgroup is removed.
    private(set) var nodes: [KernelModel.Node?] = []
    /// The hosts' programs; `nil` while a host is down.
    private(set) var hostPrograms: [Int?]
    /// The cgroup of each host.
    private(set) var homes: [Int]
    /// The programs of jobs, by episode.
    private var jobs: [Int: Int] = [:]
    /// The programs of a script, by name.
    private var named: [String: Int] = [:]
    private(set) var news: [News] = []
    private(set) var later: [(at: UInt64, what: Later)] = []
    /// The number of times that the accounting of each cgroup was switched.
    private(set) var accounting: [Int] = []
    /// Kills by the kernel, with their domains.
    private(set) var kills: [(kill: KernelModel.Kill, domain: Int?)] = []
    /// Cgroups of the scenario, and the hosts that wait until they are created again.
    private var waiting: [Int: [Int]] = [:]

    init(_ scenario: Scenario) {
        self.scenario = scenario
        kernel = KernelModel(scenario.features, memory: scenario.memory, swap: scenario.swap)
        accounting = [0]
        hostPrograms = scenario.hosts.map { _ in nil }
        homes = scenario.hosts.map(\.cgroup)
        nodes = scenario.cgroups.map { _ in nil }
        for index in scenario.cgroups.indices { make(index, at: 0) }
        // This happens before all events; the cgroups' stall counters continue from here.
        kernel.settle()
        news = []
    }

    static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(seconds * 1e9) }

    func takeNews() -> [News] {
        guard !news.isEmpty else { return [] }
        defer { news = [] }
        return news
    }

    func takeLater() -> [(at: UInt64, what: Later)] {
        guard !later.isEmpty else { return [] }
        defer { later = [] }
        return later
    }

    /// The scenario's cgroup that this node represents.
    func plan(of node: KernelModel.Node) -> Int? { nodes.firstIndex { $0 == node } }

    /// The cgroup of a host's process; `nil` while there is none.
    func node(ofHost host: Int) -> KernelModel.Node? { hostPrograms[host].map { kernel.programs[$0].cgroup } }

    /// The contents of a host's caches.
    func cached(_ host: Int, at now: UInt64) -> Double {
        guard let program = hostPrograms[host] else { return 0 }
        return max(0, kernel.anonymous(of: program, at: now) - scenario.hosts[host].base)
    }

    // MARK: Time

    /// Advances to the end of a segment of the kernel model.
    func step() {
        kernel.step()
        takeKills()
    }

    /// Computes the effects of changes; before that, figures are invalid.
    func settle() {
        if kernel.settle() { takeKills() }
    }

    private func takeKills() {
        for kill in kernel.takeKills() {
            kills.append((kill, kill.domain == CgroupTree.root ? nil : plan(of: kill.domain)))
            if let host = hostPrograms.firstIndex(where: { $0 == kill.program }) {
                let node = kernel.programs[kill.program].cgroup
                hostPrograms[host] = nil
                news.append(.ended(host: host))
                noteEmptied(node)
                later.append((kill.at + 8_000_000_000, .startHost(host)))
            }
        }
    }

    private func noteEmptied(_ node: KernelModel.Node) {
        if !isPopulated(node) { news.append(.emptied(node)) }
    }

    /// Whether a program runs in a cgroup or below it.
    private func isPopulated(_ node: KernelModel.Node) -> Bool {
        kernel.alive.contains { kernel.tree.isWithin(kernel.programs[$0].cgroup, node) }
    }

    /// Whether a program runs in the cgroup with this path; false if there is no such cgroup.
    func isPopulated(_ path: String) -> Bool { kernel.tree.node(at: path).map { isPopulated($0) } ?? false }

    // MARK: Hosts

    func startHost(_ host: Int, at now: UInt64) {
        guard hostPrograms[host] == nil else { return }
        guard let node = nodes[homes[host]] else {
            // The service does not exist: its hosts start when it does.
            waiting[homes[host], default: []].append(host)
            return
        }
        let plan = scenario.hosts[host]
        let program = kernel.start(WorkingSet(in: node, anonymous: plan.base), at: now)
        hostPrograms[host] = program
        news.append(.started(host: host))
        fill(host, at: now)
    }

    func endHost(_ host: Int, at now: UInt64) {
        guard let program = hostPrograms[host] else { return }
        let node = kernel.programs[program].cgroup
        kernel.change(program, at: now) { $0.end() }
        hostPrograms[host] = nil
        news.append(.ended(host: host))
        noteEmptied(node)
    }

    /// Lets a host's caches fill as it works.
    func fill(_ host: Int, at now: UInt64) {
        guard let program = hostPrograms[host] else { return }
        let plan = scenario.hosts[host]
        kernel.change(program, at: now) {
            $0.anonymous.go(to: plan.base + plan.capacity, pace: plan.capacity / plan.filling)
        }
    }

    /// Stops the growth of a host's caches.
    func hold(_ host: Int, at now: UInt64) {
        guard let program = hostPrograms[host] else { return }
        kernel.change(program, at: now) { $0.anonymous.jump(to: $0.anonymous.value) }
    }

    /// Releases this number of bytes of a host's caches.
    func release(_ host: Int, _ bytes: Double, at now: UInt64) {
        guard let program = hostPrograms[host], bytes > 0 else { return }
        kernel.change(program, at: now) { $0.anonymous.drop(bytes) }
    }

    // MARK: Jobs

    func beginJob(_ number: Int, at now: UInt64) {
        let episode = scenario.episodes[number]
        let node: KernelModel.Node? = episode.cgroup.map { nodes[$0] } ?? CgroupTree.root
        guard let node else { return }
        if case .compaction(let share) = episode.kind {
            kernel.compact(node, share, at: now)
            later.append((now + Self.nanoseconds(episode.growing + episode.holding), .endJob(number)))
            jobs[number] = -1
            return
        }
        let program = kernel.start(WorkingSet(in: node, anonymous: 1_048_576), at: now)
        jobs[number] = program
        let pace = { (bytes: Double) in bytes / episode.growing }
        kernel.change(program, at: now) { job in
            switch episode.kind {
            case .growth(let bytes): job.anonymous.go(to: bytes, pace: pace(bytes))
            case .thrash(let bytes): job.active.go(to: bytes, pace: pace(bytes))
            case .stream: job.streamed = scenario.memory
            case .compaction: break
            }
        }
        later.append((now + Self.nanoseconds(episode.growing + episode.holding), .endJob(number)))
    }

    private func endJob(_ number: Int, at now: UInt64) {
        guard let program = jobs.removeValue(forKey: number) else { return }
        guard program >= 0 else {
            if let node = scenario.episodes[number].cgroup.map({ nodes[$0] }) ?? CgroupTree.root {
                kernel.compact(node, 0, at: now)
            }
            return
        }
        guard kernel.programs[program].isAlive else { return }
        let node = kernel.programs[program].cgroup
        kernel.change(program, at: now) { $0.end() }
        noteEmptied(node)
    }

    // MARK: Cgroups

    private func make(_ index: Int, at now: UInt64) {
        let plan = scenario.cgroups[index]
        guard let parent = plan.parent.map({ nodes[$0] }) ?? CgroupTree.root else { return }
        let node = kernel.makeCgroup(plan.path, below: parent, at: now)
        accounting.append(0)
        nodes[index] = node
        kernel.setLimits(of: node, high: plan.high, max: plan.max, at: now)
        kernel.setSwap(of: node, plan.swap)
        if plan.base > 0 {
            _ = kernel.start(WorkingSet(in: node, anonymous: plan.base, active: plan.files), at: now)
        }
        news.append(.made(node))
        for host in waiting.removeValue(forKey: index) ?? [] { startHost(host, at: now) }
    }

    private func remove(_ index: Int, at now: UInt64) {
        guard let node = nodes[index] else { return }
        for host in hostPrograms.indices where hostPrograms[host].map({ kernel.programs[$0].cgroup == node }) ?? false {
            endHost(host, at: now)
            waiting[homes[host], default: []].append(host)
        }
        for program in kernel.alive where kernel.programs[program].cgroup == node {
            kernel.change(program, at: now) { $0.end() }
        }
        noteEmptied(node)
        kernel.compact(node, 0, at: now)
        kernel.removeCgroup(node, at: now)
        nodes[index] = nil
        news.append(.removed(node))
    }

    private func move(_ host: Int, to index: Int, at now: UInt64) {
        guard let program = hostPrograms[host], let node = nodes[index] else { return }
        let former = kernel.programs[program].cgroup
        guard former != node else { return }
        // As if the program was started again there: otherwise the old program's memory would stay charged to the old cgroup.
        kernel.change(program, at: now) { $0.cgroup = node }
        homes[host] = index
        news.append(.moved(host: host))
        noteEmptied(former)
    }

    private func count(_ index: Int, _ isCounted: Bool, at now: UInt64) {
        guard let node = nodes[index], kernel.tree[node].countsStalls != isCounted else { return }
        kernel.count(stallsOf: node, isCounted, at: now)
        accounting[node] += 1
        news.append(.accounting(node))
    }

    private func setLimits(_ index: Int, factor: Double, at now: UInt64) {
        let plan = scenario.cgroups[index]
        setLimits(index, high: plan.high * factor, max: plan.max * factor, at: now)
    }

    private func setLimits(_ index: Int, high: Double, max: Double, at now: UInt64) {
        guard let node = nodes[index] else { return }
        kernel.setLimits(of: node, high: high, max: max, at: now)
        news.append(.limits(node))
    }

    // MARK: Scripts

    /// The name of a program in a script.
    func name(of program: Int) -> String? { named.first { $0.value == program }?.key }

    func perform(_ action: Script.Action, at now: UInt64) {
        switch action {
        case .grow(let name, let index, let bytes, let pace):
            start(name, index, at: now) { $0.anonymous.go(to: bytes, pace: pace) }
        case .read(let name, let index, let bytes, let pace):
            start(name, index, at: now) { $0.active.go(to: bytes, pace: pace) }
        case .stop(let name): if let program = named[name] { kernel.change(program, at: now) { $0.end() } }
        case .limits(let index, let high, let max):
            guard let cgroup = nodes[index].map({ kernel.tree[$0] }) else { break }
            setLimits(index, high: high ?? cgroup.limits.high, max: max ?? cgroup.limits.max, at: now)
        case .remove(let index): remove(index, at: now)
        case .accounting(let index, let isCounted): count(index, isCounted, at: now)
        case .arm: break
        }
    }

    private func start(_ name: String, _ index: Int, at now: UInt64, _ body: (inout WorkingSet) -> Void) {
        guard let node = nodes[index] else { return }
        let program = kernel.start(WorkingSet(in: node, anonymous: 0), at: now)
        named[name] = program
        kernel.change(program, at: now, body)
    }

    // MARK: Faults

    func perform(_ later: Later, at now: UInt64) {
        switch later {
        case .startHost(let host): startHost(host, at: now)
        case .endJob(let number): endJob(number, at: now)
        case .remake(let index): make(index, at: now)
        case .count(let index): count(index, true, at: now)
        case .limits(let index): setLimits(index, factor: 1, at: now)
        }
    }

    /// Applies a fault to the machine itself; returns whether it affects the machine.
    func perform(_ fault: Fault.Kind, at now: UInt64) -> Bool {
        func after(_ seconds: Double) -> UInt64 { now + Self.nanoseconds(seconds) }
        switch fault {
        case .restart(let host, let time):
            endHost(host, at: now)
            later.append((after(time), .startHost(host)))
        case .removal(let index, let time):
            guard nodes[index] != nil else { break }
            remove(index, at: now)
            later.append((after(time), .remake(index)))
        case .move(let host, let index): move(host, to: index, at: now)
        case .accounting(let index, let time):
            count(index, false, at: now)
            later.append((after(time), .count(index)))
        case .limits(let index, let factor, let time):
            setLimits(index, factor: factor, at: now)
            later.append((after(time), .limits(index)))
        default: return false
        }
        return true
    }
}
