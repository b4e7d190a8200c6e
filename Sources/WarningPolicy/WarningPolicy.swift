package import MemoryPressure
package import MemwarnProtocol

/// What the daemon does about pressure: which hosts hear of which level, when, and what became of it.
///
/// A value. It reads no clock, opens nothing and calls nothing: it is told what happened and when, and says what is to be
/// done. The daemon, a replay and a simulation run it alike, and the same inputs bring the same effects.
package struct WarningPolicy: Sendable {
    package private(set) var settings: Settings
    package private(set) var hosts = HostTable()
    package private(set) var scopes: ScopeTable
    package private(set) var rounds: Rounds
    package private(set) var ledger = Ledger()
    package private(set) var counters = Counters()
    private var commands = SentCommands()
    private var simulations = Simulations()
    /// How many entries of the log the requests of users may make.
    private var entries = Allowance.requestEntries
    private var checks = LocationChecks()
    /// When a scope's files are opened anew the last time for a switch of its accounting.
    private var reopened = MonotonicInstant(nanoseconds: 0)
    /// The levels that scopes had in a daemon before this one, until each is watched again.
    private var inherited: [String: PressureLevel] = [:]
    private var inheritedAt: MonotonicInstant?
    /// Looks that are due within so long of each other are taken together, and wake the daemon once.
    package var slack = Duration.milliseconds(20)

    /// A policy without hosts, on a calm machine; random waits follow from `seed`.
    package init(_ settings: Settings = Settings(), seed: UInt64) {
        self.settings = settings
        scopes = ScopeTable(settings.sensing)
        rounds = Rounds(seed: seed)
    }

    /// Something that happened.
    package enum Input: Sendable {
        /// The program is there: the whole host is to be watched.
        case started
        /// What came of opening a scope's files.
        case opened(ScopeID, WatchOpening)
        /// A trigger that is polled fired.
        case fired(ScopeID, PressureSensor.Trigger)
        /// A scope's files were read.
        case read(ScopeID, SensorReadings)
        /// A scope's files could not be read, or a trigger of stalls is dead.
        case unreadable(ScopeID, KernelError)
        /// Triggers could not be polled.
        case deaf(ScopeID)
        /// A limit of a scope, or of a cgroup above it, was set, lowered or lifted.
        case limitsMoved(ScopeID)
        /// A scope's accounting was switched on or off.
        case accountingMoved(ScopeID)
        /// The last process of a scope left it, or the first came back.
        case populationMoved(ScopeID)
        /// Other cgroups are configured from now on; those that are there follow as ``cgroupAppeared(_:)``.
        case patternsChanged
        /// A cgroup that is configured is there.
        case cgroupAppeared(SensorPlace)
        /// A cgroup that was configured is gone.
        case cgroupVanished(path: String)
        /// A host registered; its hello had this number.
        case registered(Newcomer, sequence: UInt64)
        /// A host's connection ended.
        case left(HostID)
        /// The processes of hosts were looked for.
        case located([(host: HostID, location: Location)])
        /// A host answered a warning.
        case answered(HostID, round: UInt64, Acknowledgement)
        /// A warning could not be sent to a host.
        case undelivered(HostID, round: UInt64)
        /// A warning was sent, as far as it could be.
        case sent(round: UInt64)
        /// How a scope stands, for a round; `nil` if it cannot be looked at.
        case looked(round: UInt64, ScopeLook?)
        /// A connection takes packets again; `host` is the host behind it, if there is one.
        case hasRoom(ConnectionID, host: HostID?)
        /// A client wants hosts warned as if memory were short.
        case simulate(Simulate, Client, sequence: UInt64)
        /// A client commands hosts.
        case send(Send, Client, sequence: UInt64)
        /// A host answered a command.
        case replied(HostID, command: UInt64, CommandReply)
        /// A command could not be sent to a host.
        case commandUndelivered(HostID, command: UInt64)
        /// A client took so many of the messages about a command that it was offered.
        case took(command: UInt64, Int)
        /// A client's connection ended.
        case clientLeft(ConnectionID)
        /// A peer was told no, and let go.
        case refused(Refusal.Code)
        /// New settings are in force.
        case settings(Settings)
        /// New settings were refused.
        case settingsRefused
        /// What is due has come.
        case elapsed
    }

    /// When ``Input/elapsed`` is due; `nil` if not before something else happens.
    package var due: MonotonicInstant? {
        .earlier(.earlier(rounds.due, commands.due), .earlier(checks.due, scopes.due))
    }

    /// Gives no number up to these to other rounds and hosts: those of a daemon before this one.
    ///
    /// Scopes begin at the levels that they had in it, by path.
    package mutating func goOn(afterRound round: UInt64, host: HostID, levels: [String: PressureLevel] = [:]) {
        rounds.goOn(after: round)
        hosts.goOn(after: host)
        inherited = levels
    }

    /// The number for a host that is about to register.
    package mutating func makeHostID() -> HostID { hosts.makeID() }

    /// Gives up the room of hosts that have left; costs a copy of what is left, so that it is not for a round.
    package mutating func shrink() {
        hosts.shrink()
        checks.shrink(hosts)
    }

    package mutating func handle(_ input: Input, at now: MonotonicInstant, into effects: inout Effects) {
        switch input {
        case .started:
            start(at: now, &effects)
        case .opened(let scope, let opening):
            opened(scope, opening, at: now, &effects)
        case .fired(let scope, let trigger):
            if let index = scopes.index(of: scope) { scopes[index].watch.fired(trigger, at: now, &effects) }
            check(isCalm: false, at: now, &effects)
        case .read(let scope, let readings):
            guard let index = scopes.index(of: scope) else { break }
            let change = scopes[index].watch.take(readings, at: now, &effects)
            if let change { follow(change, ofWatchAt: index, at: now, &effects) }
        case .unreadable(let scope, let error):
            if let index = scopes.index(of: scope) { scopes[index].watch.lose(error, at: now, &effects) }
        case .deaf(let scope):
            if let index = scopes.index(of: scope) { scopes[index].watch.deafen(at: now) }
        case .limitsMoved(let scope):
            if let index = scopes.index(of: scope) { scopes[index].watch.limitsMoved(at: now, &effects) }
        case .accountingMoved(let scope):
            if let index = scopes.index(of: scope) { scopes[index].watch.reopen(at: now, after: &reopened) }
        case .populationMoved(let scope):
            lookForHosts(of: scope, at: now)
        case .patternsChanged:
            // Those that the new patterns name as well are configured again before they are closed, and keep their levels.
            for scope in scopes.all where scope.isConfigured { scopes.configure(scope.id, false, at: now) }
        case .cgroupAppeared(let place):
            configure(place, at: now, &effects)
        case .cgroupVanished(let path):
            if let index = scopes.id(at: path).flatMap({ scopes.index(of: $0) }), scopes[index].isConfigured {
                lose(scopes[index].id, at: now, &effects)
            }
        case .registered(let newcomer, let sequence):
            register(newcomer, sequence, at: now, &effects)
        case .left(let id):
            leave(id, at: now, &effects)
        case .located(let places):
            settle(places, at: now, &effects)
        case .answered(let id, let round, let answer):
            guard let slot = hosts.slot(of: id) else { break }
            let time = rounds.answer(slot, round: round, answer, &hosts, at: now, &effects)
            if let time { counters.answer(after: time) }
        case .undelivered(let id, let round):
            guard let slot = hosts.slot(of: id) else { break }
            rounds.undelivered(round, slot, &hosts)
            if hosts[slot].isBehind { effects.append(.awaitRoom(hosts[slot].connection)) }
        case .sent(let round):
            rounds.sent(round, at: now, &effects)
        case .looked(let round, let look):
            rounds.looked(round, look, settings.levels, settle: settings.settle, &hosts, at: now, &effects)
        case .hasRoom(let connection, let host):
            commands.unblock(connection, &effects)
            if let slot = host.flatMap({ hosts.slot(of: $0) }) { catchUp(slot, at: now, &effects) }
        case .simulate(let request, let client, let sequence):
            simulate(request, client, sequence, at: now, &effects)
        case .send(let request, let client, let sequence):
            send(request, client, sequence, at: now, &effects)
        case .replied(let id, let command, let reply):
            commands.answer(id, command, reply, &effects)
        case .commandUndelivered(let id, let command):
            commands.undelivered(id, command, &effects)
        case .took(let command, let count):
            commands.took(count, command, &effects)
        case .clientLeft(let connection):
            commands.leave(client: connection)
            simulations.leave(connection)
        case .refused(let code):
            counters.refuse(code)
        case .settings(let settings):
            self.settings = settings
            scopes.follow(settings.sensing, at: now)
            counters.reload(succeeded: true)
        case .settingsRefused:
            counters.reload(succeeded: false)
        case .elapsed:
            rounds.elapse(&hosts, at: now, &effects)
            commands.elapse(at: now, &effects)
            let unwanted = scopes.elapse(at: now, slack: slack, &effects)
            let wasHigh = unwanted.contains { scopes.level(of: $0) ?? .normal > .normal }
            for scope in unwanted { close(scope, isTold: scopes.wasConfigured(scope), at: now, &effects) }
            if wasHigh {
                relieve(at: now, &effects)
                effects.append(.save)
            }
            check(isCalm: scopes.worst == .normal, at: now, &effects)
        }
        record(at: now, &effects)
        scopes.noteDue()
    }

    /// Keeps the rounds that are over, and tells the clients that asked for them.
    private mutating func record(at now: MonotonicInstant, _ effects: inout Effects) {
        for round in rounds.takeOver() {
            ledger.append(round)
            let record = round.record(at: now)
            counters.add(record)
            var isLogged = true
            if let requester = simulations.end(round.id) {
                if !requester.isGone {
                    effects.append(.reply(requester.connection, sequence: requester.sequence, .round(record)))
                }
                isLogged = requester.reachesAll || entries.take(at: now)
            }
            effects.append(.noteRound(record, isLogged: isLogged))
        }
        // What a round's first packets came to is known once they are sent.
        for requester in simulations.takeUntold(unless: { rounds.isSending($0) }) {
            guard let round = rounds.round(requester.round) else { continue }
            effects.append(.reply(requester.connection, sequence: requester.sequence, .round(round.record(at: now))))
        }
    }
}

