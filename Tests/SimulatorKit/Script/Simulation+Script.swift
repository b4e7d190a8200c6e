import MemoryPressure
import WarningPolicy

extension Simulation {
    /// Runs a script, and returns its observations: one line each, in the form of the player in a guest.
    package static func play(_ script: Script) -> [String] {
        let simulation = Simulation(playing: script)
        simulation.run()
        return simulation.seen?.lines ?? []
    }

    /// Schedules the script's steps and the observations.
    func beginScript() {
        guard let script = scenario.script else { return }
        // The daemon has already started.
        for (node, cgroup) in world.nodes.enumerated() {
            guard let cgroup, case .opened(let index, _) = open(.script("", isPrivileged: true), cgroup, StallPlan())
            else {
                continue
            }
            poll(index, [.limits])
            seen?.counted.append((index, script.cgroups[node].path))
        }
        for (number, step) in script.steps.enumerated() { later(.step(number), at: World.nanoseconds(step.at)) }
        later(.sample, at: 0)
    }

    func perform(_ step: Script.Step) {
        seen?.note(now, "do \(step.text)")
        guard case .arm(let name, let cgroup, let kind, let plan, let isPrivileged) = step.action else {
            return world.perform(step.action, at: now)
        }
        let owner = OpenFiles.Owner.script(name, isPrivileged: isPrivileged)
        if let node = world.nodes[cgroup], case .opened(let index, _) = open(owner, node, plan) {
            poll(index, [.stalls(kind)])
        }
    }

    func sample() {
        for (number, node) in world.nodes.enumerated() {
            guard let node else { continue }
            let stalls = world.kernel.stalls(of: node, at: now)
            let totals = [PressureStall.Kind.some, .full].map { kind in stalls.map { "\($0.total(kind))" } ?? "-" }
            let left = world.kernel.headroom(of: node, at: now).map { "\($0.share.percent)" } ?? "-"
            seen?.note(now, "sample \(scenario.cgroups[number].path) some=\(totals[0]) full=\(totals[1]) left=\(left)")
        }
        later(.sample, after: 100_000_000)
    }

    /// Records an event of one of the script's triggers.
    func see(_ index: Int, _ name: String, _ trigger: PressureSensor.Trigger) {
        guard trigger == .limits else {
            seen?.note(now, "fired \(name)")
            return
        }
        guard let path = seen?.counted.first(where: { $0.files == index })?.path,
            let events = try? read(index, [.limitEvents]).limitEvents
        else { return }
        seen?.note(
            now,
            "events \(path) high=\(events.high) max=\(events.max) oom=\(events.oom) oom_kill=\(events.oomKill)"
        )
    }

    func see(level scope: ScopeID) {
        guard seen != nil, let index = daemon.policy.scopes.index(of: scope) else { return }
        seen?.note(now, "level \(daemon.policy.scopes[index].path) \(daemon.policy.scopes[index].level)")
    }
}

/// The observations of a script.
struct Seen {
    private(set) var lines: [String] = []
    /// The files whose `memory.events` are read at each change.
    var counted: [(files: Int, path: String)] = []

    mutating func note(_ now: UInt64, _ text: String) {
        let fraction = "\(1_000 + now / 1_000_000 % 1_000)".dropFirst()
        lines.append("\(now / 1_000_000_000).\(fraction) \(text)")
    }
}
