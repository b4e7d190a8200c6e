import MemoryPressure
import WarningPolicy

/// Decides which kills by the machine without a daemon must not happen with it, and checks that they do not.
///
/// The condition: the hosts inside hold more than the missing bytes and answer in time; the daemon runs and its sources are open;
/// and the time from the first figure that a source of the ladder can show to the kill is longer than a window plus the hosts'
/// answer times.
struct Coverage {
    /// A kill in the run without a daemon, in nanoseconds.
    struct TwinKill {
        let at: UInt64
        /// When the first figure showed that a level should rise.
        let firstFigure: UInt64
        /// The scenario's cgroup whose limit was exceeded; `nil` is the machine.
        let domain: Int?
        /// The number of missing bytes.
        let missing: Double
    }

    private enum State {
        case open
        case armed(held: Double, slowest: Double)
        case covered
        case void
    }

    private let scenario: Scenario
    /// The kills of the twin.
    let twin: [TwinKill]
    private var states: [State]
    private(set) var kills: [TwinKill] = []
    private var firstFigures: [UInt64?]
    /// When tasks began to stall for a share of time that triggers an event: the kernel can report it after a full window.
    private var stalledSince: [UInt64?]
    /// When all of them began to stall for a share of time that triggers a critical event.
    private var allStalledSince: [UInt64?]
    private var seen = 0
    /// The end of the disturbance of each domain; the last one is for the machine and for faults of the daemon.
    private var disturbed: [UInt64]
    private var hostsDisturbed: [UInt64]

    init(_ scenario: Scenario, _ twin: [TwinKill]) {
        self.scenario = scenario
        self.twin = twin
        states = twin.map { _ in .open }
        firstFigures = []
        stalledSince = []
        allStalledSince = []
        disturbed = Array(repeating: 0, count: scenario.cgroups.count + 1)
        hostsDisturbed = Array(repeating: 0, count: scenario.hosts.count)
    }

    var covered: Int { states.reduce(0) { if case .covered = $1 { $0 + 1 } else { $0 } } }
    /// Kills that happened while nothing was read because headroom was large.
    private(set) var unseen = 0
    private(set) var failures: [(at: UInt64, text: String)] = []

    // MARK: Figures

    /// Processes a change of the kernel's figures; the twin records its kills.
    mutating func follow(_ world: World, isTwin: Bool, at now: UInt64) {
        let kernel = world.kernel
        while firstFigures.count < kernel.tree.all.count {
            firstFigures.append(nil)
            stalledSince.append(nil)
            allStalledSince.append(nil)
        }
        for node in kernel.tree.all.indices {
            let figure = kernel.now.figures[node]
            let isAll = kernel.tree[node].exists && figure.full >= 0.12 && figure.scans > 0
            allStalledSince[node] = isAll ? allStalledSince[node] ?? now : nil
        }
        for (kill, domain) in world.kills[seen...] where isTwin {
            let first = firstFigures[kill.domain] ?? kill.at
            kills.append(
                TwinKill(
                    at: kill.at,
                    firstFigure: min(first, kill.at),
                    domain: domain,
                    missing: kill.wanted - kill.capacity
                )
            )
            firstFigures[kill.domain] = nil
        }
        seen = world.kills.count
        for node in kernel.tree.all.indices where kernel.tree[node].exists {
            let limit = kernel.tree[node].limits.tightest
            guard limit < .infinity else { continue }
            let figure = kernel.now.figures[node]
            let over = (node == CgroupTree.root ? figure.anonymous : figure.charged) - Line(value: 0.9 * limit)
            // Without reclaim memory is not short: the kernel only compacts it. Hits of a limit show no more than headroom
            // does: while much is left, the kernel drops clean pages for them.
            let isStalled = kernel.features.hasStalls && figure.some >= 0.1 && figure.scans > 0
            stalledSince[node] = isStalled ? stalledSince[node] ?? now : nil
            // The rise point of headroom, or of stalls.
            let headroom = over.value > 0 ? now : over.secondsToZero.map { now + World.nanoseconds($0) }
            let stalls = stalledSince[node].map { $0 + World.nanoseconds(window) }
            let shown = firstFigures[node].flatMap { $0 <= now && (over.value > 0 || isStalled) ? $0 : nil }
            firstFigures[node] = [headroom, stalls, shown].compactMap(\.self).min()
        }
    }

    /// When all tasks of a cgroup began to stall for a share of time for which an event of `full` is critical by itself.
    func fullSince(_ node: KernelModel.Node) -> UInt64? { node < allStalledSince.count ? allStalledSince[node] : nil }

    // MARK: With the daemon

    mutating func disturb(_ fault: Fault.Kind, at now: UInt64) {
        func until(_ seconds: Double) -> UInt64 { now + World.nanoseconds(seconds + 4) }
        switch fault {
        case .lostDaemon(let time, _): disturbAll(until: until(time))
        case .freeze(let time), .descriptors(let time): disturbAll(until: until(time))
        case .clockJump, .reload: disturbAll(until: until(1))
        case .opens(let index, _, let time), .accounting(let index, let time):
            disturbed[index] = max(disturbed[index], until(time))
        case .reads(let index, _, let time), .removal(let index, let time), .limits(let index, _, let time):
            disturbed[index] = max(disturbed[index], until(time))
        // A host moves its memory at once, which no warning can avert.
        case .move(_, let index): disturbed[index] = max(disturbed[index], until(0))
        case .behaviour, .fullSocket, .restart, .upgrade, .request: break
        }
    }