// Levels.
extension WarningPolicy {
    private mutating func follow(
        _ change: LevelMachine.Change,
        ofWatchAt index: Int,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        let watch = scopes[index].watch
        let hasFallen = if case .fell = change { true } else { false }
        // Whatever the level is for: others share the limit.
        if !hasFallen, let limit = watch.reading?.headroom?.limit {
            scopes.lookSoon(within: limit.path, except: scopes[index].id, at: now)
        }
        var figures = ScopeFigures(stalls: watch.reading?.stalls?.some ?? .zero)
        if watch.level > .normal { figures.headroom = watch.reading?.headroom }
        follow(change, to: watch.level, watch.machine.reason, of: scopes[index].id, figures, at: now, &effects)
    }

    /// Has the hosts hear of a scope's level.
    mutating func follow(
        _ change: LevelMachine.Change,
        to level: PressureLevel,
        _ reason: PressureReason,
        of scope: ScopeID,
        _ figures: ScopeFigures,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        guard let index = scopes.index(of: scope) else { return }
        (scopes[index].level, scopes[index].reason) = (level, reason)
        counters.add(change, to: level)
        switch change {
        case .rose: announce(scope, [.answerWanted], figures, at: now, &effects)
        case .persists: announce(scope, [.answerWanted, .repeated], figures, at: now, &effects)
        case .fell:
            rounds.curtail(scope, at: now, &effects)
            relieve(at: now, &effects)
        }
        effects.append(.noteLevel(scope, change))
        effects.append(.save)
    }

