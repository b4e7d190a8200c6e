import MemoryPressure
import MemwarnProtocol

@testable import WarningPolicy

/// A policy under virtual time, with simulated hosts and a simulated kernel.
struct PolicyBench {
    private(set) var policy: WarningPolicy
    private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    /// The hosts whose sockets are full.
    var full: Set<HostID> = []
    /// How many more messages about commands each of these clients accepts; other clients accept all.
    var room: [ConnectionID: Int] = [:]
    /// The current state of a scope; `nil` if it cannot be read.
    var look: (ScopeID, MonotonicInstant) -> ScopeLook? = { _, _ in nil }
    /// The warnings that each host was sent.
    private(set) var inbox: [HostID: [(round: UInt64, warning: Warning)]] = [:]
    /// The triggers of the polled scopes at the time of each warning.
    private(set) var polledAtWarnings: [[TriggerSet]] = []
    /// The commands that each host was sent.
    private(set) var commands: [HostID: [UInt64]] = [:]
    /// The messages that were sent to clients and newcomers.
    private(set) var replies: [(connection: ConnectionID, sequence: UInt64, message: Message)] = []
    /// The rounds that are over, and the ids of those that were logged.
    private(set) var finished: [RoundRecord] = []
    private(set) var logged: [UInt64] = []
    /// The number of entries withheld before logged rounds, commands and losses.
    private(set) var withheld: UInt64 = 0
    private(set) var commandsLogged: [UInt32] = []
    private(set) var awaitingRoom: [ConnectionID] = []
    /// The hosts that the policy searched for.
    private(set) var sought: [HostID] = []
    /// The scopes that no longer exist, and the number of hosts that each had.
    private(set) var lost: [String] = []
    /// The scopes that clients were told of, since they have appeared or ended.
    private(set) var notedScopes: [String] = []
    /// The levels at each request to save them.
    private(set) var saves: [[String: PressureLevel]] = []
    /// The scopes whose files are open, in order, each with its stall plan and the triggers that are polled.
    private(set) var open: [(scope: ScopeID, place: SensorPlace, plan: StallPlan, triggers: TriggerSet)] = []
    /// The result of opening a scope's files.
    var opening: (SensorPlace, MonotonicInstant) -> WatchOpening = { _, now in
        .opened(OpenedFiles(rung: .privileged, window: .milliseconds(500), triggers: [.some, .full, .limits], at: now))
    }
    /// Whether the test reports the result of opening later; and the files that the policy has asked to open since then.
    var opensLater = false
    private(set) var openings: [(scope: ScopeID, plan: StallPlan)] = []
    /// The readings of open files; a scope with an error cannot be read.
    var reading: (SensorPlace, MonotonicInstant) -> SensorReadings = { SensorReadings.calm($0, at: $1) }
    var unreadable: [String: KernelError] = [:]
    /// The reads so far.
    private(set) var read: [(scope: ScopeID, reads: SensorReads, at: MonotonicInstant)] = []
    /// The current locations of hosts' processes, if they have moved.
    var places: [HostID: Location] = [:]
    private var effects = Effects()

    /// Registers `count` hosts with the ids from 1 on in the scope `/`; `levels` are those of an earlier daemon.
    init(hosts count: Int = 0, _ settings: Settings = Settings(), levels: [String: PressureLevel] = [:]) {
        policy = WarningPolicy(settings, seed: 1)
        policy.resume(at: MonotonicInstant(nanoseconds: 0), afterHost: 0, levels: levels)
        feed(.started)
        for _ in 0..<count { register() }
        // By then the policy has finished locating them.
        if count > 0 { pass(.seconds(12)) }
    }

    /// Registers a host; its connection has the same number as its id.
    @discardableResult
    mutating func register(
        in scope: ScopeID = .wholeHost,
        door: HostRecord.Door = .native,
        uid: UInt32 = 1000,
        name: String = "fake",
        priority: UInt8 = 128,
        releasable: UInt64 = 0,
        accepts: HostMessages = .commands
    ) -> HostID {
        let id = policy.makeHostID()
        let newcomer = Newcomer(
            id: id,
            connection: ConnectionID(id),
            door: door,
            pid: 100 + UInt32(id),
            uid: uid,
            hello: Hello(priority: priority, releasable: releasable, name: name, accepts: accepts),
            location: .found(policy.scopes.index(of: scope).map { policy.scopes[$0].watch.place } ?? .host)
        )
        feed(.registered(newcomer, sequence: 7))
        return id
    }

