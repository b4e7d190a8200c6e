import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// The stages of a warning to hosts that are made up, and answer at once.
struct ReplayedRound {
    /// The stages in which hosts would have been told, with how many.
    var told: [(ring: StagePlan.Ring, hosts: Int)] = []
    /// How many stages were planned.
    let planned: Int
}

/// The daemon's policy with made-up hosts, fed by a replay.
///
/// The hosts give nothing back, since the recording cannot change: whether a stage was enough is what really happened
/// then.
struct ReplayedHosts {
    /// The rounds, by the announcements that they belong to.
    private(set) var rounds: [Int: ReplayedRound] = [:]

    private let paths: [String]
    private var policy: WarningPolicy
    private var effects = Effects()
    /// The announcement and its limit of each round that warns.
    private var announced: [UInt64: (announcement: Int, scope: Int, limit: BindingLimit?)] = [:]

    /// So many hosts live in each scope.
    init(_ paths: [String], hosts: Int, settings: Settings) {
        self.paths = paths
        policy = WarningPolicy(settings, seed: 1)
        let start = MonotonicInstant(nanoseconds: 0)
        for (index, path) in paths.enumerated() where hosts > 0 {
            let scope = Self.id(of: index, path)
            policy.handle(
                .scopeOpened(scope, path: path, .normal, PressureReason(.unknown)),
                at: start,
                into: &effects
            )
            for _ in 0..<hosts {
                let id = policy.makeHostID()
                let newcomer = Newcomer(
                    id: id,
                    connection: ConnectionID(clamping: id),
                    pid: 0,
                    uid: 0,
                    hello: Hello(name: "replay"),
                    scope: scope
                )
                policy.handle(.registered(newcomer, sequence: 0), at: start, into: &effects)
                effects.removeAll()
            }
        }
    }

    private static func id(of index: Int, _ path: String) -> ScopeID {
        path == "/" ? .wholeHost : ScopeID(index) + 2
    }

    /// Takes in that a level changed, or was told again.
    mutating func announce(
        _ index: Int,
        _ announcement: Replay.Announcement,
        _ scopes: [ReplayedScope],
        at now: MonotonicInstant
    ) {
        guard policy.hosts.count > 0 else { return }
        let scope = announcement.scope
        if announcement.level > .normal {
            announced[policy.rounds.lastID + 1] = (index, scope, announcement.reason.limit)
        }
        feed(
            .levelChanged(
                Self.id(of: scope, paths[scope]),
                announcement.change,
                announcement.level,
                announcement.reason,
                ScopeFigures()
            ),
            scopes,
            at: now
        )
    }

    /// Lets time pass.
    mutating func elapse(_ scopes: [ReplayedScope], at now: MonotonicInstant) {
        while let due = policy.due, due <= now { feed(.elapsed, scopes, at: now) }
    }

    private mutating func feed(_ input: WarningPolicy.Input, _ scopes: [ReplayedScope], at now: MonotonicInstant) {
        var inputs = [input]
        while !inputs.isEmpty {
            policy.handle(inputs.removeFirst(), at: now, into: &effects)
            for effect in effects.list {
                switch effect {
                case .warn(let round, let warning, let range):
                    note(round, effects.recipients[range])
                    inputs.append(.sent(round: round))
                    guard warning.options.contains(.answerWanted) else { break }
                    inputs += effects.recipients[range].map { .answered($0.host, round: round, Self.answer) }
                case .look(let scope, let round):
                    let index = paths.indices.first { Self.id(of: $0, paths[$0]) == scope }
                    inputs.append(.looked(round: round, index.map { scopes[$0].look(at: now) }))
                default: break
                }
            }
            effects.removeAll()
        }
    }

    /// Something is left: a host that has nothing left is not told again.
    private static let answer = Acknowledgement(
        released: 0,
        residentBefore: 0,
        residentAfter: 0,
        duration: 0,
        releasable: 1
    )

    private mutating func note(_ round: UInt64, _ recipients: ArraySlice<Effects.Recipient>) {
        guard let (announcement, scope, limit) = announced[round],
            let first = recipients.first.flatMap({ policy.hosts.slot(of: $0.host) }),
            let ring = StagePlan.Ring(
                of: policy.scopes.path(of: policy.hosts[first].scope),
                around: paths[scope],
                limit: limit
            )
        else { return }
        let planned = policy.rounds.round(round)?.stages ?? 1
        var replayed = rounds[announcement] ?? ReplayedRound(planned: planned)
        if let last = replayed.told.indices.last, replayed.told[last].ring == ring {
            replayed.told[last].hosts += recipients.count
        } else {
            replayed.told.append((ring, recipients.count))
        }
        rounds[announcement] = replayed
    }
}