    /// Warns the hosts for which this scope's level is the one that counts, and at warning those around it.
    private mutating func announce(
        _ scope: ScopeID,
        _ options: WarningOptions,
        _ figures: ScopeFigures,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        guard let index = scopes.index(of: scope) else { return }
        let cause = cause(scopes[index], options, figures)
        var targets = targets(around: cause)
        // A host that had nothing left is not asked again.
        if options.contains(.repeated) {
            targets.removeAll { hosts[$0.slot].isExhausted && hosts[$0.slot].told == cause.level }
        }
        for target in targets { hosts[target.slot].warnedFor = scope }
        rounds.begin(cause, targets, &hosts, at: now, &effects)
    }

    private func targets(around cause: Rounds.Cause) -> [Rounds.Target] {
        let rings = scopes.all.map { scope -> StagePlan.Ring? in
            guard scope.hosts > 0, cause.level == .warning || scope.path.isWithin(cause.path),
                let ring = StagePlan.Ring(of: scope.path, around: cause.path, limit: cause.reason.limit)
            else { return nil }
            let binding = scopes.binding(scope.id)
            // Hosts inside hear of the scope that counts for them, those around it only while they are calm themselves.
            let hears = ring == .inside ? scopes[binding].id == cause.scope : scopes[binding].level == .normal
            return hears ? ring : nil
        }
        var targets: [Rounds.Target] = []
        for slot in hosts.slots {
            guard let index = scopes.index(of: hosts[slot].scope), let ring = rings[index] else { continue }
            targets.append(Rounds.Target(slot: slot, ring: ring))
        }
        return targets
    }