    /// Opens the scope of a configured cgroup, which gets this id.
    mutating func open(_ scope: ScopeID, _ path: String) {
        feed(.cgroupAppeared(.cgroup(path)))
        guard policy.scopes.id(at: path) == scope else { fatalError("\(path) has another number") }
    }

    /// Raises or lowers a scope to a level, or announces its level again; `hasEased` if the figures had eased meanwhile.
    mutating func set(
        _ level: PressureLevel,
        of scope: ScopeID = .wholeHost,
        _ figures: ScopeFigures = ScopeFigures(),
        hasEased: Bool = false
    ) {
        change(to: level, of: scope, figures, hasEased: hasEased)
        // Rounds that this ends are handled with the next input.
        perform([.elapsed])
    }

    /// Raises or lowers a scope to a level, without performing any effects yet.
    mutating func change(
        to level: PressureLevel,
        of scope: ScopeID = .wholeHost,
        _ figures: ScopeFigures = ScopeFigures(),
        hasEased: Bool = false
    ) {
        let former = policy.scopes.level(of: scope) ?? .normal
        let change: LevelMachine.Change =
            level > former
            ? .rose(from: former) : level < former ? .fell(from: former) : hasEased ? .returned : .persists
        let limit = figures.headroom?.limit
        let reason = PressureReason(.someStall, figure: .percent(43.2), threshold: .percent(40), limit: limit)
        policy.follow(change, to: level, reason, of: scope, figures, at: now, &effects)
    }

    mutating func simulate(
        _ level: PressureLevel,
        _ target: Simulate.Target = .all,
        by client: Client = Client(connection: 900, pid: 9, uid: 0, reach: .all),
        deadline: UInt32 = 0
    ) {
        feed(.simulate(Simulate(level: level, target: target, deadline: deadline), client, sequence: 5))
    }

    mutating func answer(_ host: HostID, round: UInt64, released: UInt64 = 0, releasable: UInt64 = 0) {
        let answer = Acknowledgement.claiming(released, releasable: releasable)
        feed(.answered(host, round: round, answer))
    }

