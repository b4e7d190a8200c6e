package import MemoryPressure
package import MemwarnProtocol

/// The daemon's policy: which hosts are told which level, when, and with which outcome.
///
/// A value. It reads no clock, opens nothing and calls nothing: it is fed events with their instants, and returns
/// actions. The daemon, a replay and a simulation run the same code, and equal inputs have equal effects.
package struct WarningPolicy: Sendable {
    package private(set) var settings: Settings
    package private(set) var hosts = HostTable()
    package private(set) var scopes: ScopeTable
    package private(set) var rounds: Rounds
    package private(set) var ledger = Ledger()
    package private(set) var counters = Counters()
    private var commands = SentCommands()
    private var simulations = Simulations()
    private var entries = EntryQuotas()
    private var checks = LocationChecks()
    /// The latest time at which a scope's files are reopened because its accounting was switched.
    private var reopened = MonotonicInstant(nanoseconds: 0)
    /// The levels that scopes had in the previous daemon, until each is watched again.
    private var inherited: [String: PressureLevel] = [:]
    private var inheritedAt: MonotonicInstant?
    /// Readings that are due within this time of each other are taken together, and wake the daemon once.
    package var slack = Duration.milliseconds(20)

    /// Creates a policy without hosts, on a calm machine; `seed` determines random waits.
    ///
    /// A simulation has few hosts, and needs smaller slices to have more than one.
    package init(_ settings: Settings = Settings(), seed: UInt64, slice: Int = StagePlan.slice) {
        self.settings = settings
        scopes = ScopeTable(settings.sensing)
        rounds = Rounds(seed: seed, slice: slice)
    }

    /// An event.
    package enum Input: Sendable {
        /// The program has started: the whole host is to be watched.
        case started
        /// The result of opening a scope's files.
        case opened(ScopeID, WatchOpening)
        /// A polled trigger fired.
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
        /// The last process of a scope left it, or the first returned.
        case populationMoved(ScopeID)
        /// The configured patterns changed; the existing cgroups that match follow as ``cgroupAppeared(_:)``.
        case patternsChanged
        /// A configured cgroup exists.
        case cgroupAppeared(SensorPlace)
        /// A configured cgroup is gone.
        case cgroupVanished(path: String)
        /// A host registered; its hello had this number.
        case registered(Newcomer, sequence: UInt64)
        /// A host's connection ended.
        case left(HostID)
        /// The locations of hosts' processes were checked.
        case located([(host: HostID, location: Location)])
        /// A host answered a warning.
        case answered(HostID, round: UInt64, Acknowledgement)
        /// A warning could not be sent to a host.
        case undelivered(HostID, round: UInt64)
        /// A warning was sent to all hosts that could receive it.
        case sent(round: UInt64)
        /// The figures of a scope, for a round; `nil` if they cannot be read.
        case looked(round: UInt64, ScopeLook?)
        /// A connection has room again; `host` is its host, if it has one.
        case hasRoom(ConnectionID, host: HostID?)
        /// A client wants hosts warned as if memory were short.
        case simulate(Simulate, Client, sequence: UInt64)
        /// A client commands hosts.
        case send(Send, Client, sequence: UInt64)
        /// A host answered a command.
        case replied(HostID, command: UInt64, CommandReply)
        /// A command could not be sent to a host.
        case commandUndelivered(HostID, command: UInt64)
        /// A client took this number of the offered messages about a command.
        case took(command: UInt64, Int)
        /// A client's connection ended.
        case clientLeft(ConnectionID)
        /// A peer was refused and disconnected.
        case refused(Refusal.Code)
        /// New settings are in force.
        case settings(Settings)
        /// New settings were refused.
        case settingsRefused
        /// ``WarningPolicy/due`` has come.
        case elapsed
    }

    /// When ``Input/elapsed`` is due; `nil` if not before another input.
    ///
    /// Stored, since a computed one would cost its reader a copy of the policy.
    package private(set) var due: MonotonicInstant?

    /// Continues the numbers of earlier daemons, with hosts whose numbers are greater than this one.
    ///
    /// Scopes begin at the levels that they had in the previous daemon, by path.
    package mutating func resume(
        at now: MonotonicInstant,
        afterHost host: HostID,
        levels: [String: PressureLevel] = [:]
    ) {
        rounds.advance(to: now)
        hosts.advance(past: host)
        inherited = levels
    }

    /// Returns the number for a host that is about to register.
    package mutating func makeHostID() -> HostID { hosts.makeID() }

    /// Gives up the room of hosts that have left; costs a copy of what is left, so that it is not for a round.
    package mutating func shrink() {
        hosts.shrink()
        checks.shrink(hosts)
        scopes.shrink()
    }

    package mutating func handle(_ input: Input, at now: MonotonicInstant, into effects: inout Effects) {
        process(input, at: now, &effects)
        due = .earlier(.earlier(rounds.due, commands.due), .earlier(checks.due, scopes.due))
    }

    private mutating func process(_ input: Input, at now: MonotonicInstant, _ effects: inout Effects) {
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
            scopes[index].watch.listen(&effects)
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
            // Scopes that match the new patterns as well are configured again before they are closed, and keep their
            // levels.
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
            rounds.undelivered(round, slot, &hosts, at: now, &effects)
            awaitRoom(slot, &effects)
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
            if let slot = hosts.slot(of: id) { awaitRoom(slot, &effects) }
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

    /// Records finished rounds, and informs the clients that requested them.
    private mutating func record(at now: MonotonicInstant, _ effects: inout Effects) {
        for round in rounds.takeOver() {
            ledger.append(round)
            let record = round.record(at: now)
            counters.add(record)
            var withheld: UInt64? = 0
            if let requester = simulations.end(round.id) {
                if !requester.isGone {
                    effects.append(.reply(requester.connection, sequence: requester.sequence, .round(record)))
                }
                if let account = requester.loggedAccount { withheld = entries.take(account, at: now) }
            }
            effects.append(.noteRound(record, withheld: withheld))
        }
        // The result of a round's first packets is known once they are sent.
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
        // This is independent of the level's reason: other scopes share the limit.
        if !hasFallen, let limit = watch.reading?.headroom?.limit {
            scopes.lookSoon(within: limit.path, except: scopes[index].id, at: now)
        }
        var figures = ScopeFigures(stalls: watch.reading?.stalls?.some ?? .zero)
        if watch.level > .normal {
            figures.headroom = watch.reading?.headroom
            figures.shrinking = watch.shrinking
        }
        follow(change, to: watch.level, watch.machine.reason, of: scopes[index].id, figures, at: now, &effects)
    }

    /// Tells the hosts a scope's level.
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
        if case .fell = change {
            rounds.curtail(scope, at: now, &effects)
            relieve(at: now, &effects)
        } else {
            announce(change, of: index, figures, at: now, &effects)
        }
        effects.append(.noteLevel(scope, change))
        if !change.isRepeat { effects.append(.save) }
    }

    /// Warns the hosts that this scope's level binds, and at warning the hosts around the scope; if the level persists, without
    /// those that know it and had nothing left when they answered.
    private mutating func announce(
        _ change: LevelMachine.Change,
        of index: Int,
        _ figures: ScopeFigures,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        var cause = cause(of: index, change.isRepeat ? [.answerWanted, .repeated] : [.answerWanted], figures)
        var (targets, part) = targets(around: cause, under: figures.headroom?.limit)
        cause.bytesWanted = UInt64(exactly: (Double(cause.bytesWanted) * part).rounded()) ?? cause.bytesWanted
        if change == .persists {
            targets.removeAll { hosts[$0.slot].isExhausted && hosts[$0.slot].told == cause.level }
        }
        rounds.curtail(cause.scope, at: now, &effects)
        rounds.begin(cause, targets, &hosts, at: now, &effects)
    }

    /// The hosts that are told of a cause, and their part of the bytes wanted.
    ///
    /// Other hosts under the same limit may be told for other raised scopes. They are asked for the rest, in proportion to
    /// what they could release.
    private func targets(
        around cause: Rounds.Cause,
        under limit: BindingLimit?
    ) -> (targets: [Rounds.Target], part: Double) {
        let rings = scopes.rings(around: cause)
        let raised = limit.map { scopes.raised(under: $0) } ?? []
        var targets: [Rounds.Target] = []
        var (offered, elsewhere) = (0.0, 0.0)
        for slot in hosts.slots {
            guard let index = scopes.index(of: hosts[slot].scope) else { continue }
            if let ring = rings[index] {
                targets.append(Rounds.Target(slot: slot, ring: ring))
                offered += Double(cause.countable(hosts[slot].releasable))
            } else if !raised.isEmpty, raised[index] {
                elsewhere += Double(cause.countable(hosts[slot].releasable))
            }
        }
        return (targets, elsewhere > 0 ? offered / (offered + elsewhere) : 1)
    }

    /// Tells hosts that know another level the present one: a scope's level fell, which may have ended a round before it
    /// reached them.
    private mutating func relieve(
        at now: MonotonicInstant,
        except sought: Set<HostID> = [],
        _ effects: inout Effects
    ) {
        leaveToOthers()
        let bindings = scopes.all.indices.map { scopes.binding(scopes[$0].id) }
        let unreached = rounds.unreached
        align(
            hosts.slots.compactMap { slot in
                let own = scopes.index(of: hosts[slot].scope).map { bindings[$0] } ?? 0
                let bound = binding(slot, own)
                return isDue(slot, bound, unreached) && !sought.contains(hosts[slot].id) ? (slot, bound) : nil
            },
            at: now,
            &effects
        )
    }

    /// The index of a scope, and the level that a host is told for it.
    private typealias Binding = (scope: Int, level: PressureLevel)

    /// The scope that counts for a host.
    ///
    /// It is `own`, the scope that binds the host's own scope, or the scope that the host was warned of, as long as that
    /// binds it more tightly; a host around a scope is told only of warning.
    private func binding(_ slot: HostTable.Slot, _ own: Int) -> Binding {
        let ownBinding = (own, scopes[own].level)
        guard let around = scopes.index(of: hosts[slot].warnedFor), around != own else { return ownBinding }
        let isInside = scopes.path(of: hosts[slot].scope).isWithin(scopes[around].path)
        let level = isInside ? scopes[around].level : min(scopes[around].level, .warning)
        return level > scopes[own].level ? (around, level) : ownBinding
    }

    /// Has each host whose warning does not concern it any more count for a scope that is short under a limit around it, if
    /// there is one.
    ///
    /// That scope needs the memory that the host has given, and has not warned it because the other had done so.
    private mutating func leaveToOthers() {
        let shortages = scopes.sharedShortages
        guard !shortages.isEmpty else { return }
        for slot in hosts.slots where hosts[slot].believed > .normal {
            if let level = scopes.level(of: hosts[slot].warnedFor), level > .normal { continue }
            let path = scopes.path(of: hosts[slot].scope)
            for index in shortages
            where StagePlan.Ring(of: path, around: scopes[index].path, limit: scopes[index].reason.limit) != nil {
                hosts[slot].warnedFor = scopes[index].id
            }
        }
    }

    /// Whether a host is to be told now of the level that binds it.
    ///
    /// A rise comes with the round under way, when the host's turn comes; to a host with a full socket, when it has room.
    private func isDue(_ slot: HostTable.Slot, _ bound: Binding, _ unreached: Set<HostID>) -> Bool {
        let believed = hosts[slot].believed
        if believed >= bound.level { return believed > bound.level }
        return !hosts[slot].isBehind && !unreached.contains(hosts[slot].id)
    }

    /// Begins the time in which a host that accepts no packet has to make room.
    ///
    /// The end of a connection of the pressure socket is the end of all warnings to its program, so there it may take as
    /// long as it likes.
    private func awaitRoom(_ slot: HostTable.Slot, _ effects: inout Effects) {
        if hosts[slot].door.takesAnswers { effects.append(.awaitRoom(hosts[slot].connection)) }
    }

    /// Tells a host whose connection was full the level that binds it now.
    private mutating func catchUp(_ slot: HostTable.Slot, at now: MonotonicInstant, _ effects: inout Effects) {
        guard hosts[slot].isBehind else { return }
        hosts[slot].isBehind = false
        // Several levels may not have been sent to it: it may know any.
        let binding = binding(slot, scopes.binding(hosts[slot].scope))
        align([(slot, binding)], always: true, at: now, &effects)
    }

    /// Tells hosts that know another level the one that is paired with them: one round for each scope, level and
    /// direction of the change.
    private mutating func align(
        _ bound: [(slot: HostTable.Slot, binding: Binding)],
        always: Bool = false,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        var rounds: [(binding: Binding, isRise: Bool, targets: [Rounds.Target])] = []
        for (slot, binding) in bound {
            let believed = hosts[slot].believed
            guard always || believed != binding.level else { continue }
            // A level that the host may not know is told like a rise.
            let isRise = binding.level > believed || binding.level == believed && binding.level > .normal
            let target = Rounds.Target(slot: slot)
            if let place = rounds.firstIndex(where: { $0.binding == binding && $0.isRise == isRise }) {
                rounds[place].targets.append(target)
            } else {
                rounds.append((binding, isRise, [target]))
            }
        }
        for (binding, isRise, targets) in rounds {
            var cause = cause(of: binding.scope, isRise ? [.answerWanted] : [], ScopeFigures())
            (cause.level, cause.deadline) = (binding.level, settings.deadline(of: binding.level))
            self.rounds.begin(cause, targets, &hosts, at: now, &effects)
        }
    }

    // By index: passing an element copies it whole.
    private func cause(of index: Int, _ options: WarningOptions, _ figures: ScopeFigures) -> Rounds.Cause {
        var reason = scopes[index].reason
        let level = scopes[index].level
        let headroom = level > .normal ? figures.headroom : nil
        if reason.limit == nil { reason.limit = headroom?.limit }
        return Rounds.Cause(
            level: level,
            options: options,
            reason: reason,
            scope: scopes[index].id,
            path: scopes[index].path,
            bytesWanted: bytesWanted(headroom, figures.shrinking),
            deadline: settings.deadline(of: level),
            stallsBefore: figures.stalls,
            usedBefore: headroom?.used ?? 0
        )
    }

    /// The bytes that are missing to the headroom at which a warning ends, and those that will be taken at this pace until
    /// it can be announced again, but no more than are used; 0 if none are missing, or if unknown.
    private func bytesWanted(_ headroom: Headroom?, _ pace: Double) -> UInt64 {
        guard let headroom else { return 0 }
        let hundredth = Double(headroom.limit.bytes) / 10_000
        // More may be used than the limit: memory.high does not stop, and a limit may be lowered.
        let left = Double(headroom.limit.bytes) - Double(headroom.used)
        let missing = hundredth * Double(settings.levels.headroomFallPoint.basisPoints) - left
        guard missing > 0 else { return 0 }
        let coming = hundredth * pace * Double(settings.levels.returnInterval.nanoseconds) / 1e9
        return min(UInt64(exactly: (missing + coming).rounded()) ?? .max, headroom.used)
    }
}

