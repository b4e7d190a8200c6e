import MemoryPressure
import MemwarnProtocol

@testable import WarningPolicy

/// A policy under virtual time, with hosts and a kernel that are made up.
struct PolicyBench {
    private(set) var policy: WarningPolicy
    private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
    /// The hosts whose sockets are full.
    var full: Set<HostID> = []
    /// The clients that take so many more messages about commands; others take all.
    var room: [ConnectionID: Int] = [:]
    /// How a scope stands; `nil` if it cannot be looked at.
    var look: (ScopeID, MonotonicInstant) -> ScopeLook? = { _, _ in nil }
    /// The warnings that each host was sent.
    private(set) var inbox: [HostID: [(round: UInt64, warning: Warning)]] = [:]
    /// The commands that each host was sent.
    private(set) var commands: [HostID: [UInt64]] = [:]
    /// What was sent to clients and newcomers.
    private(set) var replies: [(connection: ConnectionID, sequence: UInt64, message: Message)] = []
    /// The rounds that are over, and whether the log hears of them.
    private(set) var finished: [RoundRecord] = []
    private(set) var logged: [UInt64] = []
    private(set) var awaitingRoom: [ConnectionID] = []
    private(set) var homeless: [HostID] = []
    private(set) var released: [ScopeID] = []
    private var effects = Effects()

    /// So many hosts with the ids from 1 on live in the scope `/`.
    init(hosts count: Int = 0, _ settings: Settings = Settings()) {
        policy = WarningPolicy(settings, seed: 1)
        for _ in 0..<count { register() }
    }

    /// Lets a host in; its connection has the number of its id.
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
            scope: scope
        )
        feed(.registered(newcomer, sequence: 7))
        return id
    }

    mutating func open(_ scope: ScopeID, _ path: String, _ level: PressureLevel = .normal) {
        feed(.scopeOpened(scope, path: path, level, PressureReason(.unknown)))
    }

    /// A scope rises or falls to a level.
    mutating func set(_ level: PressureLevel, of scope: ScopeID = .wholeHost, _ figures: ScopeFigures = ScopeFigures())
    {
        let former = policy.scopes.level(of: scope) ?? .normal
        let change: LevelMachine.Change =
            level > former ? .rose(from: former) : level < former ? .fell(from: former) : .persists
        let reason = PressureReason(.someStall, figure: .percent(43.2), threshold: .percent(40))
        feed(.levelChanged(scope, change, level, reason, figures))
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

    /// Lets time pass, and does what is due on the way.
    mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let due = policy.due, due <= end {
            now = max(now, due)
            feed(.elapsed)
        }
        now = end
    }

    mutating func feed(_ input: WarningPolicy.Input) {
        var inputs = [input]
        while !inputs.isEmpty {
            policy.handle(inputs.removeFirst(), at: now, into: &effects)
            for effect in effects.list { perform(effect, &inputs) }
            effects.removeAll()
        }
    }

    private mutating func perform(_ effect: Effects.Effect, _ inputs: inout [WarningPolicy.Input]) {
        switch effect {
        case .warn(let round, var warning, let range):
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
        case .noteRound(let record, let isLogged):
            finished.append(record)
            if isLogged { logged.append(record.id) }
        case .locate(let hosts): homeless += hosts
        case .release(let scope): released.append(scope)
        case .noteLevel, .noteLoss, .noteHost, .noteCommand, .save: break
        }
    }

    /// A host that is there.
    func host(_ id: HostID) -> HostEntry {
        guard let slot = policy.hosts.slot(of: id) else { fatalError("host \(id) is not there") }
        return policy.hosts[slot]
    }

    /// The rounds that a host was warned of, in order.
    func rounds(_ host: HostID) -> [UInt64] { inbox[host, default: []].map(\.round) }
    /// The levels that a host was told, in order.
    func levels(_ host: HostID) -> [PressureLevel] { inbox[host, default: []].map(\.warning.level) }
    /// What a host was asked for, in order, in bytes.
    func wanted(_ host: HostID) -> [UInt64] { inbox[host, default: []].map(\.warning.bytesWanted) }
}

extension Acknowledgement {
    /// An answer of a host that says it released so much, and that so much of its memory returned.
    static func claiming(_ released: UInt64, releasable: UInt64 = 0) -> Self {
        Self(released: released, residentBefore: released, residentAfter: 0, duration: 1, releasable: releasable)
    }
}
