import MemoryPressure

/// The stages of a warning to hosts that are made up, and answer at once.
struct ReplayedRound {
    /// The stages in which somebody would have been told, with how many.
    var told: [(ring: StagePlan.Ring, hosts: Int)] = []
    /// How many stages were planned.
    let planned: Int
}

/// The warnings that are under way in a replay: who is told next depends on what the recording shows a moment later.
///
/// The hosts give nothing back, since the recording cannot change: whether a stage was enough is what really happened
/// then.
struct ReplayedRounds {
    private struct Entry {
        let announcement: Int
        let scope: Int
        let level: PressureLevel
        var round: ReplayedRound
        var left: [(ring: StagePlan.Ring, hosts: Int)]
        var look: ScopeLook
        var due: MonotonicInstant
    }

    private let paths: [String]
    private let hosts: Int
    private let configuration: Configuration
    private var running: [Entry] = []

    init(_ paths: [String], hosts: Int, configuration: Configuration) {
        self.paths = paths
        self.hosts = hosts
        self.configuration = configuration
    }

    /// Begins the round of an announcement, unless it is relief, which ends those of its scope.
    mutating func announce(
        _ index: Int,
        _ announcement: Replay.Announcement,
        _ scopes: [ReplayedScope],
        at now: MonotonicInstant
    ) {
        guard hosts > 0 else { return }
        for index in running.indices where running[index].scope == announcement.scope { running[index].left = [] }
        if case .fell = announcement.change { return }
        let path = paths[announcement.scope]
        let around = announcement.level == .warning
        let candidates = paths.flatMap { other -> [StagePlan.Candidate] in
            guard let ring = StagePlan.Ring(of: other, around: path, limit: announcement.reason.limit),
                around || ring == .inside
            else { return [] }
            // Hosts like all others: nothing is known of them.
            return Array(repeating: StagePlan.Candidate(ring: ring, priority: 128, releasable: 0), count: hosts)
        }
        let plan = StagePlan(candidates, level: announcement.level, wanted: 0)
        var stages = plan.stages.map { (ring: candidates[$0[0]].ring, hosts: $0.count) }
        var round = ReplayedRound(planned: stages.count)
        if !stages.isEmpty { round.told.append(stages.removeFirst()) }
        running.append(
            Entry(
                announcement: index,
                scope: announcement.scope,
                level: announcement.level,
                round: round,
                left: stages,
                look: scopes[announcement.scope].look(at: now),
                due: now.advanced(by: configuration.settle)
            )
        )
    }

    /// Looks at what stages have brought; returns the rounds that are over, by the announcements that they belong to.
    mutating func judge(_ scopes: [ReplayedScope], at now: MonotonicInstant) -> [(Int, ReplayedRound)] {
        for index in running.indices where running[index].due <= now && !running[index].left.isEmpty {
            let look = scopes[running[index].scope].look(at: now)
            let reading = look.reading(since: running[index].look)
            guard configuration.levels.hold(by: reading).level >= running[index].level else {
                running[index].left = []
                continue
            }
            running[index].round.told.append(running[index].left.removeFirst())
            running[index].look = look
            running[index].due = now.advanced(by: configuration.settle)
        }
        let over = running.filter { $0.left.isEmpty }
        running.removeAll { $0.left.isEmpty }
        return over.map { ($0.announcement, $0.round) }
    }

    /// The rounds that the recording ends in.
    mutating func finish() -> [(Int, ReplayedRound)] {
        defer { running = [] }
        return running.map { ($0.announcement, $0.round) }
    }
}