// Scopes.
extension WarningPolicy {
    private mutating func start(at now: MonotonicInstant, _ effects: inout Effects) {
        inheritedAt = now
        scopes.start(settings.sensing, level: inherited.removeValue(forKey: "/") ?? .normal, at: now)
        scopes[0].watch.open(&effects)
    }

    /// The scope of a cgroup, which is watched from now on; added to `new` if it was not before.
    private mutating func watched(
        _ place: SensorPlace,
        _ new: inout [ScopeID],
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) -> ScopeID {
        let name = place.name
        if let scope = scopes.id(at: name) { return scope }
        let scope = scopes.open(name, place, settings.sensing, level: inheritedLevel(of: name, at: now), at: now)
        if let index = scopes.index(of: scope) { scopes[index].watch.open(&effects) }
        new.append(scope)
        return scope
    }

    /// Tells hosts the level that binds them, if it is due: these, and those in scopes that have just been found with a
    /// level of the daemon before.
    ///
    /// The latter registered earlier, and were welcomed without that level.
    private mutating func settle(
        _ found: [HostTable.Slot] = [],
        in new: [ScopeID],
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        var settled = found
        let raised = new.filter { scopes.level(of: $0) ?? .normal > .normal }.map { scopes.path(of: $0) }
        if !raised.isEmpty {
            let known = Set(found.map { hosts[$0].id })
            settled += hosts.slots.filter { slot in
                let path = scopes.path(of: hosts[slot].scope)
                return !known.contains(hosts[slot].id) && raised.contains { path.isWithin($0) }
            }
        }
        if !found.isEmpty { leaveToOthers() }
        let bound = settled.map { (slot: $0, binding: binding($0, scopes.binding(hosts[$0].scope))) }
            .filter { hosts[$0.slot].believed != $0.binding.level }
        guard !bound.isEmpty else { return }
        let unreached = rounds.unreached
        align(bound.filter { isDue($0.slot, $0.binding, unreached) }, at: now, &effects)
    }