    /// Tells hosts whose level fell what it is now.
    private mutating func relieve(
        at now: MonotonicInstant,
        except sought: Set<HostID> = [],
        _ effects: inout Effects
    ) {
        let bindings = scopes.all.indices.map { scopes.binding(scopes[$0].id) }
        align(
            hosts.slots.compactMap { slot in
                let own = scopes.index(of: hosts[slot].scope).map { bindings[$0] } ?? 0
                let binding = binding(slot, own)
                let isHigh = hosts[slot].believed > scopes[binding].level
                return isHigh && !sought.contains(hosts[slot].id) ? (slot, binding) : nil
            },
            at: now,
            &effects
        )
    }

    /// The place of the scope whose level counts for a host, of which its own scope's are `own`: another one's, as long as
    /// that is worse, if the host was warned of it.
    private func binding(_ slot: HostTable.Slot, _ own: Int) -> Int {
        guard let around = scopes.index(of: hosts[slot].warnedFor), scopes[around].level > scopes[own].level else {
            return own
        }
        return around
    }

    /// Tells a host, whose connection was full, the level that binds it now.
    private mutating func catchUp(_ slot: HostTable.Slot, at now: MonotonicInstant, _ effects: inout Effects) {
        guard hosts[slot].isBehind else { return }
        hosts[slot].isBehind = false
        align([(slot, binding(slot, scopes.binding(hosts[slot].scope)))], at: now, &effects)
    }

    /// Tells hosts the level of the scope at the place beside them, where they believe in another one: a round for each scope,
    /// and for those whose level rises and those whose level falls.
    private mutating func align(
        _ bound: [(slot: HostTable.Slot, binding: Int)],
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        var rounds: [(binding: Int, isRise: Bool, targets: [Rounds.Target])] = []
        for (slot, binding) in bound {
            let (believed, level) = (hosts[slot].believed, scopes[binding].level)
            guard believed != level else { continue }
            let isRise = level > believed
            if isRise { hosts[slot].warnedFor = scopes[binding].id }
            let target = Rounds.Target(slot: slot)
            if let place = rounds.firstIndex(where: { $0.binding == binding && $0.isRise == isRise }) {
                rounds[place].targets.append(target)
            } else {
                rounds.append((binding, isRise, [target]))
            }
        }
        for (binding, isRise, targets) in rounds {
            let cause = cause(scopes[binding], isRise ? [.answerWanted] : [], ScopeFigures())
            self.rounds.begin(cause, targets, &hosts, at: now, &effects)
        }
    }

    private func cause(_ scope: ScopeEntry, _ options: WarningOptions, _ figures: ScopeFigures) -> Rounds.Cause {
        var reason = scope.reason
        let headroom = scope.level > .normal ? figures.headroom : nil
        if reason.limit == nil { reason.limit = headroom?.limit }
        return Rounds.Cause(
            level: scope.level,
            options: options,
            reason: reason,
            scope: scope.id,
            path: scope.path,
            bytesWanted: bytesWanted(headroom),
            deadline: settings.deadline(of: scope.level),
            stallsBefore: figures.stalls,
            usedBefore: headroom?.used ?? 0
        )
    }

