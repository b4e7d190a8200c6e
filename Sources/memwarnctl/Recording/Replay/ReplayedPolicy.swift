import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// The stages of a warning to simulated hosts, which answer at once.
struct ReplayedRound {
    /// The stages in which hosts would have been told, with how many.
    var told: [(ring: StagePlan.Ring, hosts: Int)] = []
    /// How many stages were planned.
    let planned: Int
}

/// The daemon's policy with simulated hosts and a kernel from a recording.
///
/// The hosts give nothing back, since the recording cannot change: the recorded figures decide whether a stage was
/// enough.
struct ReplayedPolicy {
    /// The announcements.
    private(set) var announcements: [Replay.Announcement] = []
    private(set) var scopes: [ReplayedScope]

    private var policy: WarningPolicy
    private var effects = Effects()
    private let hosts: Int
    /// The scopes' positions in the list, by their numbers.
    private var places: [ScopeID: Int] = [:]
    /// The announcement that each round warns of.
    private var announced: [UInt64: Int] = [:]

    /// Creates a policy with this number of hosts in each scope and this interval between samples.
    init(_ scopes: [RecordingHeader.Scope], hosts: Int, settings: Settings, interval: Duration) {
        self.hosts = hosts
        // A timer that ends between two samples is moved to the nearer one.
        let tolerance = interval / 2
        self.scopes = scopes.map { ReplayedScope($0, plan: settings.stalls, tolerance: tolerance) }
        policy = WarningPolicy(settings, seed: 1)
        policy.slack = tolerance
    }

    /// The level of each scope.
    var levels: [PressureLevel] {
        scopes.map { policy.scopes.id(at: $0.place.name).flatMap { policy.scopes.level(of: $0) } ?? .normal }
    }

    /// The number of stall events that the kernel would have sent.
    var events: UInt64 { scopes.reduce(0) { $0 + $1.events } }

    /// Records that the kernel sent a stall event during the recording.
    mutating func noteEvent(_ scope: Int) {
        scopes[scope].noteEvent()
    }

    /// Processes a sample of all scopes, at a time in milliseconds since the first one.
    mutating func take(_ figures: [RecordedFigures], at milliseconds: UInt64) {
        let now = Replay.instant(milliseconds)
        for index in scopes.indices {
            guard let fired = scopes[index].take(figures[index], at: now) else { continue }
            guard scopes[index].isOpen else {
                begin(index, at: milliseconds)
                continue
            }
            for trigger in fired where scopes[index].listening.contains(trigger) {
                guard let scope = policy.scopes.id(at: scopes[index].place.name) else { continue }
                scopes[index].count(trigger)
                feed(.fired(scope, trigger), at: milliseconds)
            }
        }
        // This continues until nothing more is due at this sample.
        while let due = policy.scopes.due, due <= now.advanced(by: policy.slack) {
            guard feed(.elapsed, at: milliseconds) else { break }
        }
        while let due = policy.due, due <= now { feed(.elapsed, at: milliseconds) }
    }

    private mutating func begin(_ index: Int, at milliseconds: UInt64) {
        scopes[index].isOpen = true
        let place = scopes[index].place
        feed(place == .host ? .started : .cgroupAppeared(place), at: milliseconds)
        for _ in 0..<hosts {
            let id = policy.makeHostID()
            let newcomer = Newcomer(
                id: id,
                connection: ConnectionID(clamping: id),
                pid: 0,
                uid: 0,
                hello: Hello(name: "replay"),
                location: .found(place)
            )
            feed(.registered(newcomer, sequence: 0), at: milliseconds)
        }
    }

    /// Feeds the policy an event, and the results of its effects.
    ///
    /// - Returns: whether there was anything to do.
    @discardableResult
    private mutating func feed(_ input: WarningPolicy.Input, at milliseconds: UInt64) -> Bool {
        let now = Replay.instant(milliseconds)
        var inputs = [input]
        var didAnything = false
        while !inputs.isEmpty {
            policy.handle(inputs.removeFirst(), at: now, into: &effects)
            // This comes first, because the warnings of an announcement precede it.
            for case .noteLevel(let scope, let change) in effects.list { announce(scope, change, at: milliseconds) }
            for effect in effects.list {
                switch effect {
                case .open(let scope, let place, _):
                    guard let index = scopes.firstIndex(where: { $0.place == place }) else { break }
                    places[scope] = index
                    inputs.append(.opened(scope, scopes[index].open(at: now)))
                case .read(let scope, _):
                    if let index = places[scope] { inputs.append(.read(scope, scopes[index].readings(at: now))) }
                case .listen(let scope, let triggers):
                    if let index = places[scope] { scopes[index].listening = triggers }
                case .look(let scope, let round):
                    inputs.append(.looked(round: round, places[scope].map { scopes[$0].look(at: now) }))
                case .warn(let round, let warning, let range):
                    inputs.append(.sent(round: round))
                    guard warning.options.contains(.answerWanted) else { break }
                    note(round, effects.recipients[range])
                    inputs += effects.recipients[range].map { .answered($0.host, round: round, Self.answer) }
                default: break
                }
            }
            didAnything = didAnything || !effects.list.isEmpty
            effects.removeAll()
        }
        return didAnything
    }

    private mutating func announce(_ scope: ScopeID, _ change: LevelMachine.Change, at milliseconds: UInt64) {
        guard let place = places[scope], let index = policy.scopes.index(of: scope) else { return }
        let (level, reason) = (policy.scopes[index].level, policy.scopes[index].reason)
        for case .warn(let round, let warning, _) in effects.list where warning.options.contains(.answerWanted) {
            announced[round] = announcements.count
        }
        announcements.append(
            Replay.Announcement(at: milliseconds, scope: place, change: change, level: level, reason: reason)
        )
    }

    /// The answer leaves something to release: a host with nothing left is not warned again.
    private static let answer = Acknowledgement(
        released: 0,
        residentBefore: 0,
        residentAfter: 0,
        duration: 0,
        releasable: 1
    )

    private mutating func note(_ round: UInt64, _ recipients: ArraySlice<Effects.Recipient>) {
        guard let index = announced[round], let first = recipients.first.flatMap({ policy.hosts.slot(of: $0.host) }),
            let ring = StagePlan.Ring(
                of: policy.scopes.path(of: policy.hosts[first].scope),
                around: scopes[announcements[index].scope].place.name,
                limit: announcements[index].reason.limit
            )
        else { return }
        let planned = policy.rounds.round(round)?.stages ?? 1
        var replayed = announcements[index].stages ?? ReplayedRound(planned: planned)
        if let last = replayed.told.indices.last, replayed.told[last].ring == ring {
            replayed.told[last].hosts += recipients.count
        } else {
            replayed.told.append((ring, recipients.count))
        }
        announcements[index].stages = replayed
    }
}
