import MemoryPressure
import MemwarnProtocol
package import WarningPolicy

/// One busy hour of a machine, its hosts and the daemon's policy, in one process and in virtual time.
package final class Simulation {
    /// Changes the effects of the policy before they are performed, at an instant in nanoseconds: a planted defect.
    package typealias Defect = (inout [Effects.Effect], UInt64) -> Void

    /// A future event.
    enum Event {
        case world(World.Later)
        case episode(Int)
        case fault(Int)
        case host(Int, epoch: Int, HostEvent)
        case daemon(DaemonEvent, generation: Int)
        case startDaemon(generation: Int)
        case thaw(generation: Int)
        case look(Int, serial: Int)
        case eventLook(Int, serial: Int)
        case endBehaviour(Int)
        case endFullSocket(Int)
        case endShortage(Int)
        case check
        case premise(Int, isEnd: Bool)
        case step(Int)
        case sample
    }

    let scenario: Scenario
    let hasDaemon: Bool
    /// In nanoseconds.
    private(set) var now: UInt64 = 0
    /// The offset of the clock from the time of the events.
    var clockOffset: UInt64 = 1_000_000_000_000
    let world: World
    var hosts: [SimulatedHost] = []
    let daemon: SimulatedDaemon
    var files: [OpenFiles?] = []
    var fileSerials: [Int] = []
    var shortages = Shortages()
    var invariants: Invariants
    var reached = Reached()
    var coverage: Coverage
    package var trace: Trace
    let defect: Defect?
    /// The observations of the running script.
    var seen: Seen?
    private var queue = EventQueue<Event>()
    private var scanned = -1
    private var killsSeen = 0
    private(set) var steps = 0
    /// The bytes that hosts released on warnings.
    var released = 0.0

    /// The result of a run.
    package struct Outcome: Sendable {
        package var seed: UInt64
        package var hash: UInt64
        package var violations: [Invariants.Violation]
        package var lines: [String]
        package var episodes: Int
        package var faults: Int
        package var hosts: Int
        package var kills: Int
        package var twinKills: Int
        /// Kills of the twin that the daemon had the time and the means to prevent.
        package var covered: Int
        /// Kills of the twin that happened while the daemon had no reason to read.
        package var unseen: Int
        package var inputs: Int
        /// The bytes that hosts released on warnings, in MiB.
        package var released: Int
        /// The branches reached: a bit for each ``Branch``.
        package var branches: UInt64
    }

    /// Runs a scenario, after its twin without a daemon.
    package static func run(
        _ scenario: Scenario,
        isTraced: Bool = false,
        defect: Defect? = nil
    ) -> Outcome {
        let twin = Simulation(scenario, hasDaemon: false, twin: [], isTraced: false, defect: nil)
        twin.run()
        let simulation = Simulation(
            scenario,
            hasDaemon: true,
            twin: twin.coverage.kills,
            isTraced: isTraced,
            defect: defect
        )
        simulation.run()
        simulation.finish()
        return Outcome(
            seed: scenario.seed,
            hash: simulation.trace.hash,
            violations: simulation.invariants.violations,
            lines: simulation.trace.lines,
            episodes: scenario.episodesKept.count,
            faults: scenario.faultsKept.count,
            hosts: scenario.hostsKept.count,
            kills: simulation.world.kills.count,
            twinKills: twin.world.kills.count,
            covered: simulation.coverage.covered,
            unseen: simulation.coverage.unseen,
            inputs: simulation.daemon.inputs,
            released: Int(simulation.released / 1_048_576),
            branches: simulation.reached.branches
        )
    }

    private init(
        _ scenario: Scenario,
        hasDaemon: Bool,
        twin: [Coverage.TwinKill],
        isTraced: Bool,
        defect: Defect?
    ) {
        self.scenario = scenario
        self.hasDaemon = hasDaemon
        self.defect = defect
        world = World(scenario)
        trace = Trace(isWhole: isTraced)
        daemon = SimulatedDaemon(scenario)
        invariants = Invariants(scenario)
        coverage = Coverage(scenario, twin)
        hosts = scenario.hosts.indices.map { SimulatedHost($0, scenario.hosts[$0], seed: scenario.seed) }
        begin()
    }

    /// Creates a simulation with a daemon and only the script's steps.
    convenience init(playing script: Script) {
        self.init(Scenario(script), hasDaemon: true, twin: [], isTraced: false, defect: nil)
        seen = Seen()
        beginScript()
    }

    private func begin() {
        for host in scenario.hostsKept {
            later(.world(.startHost(host)), at: World.nanoseconds(0.5 + Double(host) * 0.05))
        }
        for episode in scenario.episodesKept {
            later(.episode(episode), at: World.nanoseconds(scenario.episodes[episode].start))
        }
        for fault in scenario.faultsKept { later(.fault(fault), at: World.nanoseconds(scenario.faults[fault].at)) }
        guard hasDaemon else { return }
        later(.startDaemon(generation: 0), at: 1_000_000)
        later(.check, at: 5_000_000_000)
        for (index, kill) in coverage.twin.enumerated() {
            later(.premise(index, isEnd: false), at: kill.firstFigure)
            later(.premise(index, isEnd: true), at: kill.at)
        }
    }

    func later(_ event: Event, at time: UInt64) { queue.add(event, at: max(time, now)) }
    func later(_ event: Event, after nanoseconds: UInt64) { queue.add(event, at: now + nanoseconds) }

    /// The clock of the machine's programs.
    var clock: MonotonicInstant { MonotonicInstant(nanoseconds: now + clockOffset) }

    // MARK: The loop

    func run() {
        let length = World.nanoseconds(scenario.length)
        world.settle()
        while true {
            let kernelNext = world.kernel.end ?? .max
            let next = min(queue.next ?? .max, kernelNext)
            guard next <= length else { break }
            now = next
            steps += 1
            if kernelNext == next {
                world.step()
            } else if let event = queue.pop() {
                handle(event)
            }
            follow()
            // A broken run reports only a few violations.
            if invariants.violations.count >= 8 || invariants.isRunaway { break }
        }
    }

    /// Lets all parts react to the changes of the world.
    private func follow() {
        world.settle()
        var hasNews = true
        while hasNews {
            for (at, what) in world.takeLater() { later(.world(what), at: at) }
            let news = world.takeNews()
            hasNews = !news.isEmpty
            for news in news { tell(news) }
            world.settle()
        }
        guard scanned != world.kernel.segments else { return }
        scanned = world.kernel.segments
        guard hasDaemon else { return coverage.follow(world, isTwin: true, at: now) }
        while killsSeen < world.kills.count {
            let (kill, domain) = world.kills[killsSeen]
            killsSeen += 1
            if let name = world.name(of: kill.program) { seen?.note(now, "killed \(name)") }
            trace.note(now, "killed a program in \(world.kernel.tree[kill.domain].path)")
            coverage.killed(kill, domain, self)
        }
        coverage.follow(world, isTwin: false, at: now)
        scanFiles()
    }

    private func handle(_ event: Event) {
        switch event {
        case .world(let later): world.perform(later, at: now)
        case .episode(let number): world.beginJob(number, at: now)
        case .fault(let number):
            trace.note(now, "fault \(scenario.faults[number].kind)")
            if !world.perform(scenario.faults[number].kind, at: now), hasDaemon {
                perform(scenario.faults[number].kind)
            }
            if hasDaemon { coverage.disturb(scenario.faults[number].kind, at: now) }
        case .host(let host, let epoch, let event):
            if hosts[host].epoch == epoch, hosts[host].program != nil { handle(event, host) }
        case .daemon(let event, let generation): receive(event, generation)
        case .startDaemon(let generation): if generation == daemon.generation { startDaemon() }
        case .thaw(let generation): if generation == daemon.generation { thaw() }
        case .look(let index, let serial): if fileSerials[index] == serial { look(index) }
        case .eventLook(let index, let serial): if fileSerials[index] == serial { lookAtEvents(index) }
        case .endBehaviour(let host): hosts[host].behaviour = .honest
        case .endFullSocket(let host): unstick(host)
        case .endShortage(let number): shortages.end(number)
        case .check:
            check()
            later(.check, after: 5_000_000_000)
        case .premise(let index, let isEnd): coverage.premise(index, isEnd: isEnd, self)
        case .step(let number): if let step = scenario.script?.steps[number] { perform(step) }
        case .sample: sample()
        }
    }

    /// Reports the machine's events to the processes that can detect them.
    private func tell(_ news: World.News) {
        switch news {
        case .started(let host): if hasDaemon { start(host) }
        case .ended(let host): if hasDaemon { end(host) }
        case .moved(let host): coverage.disturbHost(host, at: now)
        case .limits(let node):
            guard hasDaemon else { break }
            for scope in openScopes(where: { world.kernel.tree.isWithin($0, node) }) { notify(.limitsMoved(scope)) }
        case .accounting(let node):
            guard hasDaemon else { break }
            for index in files.indices where files[index]?.node == node { die(index) }
            for scope in openScopes(where: { $0 == node }) { notify(.accountingMoved(scope)) }
        case .emptied(let node):
            guard hasDaemon else { break }
            for scope in openScopes(where: { $0 == node }) { notify(.populationMoved(scope)) }
        case .made(let node): if hasDaemon { appear(node) }
        case .removed(let node):
            guard hasDaemon else { break }
            for index in files.indices where files[index]?.node == node { die(index) }
            if daemon.matches(world.kernel.tree[node].path) { notify(.vanished(world.kernel.tree[node].path)) }
        }
    }
}