    /// How far a scope is over its comfortable point, the headroom at which a warning ends; 0 if it is not, or unknown.
    private func bytesWanted(_ headroom: Headroom?) -> UInt64 {
        guard let headroom else { return 0 }
        let comfortable = headroom.limit.bytes / 10_000 * UInt64(settings.levels.headroomFallPoint.basisPoints)
        return comfortable > headroom.left ? comfortable - headroom.left : 0
    }
}

// Scopes.
extension WarningPolicy {
    private mutating func start(at now: MonotonicInstant, _ effects: inout Effects) {
        inheritedAt = now
        scopes.start(settings.sensing, level: inherited.removeValue(forKey: "/") ?? .normal, at: now)
        scopes[0].watch.open(&effects)
    }

    /// The scope of a cgroup, watched from now on if it was not.
    private mutating func watched(_ place: SensorPlace, at now: MonotonicInstant, _ effects: inout Effects) -> ScopeID {
        let name = place.name
        if let scope = scopes.id(at: name) { return scope }
        let scope = scopes.open(name, place, settings.sensing, level: inheritedLevel(of: name, at: now), at: now)
        if let index = scopes.index(of: scope) { scopes[index].watch.open(&effects) }
        return scope
    }

    private mutating func inheritedLevel(of path: String, at now: MonotonicInstant) -> PressureLevel {
        // No level lasts for longer on old evidence; a cgroup that is made later may be another one of that name.
        guard !inherited.isEmpty, let inheritedAt, inheritedAt.duration(to: now) < settings.levels.hold else {
            inherited = [:]
            return .normal
        }
        return inherited.removeValue(forKey: path) ?? .normal
    }

    private mutating func opened(
        _ scope: ScopeID,
        _ opening: WatchOpening,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        guard let index = scopes.index(of: scope) else { return effects.append(.close(scope)) }
        let rung = scopes[index].watch.rung
        let wasWatched = rung != nil
        let change = scopes[index].watch.take(opening, at: now, &effects)
        if scopes[index].watch.isGone, scope != .wholeHost { return lose(scope, at: now, &effects) }
        if scopes[index].watch.rung != rung {
            effects.append(.noteScope(scope, path: scopes.path(of: scope)))
        }
        if let change { follow(change, ofWatchAt: index, at: now, &effects) }
        if scope == .wholeHost, wasWatched, scopes[index].watch.rung == nil {
            effects.append(.noteLoss(path: "/", hosts: 0))
        }
    }

    /// A cgroup is gone: its hosts are looked for anew.
    private mutating func lose(_ scope: ScopeID, at now: MonotonicInstant, _ effects: inout Effects) {
        guard let index = scopes.index(of: scope) else { return }
        let wasWatched = scopes[index].watch.wasOpen
        let homeless = hosts.slots.filter { hosts[$0].scope == scope }.map { hosts[$0].id }
        effects.append(.noteLoss(path: scopes.path(of: scope), hosts: homeless.count))
        close(scope, isTold: true, at: now, &effects)
        for slot in hosts.slots where hosts[slot].scope == scope {
            move(slot, to: .wholeHost, at: now, &effects)
        }
        if wasWatched {
            if !homeless.isEmpty { effects.append(.locate(homeless)) }
        } else {
            // It was found a moment ago, and would be found again.
            for slot in homeless.compactMap({ hosts.slot(of: $0) }) { checks.tryAgain(slot, &hosts, at: now) }
        }
        // Those that are looked for are told when they are found.
        relieve(at: now, except: wasWatched ? Set(homeless) : [], &effects)
        effects.append(.save)
    }

    private mutating func close(_ scope: ScopeID, isTold: Bool, at now: MonotonicInstant, _ effects: inout Effects) {
        if isTold { effects.append(.noteScope(scope, path: scopes.path(of: scope))) }
        effects.append(.close(scope))
        scopes.close(scope)
        // Nothing will say that its pressure is over.
        for slot in hosts.slots where hosts[slot].warnedFor == scope { hosts[slot].warnedFor = 0 }
        rounds.curtail(scope, at: now, &effects)
    }