    private mutating func inheritedLevel(of path: String, at now: MonotonicInstant) -> PressureLevel {
        // No level lasts longer on old evidence; a cgroup that is created later may be a different one with that name.
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
            effects.append(.noteLoss(path: "/", hosts: 0, withheld: 0))
        }
    }

    /// Handles the loss of a cgroup: searches for its hosts again.
    private mutating func lose(_ scope: ScopeID, at now: MonotonicInstant, _ effects: inout Effects) {
        guard let index = scopes.index(of: scope) else { return }
        let wasWatched = scopes[index].watch.wasOpen
        let homeless = hosts.slots.filter { hosts[$0].scope == scope }.map { hosts[$0].id }
        let path = scopes.path(of: scope)
        // Users create and remove cgroups below their own.
        if let withheld = entries.take(scopes[index].account, at: now) {
            effects.append(.noteLoss(path: path, hosts: homeless.count, withheld: withheld))
        }
        close(scope, isTold: true, at: now, &effects)
        for slot in hosts.slots where hosts[slot].scope == scope {
            move(slot, to: .wholeHost, at: now, &effects)
        }
        if wasWatched {
            if !homeless.isEmpty { effects.append(.locate(homeless)) }
        } else {
            // The lost cgroup was found a moment ago, and would be found again.
            for slot in homeless.compactMap({ hosts.slot(of: $0) }) { checks.tryAgain(slot, &hosts, at: now) }
        }
        // Hosts that are searched for are told when they are found.
        relieve(at: now, except: wasWatched ? Set(homeless) : [], &effects)
        effects.append(.save)
    }

    private mutating func close(_ scope: ScopeID, isTold: Bool, at now: MonotonicInstant, _ effects: inout Effects) {
        if isTold { effects.append(.noteScope(scope, path: scopes.path(of: scope))) }
        effects.append(.close(scope))
        scopes.close(scope)
        // Nothing will report the end of its pressure.
        for slot in hosts.slots where hosts[slot].warnedFor == scope { hosts[slot].warnedFor = 0 }
        rounds.curtail(scope, at: now, &effects)
    }

    private mutating func configure(_ place: SensorPlace, at now: MonotonicInstant, _ effects: inout Effects) {
        guard place.cgroup != nil else { return }
        var new: [ScopeID] = []
        let scope = watched(place, &new, at: now, &effects)
        settle(in: new, at: now, &effects)
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
        var scope = ScopeID.wholeHost
        if case .found(let place) = newcomer.location {
            var new: [ScopeID] = []
            scope = watched(place, &new, at: now, &effects)
            settle(in: new, at: now, &effects)
        }
        let binding = scopes[scopes.binding(scope)]
        let slot = hosts.add(HostEntry(newcomer, in: scope, told: binding.level))
        hosts.advance(past: newcomer.id)
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
        // A host that was checked twice in the meantime is told once.
        var seen: Set<HostID> = []
        var settled: [HostTable.Slot] = []
        var new: [ScopeID] = []
        for (id, location) in found {
            guard seen.insert(id).inserted, let slot = hosts.slot(of: id) else { continue }
            settled.append(slot)
            switch location {
            case .found(let place):
                let scope = watched(place, &new, at: now, &effects)
                if hosts[slot].scope != scope { move(slot, to: scope, at: now, &effects) }
            case .unknown(let error):
                // The host stays in its scope; if its process has ended, the connection shows that.
                if !error.meansGone { checks.tryAgain(slot, &hosts, at: now) }
            }
        }
        // Now that all scopes are known, and all hosts where they are.
        settle(settled, in: new, at: now, &effects)
    }

    private mutating func move(
        _ slot: HostTable.Slot,
        to scope: ScopeID,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        scopes.leave(hosts[slot].scope, at: now)
        rounds.move(slot, &hosts, at: now, &effects)
        hosts[slot].scope = scope
        // A warning in the previous scope does not count in the new one.
        hosts[slot].warnedFor = 0
        scopes.enter(scope)
        effects.append(.noteHost(hosts[slot].record(.present, scope: scopes.path(of: scope))))
    }

    /// Checks the hosts of a cgroup that processes have left or entered, one second later, when the move is complete.
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
        "the matching hosts belong to other users; members of the group memwarnd may reach them"

    /// Warns the matching hosts that the client may warn, as if memory were short.
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
        // A client that repeats a level states that it lasts.
        let isRepeat = simulations.note(request.level, by: client.connection)
        let cause = Rounds.Cause(
            level: request.level,
            options: isRepeat ? [.simulated, .answerWanted, .repeated] : [.simulated, .answerWanted],
            reason: .simulation,
            scope: .wholeHost,
            path: "/",
            bytesWanted: request.bytesWanted,
            deadline: request.deadline > 0
                ? .milliseconds(min(request.deadline, LongestDeadline.milliseconds))
                : settings.deadline(of: request.level),
            reachesAll: client.reachesAll
        )
        let id = rounds.begin(cause, targets.map { Rounds.Target(slot: $0) }, &hosts, at: now, &effects)
        simulations.begin(id, client, sequence)
    }

    /// Sends a command to the matching hosts that the client may command.
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
        if let refusal = commands.refusal(of: client, hosts: targets.count, at: now) {
            return decline(refusal, client, sequence, &effects)
        }
        if let withheld = client.loggedAccount.map({ entries.take($0, at: now) }) ?? 0 {
            effects.append(
                .noteCommand(
                    request.command.name,
                    target: hosts[targets[0]].name,
                    hosts: targets.count,
                    pid: client.pid,
                    uid: client.uid,
                    withheld: withheld
                )
            )
        }
        commands.begin(request, targets, hosts, for: client, sequence: sequence, at: now, &effects)
    }

    /// The hosts among these that a client may warn and command; refuses the request if there are none.
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
            ? Refusal(code: .noSuchHost, message: "no registered host matches; `memwarnd status` lists all of them")
            : Refusal(code: .notPermitted, message: Self.notPermitted)
        decline(refusal, client, sequence, &effects)
        return nil
    }

    /// Refuses a request, and keeps the client connected.
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

/// The figures of a scope when its level changed.
package struct ScopeFigures: Sendable {
    /// The share of time in which tasks stalled.
    package var stalls = Share.zero
    /// The headroom to the binding limit, if there is one.
    package var headroom: Headroom?
    /// How fast it shrinks, in hundredths of a percent of the limit a second.
    package var shrinking = 0.0

    package init(stalls: Share = .zero, headroom: Headroom? = nil, shrinking: Double = 0) {
        (self.stalls, self.headroom, self.shrinking) = (stalls, headroom, shrinking)
    }
}