    mutating func disturbAll(until time: UInt64) {
        let last = disturbed.count - 1
        disturbed[last] = max(disturbed[last], time)
    }

    mutating func disturbHost(_ host: Int, at now: UInt64) { hostsDisturbed[host] = now + 3_000_000_000 }

    private func isDisturbed(_ domain: Int?, at now: UInt64) -> Bool {
        guard disturbed[disturbed.count - 1] <= now else { return true }
        guard let domain else { return false }
        return scenario.cgroups.indices.contains { index in
            (index == domain || scenario.cgroups[index].parent == domain || scenario.cgroups[domain].parent == index)
                && disturbed[index] > now
        }
    }

    /// The bytes held by the hosts inside that follow the daemon's warnings, and the answer time of the slowest host.
    private func means(_ domain: Int?, _ simulation: Simulation) -> (held: Double, slowest: Double)? {
        let world = simulation.world
        let policy = simulation.daemon.policy
        var (held, slowest) = (0.0, 0.0)
        for host in simulation.hosts where hostsDisturbed[host.index] <= simulation.now {
            let home = world.homes[host.index]
            guard domain == nil || home == domain || scenario.cgroups[home].parent == domain else { continue }
            guard host.cooperates, let connection = host.connection, let id = simulation.daemon.link(connection)?.id,
                let slot = policy.hosts.slot(of: id), let index = policy.scopes.index(of: policy.hosts[slot].scope),
                policy.scopes[index].path == scenario.cgroups[home].path,
                simulation.daemon.files(of: policy.hosts[slot].scope) != nil
            else { continue }
            held += world.cached(host.index, at: simulation.now)
            slowest = max(slowest, host.plan.answerTime)
        }
        return (held, slowest)
    }

    /// Whether a reading of the domain's headroom is due, because it was near at the last reading: while headroom is large, only
    /// stalls and events of limits wake the daemon, and memory that needs no reclaim causes neither.
    private func isLookedAt(_ domain: Int?, _ simulation: Simulation) -> Bool {
        let path = domain.map { scenario.cgroups[$0].path }
        return simulation.daemon.policy.scopes.all.contains { simulation.invariants.isNear($0.id, limitOf: path) }
    }

    /// In seconds.
    private var window: Double {
        scenario.features.hasStalls ? scenario.features.isPrivileged && scenario.features.takesTriggers ? 0.5 : 2 : 1
    }

    /// Handles an approaching kill of the twin: its first figure shows, or its instant has come.
    mutating func premise(_ number: Int, isEnd: Bool, _ simulation: Simulation) {
        let kill = twin[number]
        let now = simulation.now
        let isRunning =
            simulation.daemon.isUp && !simulation.daemon.isFrozen
            && simulation.daemon.upSince + 5_000_000_000 <= kill.firstFigure
        guard isRunning, !isDisturbed(kill.domain, at: now) else {
            states[number] = .void
            return
        }
        if !isEnd {
            guard isLookedAt(kill.domain, simulation) else {
                states[number] = .void
                unseen += 1
                return
            }
            guard case .open = states[number], let means = means(kill.domain, simulation),
                means.held > kill.missing * 1.02 + 1e6
            else {
                states[number] = .void
                return
            }
            states[number] = .armed(held: means.held, slowest: means.slowest)
            return
        }
        guard case .armed(_, let slowest) = states[number] else { return }
        let time = Double(kill.at - kill.firstFigure) / 1e9
        guard time > window + slowest else {
            states[number] = .void
            return
        }
        states[number] = .covered
    }

    /// Handles a kill by the machine with the daemon, which is a violation if it was covered.
    mutating func killed(_ kill: KernelModel.Kill, _ domain: Int?, _ simulation: Simulation) {
        guard
            let number = twin.indices.first(where: { number in
                twin[number].domain == domain && kill.at >= twin[number].firstFigure
                    && kill.at <= twin[number].at + 1_000_000_000
            })
        else { return }
        // Its own end may be at the same instant.
        if case .armed = states[number], kill.at + 1_000_000 >= twin[number].at {
            premise(number, isEnd: true, simulation)
        }
        guard case .covered = states[number], !isDisturbed(domain, at: kill.at) else { return }
        let (means, slowest) = means(domain, simulation) ?? (0, 0)
        guard kill.wanted - means < kill.capacity * 0.98 else { return }
        // Earlier releases of the hosts may have delayed the figure.
        guard kill.domain < firstFigures.count, let first = firstFigures[kill.domain],
            Double(kill.at - min(first, kill.at)) / 1e9 > window + slowest
        else { return }
        // The earlier figure was seen and has passed; nothing reports this one, which appeared while headroom was large.
        guard isLookedAt(domain, simulation) else {
            unseen += 1
            return
        }
        let path = domain.map { scenario.cgroups[$0].path } ?? "/"
        let time = Double(kill.at - first) / 1e9
        failures.append(
            (
                kill.at,
                "\(path): a kill \(time) s after the first figure, with \(UInt64(means) >> 20) MiB that hosts could give and \(Int(kill.wanted - kill.capacity) >> 20) MiB too few"
            )
        )
    }
}