    private mutating func configure(_ place: SensorPlace, at now: MonotonicInstant, _ effects: inout Effects) {
        guard place.cgroup != nil else { return }
        let scope = watched(place, at: now, &effects)
        scopes.configure(scope, true, at: now)
        effects.append(.noteScope(scope, path: scopes.path(of: scope)))
    }
}

// Hosts.
extension WarningPolicy {
    private mutating func register(
        _ newcomer: Newcomer,
        _ sequence: UInt64,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        let scope: ScopeID =
            switch newcomer.location {
            case .found(let place): watched(place, at: now, &effects)
            case .unknown: .wholeHost
            }
        let binding = scopes[scopes.binding(scope)]
        let slot = hosts.add(HostEntry(newcomer, in: scope, told: binding.level))
        hosts.goOn(after: newcomer.id)
        checks.begin(slot, &hosts, at: now)
        counters.register()
        scopes.enter(scope)
        let path = scopes.path(of: scope)
        if newcomer.door.takesAnswers {
            let welcome = Welcome(
                hostID: newcomer.id,
                level: binding.level,
                reason: binding.reason,
                scope: path.prefix(utf8: TextLimit.path.upperBound)
            )
            effects.append(.reply(newcomer.connection, sequence: sequence, .welcome(welcome)))
        }
        effects.append(.noteHost(hosts[slot].record(.present, scope: path)))
    }

    private mutating func leave(_ id: HostID, at now: MonotonicInstant, _ effects: inout Effects) {
        guard let slot = hosts.slot(of: id) else { return }
        counters.disconnect()
        rounds.leave(slot, &hosts, at: now, &effects)
        commands.leave(id, &effects)
        let host = hosts[slot]
        hosts.remove(slot)
        effects.append(.noteHost(host.record(.gone, scope: scopes.path(of: host.scope))))
        scopes.leave(host.scope, at: now)
    }

    private mutating func settle(
        _ found: [(host: HostID, location: Location)],
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        var bound: [(slot: HostTable.Slot, binding: Int)] = []
        // A host that was looked for twice meanwhile is told once.
        var seen: Set<HostID> = []
        for (id, location) in found {
            guard seen.insert(id).inserted, let slot = hosts.slot(of: id) else { continue }
            switch location {
            case .found(let place):
                let scope = watched(place, at: now, &effects)
                if hosts[slot].scope != scope { move(slot, to: scope, at: now, &effects) }
            case .unknown(let error):
                // It stays where it was; of one whose process has ended the connection tells.
                if !error.saysGone { checks.tryAgain(slot, &hosts, at: now) }
            }
            bound.append((slot, binding(slot, scopes.binding(hosts[slot].scope))))
        }
        align(bound, at: now, &effects)
    }

    private mutating func move(
        _ slot: HostTable.Slot,
        to scope: ScopeID,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        scopes.leave(hosts[slot].scope, at: now)
        hosts[slot].scope = scope
        // What it was warned of where it was does not count where it is.
        hosts[slot].warnedFor = 0
        scopes.enter(scope)
        effects.append(.noteHost(hosts[slot].record(.present, scope: scopes.path(of: scope))))
    }

    /// Processes have left a cgroup, or come back: its hosts are looked for a second later, when what moves them is done.
    private mutating func lookForHosts(of scope: ScopeID, at now: MonotonicInstant) {
        guard let index = scopes.index(of: scope) else { return }
        if let last = scopes[index].populationMoved, last.duration(to: now) < LocationChecks.soon { return }
        scopes[index].populationMoved = now
        for slot in hosts.slots where hosts[slot].scope == scope { checks.begin(slot, &hosts, at: now) }
    }

    private mutating func check(isCalm: Bool, at now: MonotonicInstant, _ effects: inout Effects) {
        let due = checks.take(at: now, isCalm: isCalm, &hosts)
        if !due.isEmpty { effects.append(.locate(due)) }
    }