    /// Advances the time, and handles everything that becomes due on the way.
    mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let due = policy.due, due <= end {
            now = max(now, due)
            feed(.elapsed)
        }
        now = end
    }

    /// Advances the time until something is due, and handles that once.
    mutating func step() {
        guard let due = policy.due else { return }
        now = max(now, due)
        feed(.elapsed)
    }

    mutating func feed(_ input: WarningPolicy.Input) {
        perform([input])
    }

    /// Performs the policy's effects, and feeds the results back to it.
    private mutating func perform(_ inputs: [WarningPolicy.Input]) {
        var inputs = inputs
        while true {
            for effect in effects.list { perform(effect, &inputs) }
            effects.removeAll()
            guard !inputs.isEmpty else { return }
            policy.handle(inputs.removeFirst(), at: now, into: &effects)
        }
    }

    private mutating func perform(_ effect: Effects.Effect, _ inputs: inout [WarningPolicy.Input]) {
        switch effect {
        case .warn(let round, var warning, let range):
            polledAtWarnings.append(open.map(\.triggers))
            for recipient in effects.recipients[range] {
                warning.bytesWanted = recipient.bytesWanted
                if full.contains(recipient.host) {
                    inputs.append(.undelivered(recipient.host, round: round))
                } else {
                    inbox[recipient.host, default: []].append((round, warning))
                }
            }
            inputs.append(.sent(round: round))
        case .command(_, let number, let range):
            for recipient in effects.recipients[range] {
                if full.contains(recipient.host) {
                    inputs.append(.commandUndelivered(recipient.host, command: number))
                } else {
                    commands[recipient.host, default: []].append(number)
                }
            }
        case .look(let scope, let round): inputs.append(.looked(round: round, look(scope, now)))
        case .reply(let connection, let sequence, let message): replies.append((connection, sequence, message))
        case .report(let command, let connection, let sequence, let messages):
            let taken = min(messages.count, room[connection] ?? messages.count)
            for message in messages.prefix(taken) { replies.append((connection, sequence, message)) }
            inputs.append(.took(command: command, taken))
        case .awaitRoom(let connection): awaitingRoom.append(connection)
        case .noteRound(let record, let withheld):
            finished.append(record)
            if let withheld {
                logged.append(record.id)
                self.withheld += withheld
            }
        case .open(let scope, _, let plan) where opensLater: openings.append((scope, plan))
        case .open(let scope, let place, let plan):
            let opening = opening(place, now)
            if case .opened(let files) = opening {
                open.removeAll { $0.scope == scope }
                open.append((scope, place, plan, files.triggers))
            }
            inputs.append(.opened(scope, opening))
        case .read(let scope, let reads):
            read.append((scope, reads, now))
            guard let place = open.first(where: { $0.scope == scope })?.place else { break }
            let error = unreadable[place.name]
            inputs.append(error.map { .unreadable(scope, $0) } ?? .read(scope, reading(place, now)))
        case .listen(let scope, let triggers):
            if let index = open.firstIndex(where: { $0.scope == scope }) { open[index].triggers = triggers }
        case .close(let scope): open.removeAll { $0.scope == scope }
        case .locate(let hosts):
            sought += hosts
            let found = hosts.compactMap { host in places[host].map { (host: host, location: $0) } }
            if !found.isEmpty { inputs.append(.located(found)) }
        case .noteLoss(let path, _, let withheld):
            lost.append(path)
            self.withheld += withheld
        case .noteCommand(_, _, _, _, let uid, let withheld):
            commandsLogged.append(uid)
            self.withheld += withheld
        case .noteScope(_, let path): notedScopes.append(path)
        case .save: saves.append(policy.scopes.levels)
        case .noteLevel, .noteOldThresholds, .noteHost: break
        }
    }

    /// A registered host.
    func host(_ id: HostID) -> HostEntry {
        guard let slot = policy.hosts.slot(of: id) else { fatalError("host \(id) is not there") }
        return policy.hosts[slot]
    }

    /// The rounds in which a host was warned, in order.
    func rounds(_ host: HostID) -> [UInt64] { inbox[host, default: []].map(\.round) }
    /// The levels that a host was told, in order.
    func levels(_ host: HostID) -> [PressureLevel] { inbox[host, default: []].map(\.warning.level) }
    /// The bytes that a host was asked to release, in order.
    func wanted(_ host: HostID) -> [UInt64] { inbox[host, default: []].map(\.warning.bytesWanted) }
}

extension Acknowledgement {
    /// An answer of a host that claims to have released this many bytes, and as many from its resident memory.
    static func claiming(_ released: UInt64, releasable: UInt64 = 0) -> Self {
        Self(released: released, residentBefore: released, residentAfter: 0, duration: 1, releasable: releasable)
    }
}

extension SensorPlace {
    /// The place of the cgroup with this path.
    static func cgroup(_ path: String) -> Self {
        let cgroup = Cgroup(path: path == "/." ? "/" : path, directory: "/sys/fs/cgroup" + path)
        return Self(cgroup: cgroup, memory: MemoryCgroup(cgroup))
    }
}

extension OpenedFiles {
    /// Files of a calm scope without a limit.
    init(rung: Rung, window: Duration, triggers: TriggerSet, at now: MonotonicInstant) {
        self.init(rung: rung, window: window, triggers: triggers, first: .calm(.host, at: now))
    }
}

extension SensorReadings {
    /// The readings of a calm scope without a limit.
    static func calm(_ place: SensorPlace, at now: MonotonicInstant) -> Self {
        var readings = Self(at: now)
        let line = PressureStall.Line(average10: .zero, total: 0)
        readings.stalls = PressureStall(some: line, full: line)
        readings.limitEvents = place.cgroup == nil ? nil : MemoryEvents()
        readings.reclaim = ReclaimCounters(scanned: 0, refaulted: 0)
        return readings
    }
}