    /// A host's record, for clients.
    package func record(of slot: HostTable.Slot) -> HostRecord {
        hosts[slot].record(.present, scope: scopes.path(of: hosts[slot].scope))
    }
}

// Requests.
extension WarningPolicy {
    private static let notPermitted =
        "the hosts meant by that are other users'; members of the group memwarnd may"

    /// Warns the hosts that are meant and may be, as if memory were short.
    private mutating func simulate(
        _ request: Simulate,
        _ client: Client,
        _ sequence: UInt64,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        let named = hosts.slots.filter { slot in
            switch request.target {
            case .all: true
            case .name(let name): hosts[slot].name == name
            case .pid(let pid): hosts[slot].pid == pid
            case .cgroup(let path): scopes.path(of: hosts[slot].scope).isWithin(path)
            }
        }
        guard let targets = permitted(named, client, sequence, &effects) else { return }
        if let refusal = simulations.refusal(of: client, at: now) {
            return decline(refusal, client, sequence, &effects)
        }
        // A client that says the same level again says that it is still held.
        let isRepeat = simulations.note(request.level, by: client.connection)
        let cause = Rounds.Cause(
            level: request.level,
            options: isRepeat ? [.simulated, .answerWanted, .repeated] : [.simulated, .answerWanted],
            reason: .simulation,
            scope: .wholeHost,
            path: "/",
            bytesWanted: request.bytesWanted,
            deadline: request.deadline > 0
                ? .milliseconds(min(request.deadline, Simulations.longest)) : settings.deadline(of: request.level)
        )
        let id = rounds.begin(cause, targets.map { Rounds.Target(slot: $0) }, &hosts, at: now, &effects)
        simulations.begin(id, client, sequence)
        effects.append(.save)
    }

    /// Has a command performed by the hosts that are meant and may be asked.
    private mutating func send(
        _ request: Send,
        _ client: Client,
        _ sequence: UInt64,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        let named = hosts.slots.filter { slot in
            switch request.target {
            case .name(let name): hosts[slot].name == name
            case .id(let id): hosts[slot].id == id
            }
        }
        guard let targets = permitted(named, client, sequence, &effects) else { return }
        guard commands.count(of: client.uid) < SentCommands.limit else {
            let message = "\(SentCommands.limit) commands of your user's are under way; wait until one is answered"
            return decline(Refusal(code: .tooManyRequests, message: message), client, sequence, &effects)
        }
        if client.reachesAll || entries.take(at: now) {
            effects.append(
                .noteCommand(
                    request.command.name,
                    target: hosts[targets[0]].name,
                    hosts: targets.count,
                    pid: client.pid,
                    uid: client.uid
                )
            )
        }
        commands.begin(request, targets, hosts, for: client, sequence: sequence, at: now, &effects)
    }

    /// The hosts among these that a client may warn and command; tells the client if there are none.
    private mutating func permitted(
        _ named: [HostTable.Slot],
        _ client: Client,
        _ sequence: UInt64,
        _ effects: inout Effects
    ) -> [HostTable.Slot]? {
        let permitted = named.filter { client.reaches(hostsOf: hosts[$0].uid) }
        guard permitted.isEmpty else { return permitted }
        let refusal =
            named.isEmpty
            ? Refusal(code: .noSuchHost, message: "no registered host is meant by that")
            : Refusal(code: .notPermitted, message: Self.notPermitted)
        decline(refusal, client, sequence, &effects)
        return nil
    }

    /// Says no to a request, and goes on with the client.
    private mutating func decline(
        _ refusal: Refusal,
        _ client: Client,
        _ sequence: UInt64,
        _ effects: inout Effects
    ) {
        counters.refuse(refusal.code)
        effects.append(.reply(client.connection, sequence: sequence, .error(refusal)))
    }
}

/// What a scope's readings showed when its level changed.
package struct ScopeFigures: Sendable {
    /// The share of time in which tasks stalled.
    package var stalls = Share.zero
    /// What was left to the limit that binds, where there is one.
    package var headroom: Headroom?

    package init(stalls: Share = .zero, headroom: Headroom? = nil) {
        (self.stalls, self.headroom) = (stalls, headroom)
    }
}
