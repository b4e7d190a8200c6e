package import MemoryPressure
package import MemwarnProtocol

/// What the daemon does about pressure: which hosts hear of which level, when, and what became of it.
///
/// A value. It reads no clock, opens nothing and calls nothing: it is told what happened and when, and says what is to be
/// done. The daemon, a replay and a simulation run it alike, and the same inputs bring the same effects.
package struct WarningPolicy: Sendable {
    package private(set) var settings: Settings
    package private(set) var hosts = HostTable()
    package private(set) var scopes = ScopeTable()
    package private(set) var rounds: Rounds
    package private(set) var ledger = Ledger()
    package private(set) var counters = Counters()
    private var errands = Errands()
    private var simulations = Simulations()
    /// How many entries of the log the requests of users may make.
    private var entries = Allowance.requestEntries

    /// A policy without hosts, on a calm machine; random waits follow from `seed`.
    package init(_ settings: Settings = Settings(), seed: UInt64) {
        self.settings = settings
        rounds = Rounds(seed: seed)
    }

    /// Something that happened.
    package enum Input: Sendable {
        /// A scope is watched from now on, and stands at this level.
        case scopeOpened(ScopeID, path: String, PressureLevel, PressureReason)
        /// A scope's level is another one, or told again.
        case levelChanged(ScopeID, LevelMachine.Change, PressureLevel, PressureReason, ScopeFigures)
        /// A scope that no host lives in is not watched any more.
        case scopeClosed(ScopeID)
        /// A scope's files are gone.
        case scopeLost(ScopeID)
        /// A host registered; its hello had this number.
        case registered(Newcomer, sequence: UInt64)
        /// A host's connection ended.
        case left(HostID)
        /// Hosts live in these scopes now.
        case located([(host: HostID, scope: ScopeID)])
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
        guard let first = rounds.due else { return errands.due }
        return min(first, errands.due ?? first)
    }

    /// Gives no number up to these to other rounds and hosts: those of a daemon before this one.
    package mutating func goOn(afterRound round: UInt64, host: HostID) {
        rounds.goOn(after: round)
        hosts.goOn(after: host)
    }

    /// The number for a host that is about to register.
    package mutating func makeHostID() -> HostID { hosts.makeID() }

    package mutating func handle(_ input: Input, at now: MonotonicInstant, into effects: inout Effects) {
        switch input {
        case .scopeOpened(let scope, let path, let level, let reason):
            scopes.open(scope, at: path, level, reason)
        case .levelChanged(let scope, let change, let level, let reason, let figures):
            scopes.open(scope, at: scopes.path(of: scope), level, reason)
            counters.add(change, to: level)
            follow(change, of: scope, figures, at: now, &effects)
        case .scopeClosed(let scope):
            scopes.close(scope)
        case .scopeLost(let scope):
            lose(scope, at: now, &effects)
        case .registered(let newcomer, let sequence):
            register(newcomer, sequence, &effects)
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
            errands.unblock(connection, &effects)
            if let slot = host.flatMap({ hosts.slot(of: $0) }) { catchUp(slot, at: now, &effects) }
        case .simulate(let request, let client, let sequence):
            simulate(request, client, sequence, at: now, &effects)
        case .send(let request, let client, let sequence):
            send(request, client, sequence, at: now, &effects)
        case .replied(let id, let command, let reply):
            errands.answer(id, command, reply, &effects)
        case .commandUndelivered(let id, let command):
            errands.undelivered(id, command, &effects)
        case .took(let command, let count):
            errands.took(count, command, &effects)
        case .clientLeft(let connection):
            errands.leave(client: connection)
            simulations.leave(connection)
        case .refused(let code):
            counters.refuse(code)
        case .settings(let settings):
            self.settings = settings
            counters.reload(succeeded: true)
        case .settingsRefused:
            counters.reload(succeeded: false)
        case .elapsed:
            rounds.elapse(&hosts, at: now, &effects)
            errands.elapse(at: now, &effects)
        }
        record(at: now, &effects)
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
        of scope: ScopeID,
        _ figures: ScopeFigures,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
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
            return (ring == .inside ? binding.id == cause.scope : binding.level == .normal) ? ring : nil
        }
        var targets: [Rounds.Target] = []
        for slot in hosts.slots {
            guard let index = scopes.index(of: hosts[slot].scope), let ring = rings[index] else { continue }
            targets.append(Rounds.Target(slot: slot, ring: ring))
        }
        return targets
    }

    /// Tells hosts whose level fell what it is now: one round for each scope whose level counts for them.
    private mutating func relieve(at now: MonotonicInstant, _ effects: inout Effects) {
        let bindings = scopes.all.map { scopes.binding($0.id) }
        var relieved: [(binding: ScopeEntry, targets: [Rounds.Target])] = []
        for slot in hosts.slots {
            let binding = scopes.index(of: hosts[slot].scope).map { bindings[$0] } ?? bindings[0]
            let around = scopes.level(of: hosts[slot].warnedFor) ?? .normal
            guard hosts[slot].believed > max(binding.level, around) else { continue }
            let target = Rounds.Target(slot: slot)
            if let place = relieved.firstIndex(where: { $0.binding.id == binding.id }) {
                relieved[place].targets.append(target)
            } else {
                relieved.append((binding, [target]))
            }
        }
        for (binding, targets) in relieved {
            rounds.begin(cause(binding, [], ScopeFigures()), targets, &hosts, at: now, &effects)
        }
    }

    /// Tells a host, whose connection was full, the level that binds it now.
    private mutating func catchUp(_ slot: HostTable.Slot, at now: MonotonicInstant, _ effects: inout Effects) {
        guard hosts[slot].isBehind else { return }
        hosts[slot].isBehind = false
        var binding = scopes.binding(hosts[slot].scope)
        if let index = scopes.index(of: hosts[slot].warnedFor), scopes[index].level > binding.level {
            binding = scopes[index]
        }
        let believed = hosts[slot].believed
        guard believed != binding.level else { return }
        let options: WarningOptions = binding.level > believed ? [.answerWanted] : []
        rounds.begin(
            cause(binding, options, ScopeFigures()),
            [Rounds.Target(slot: slot)],
            &hosts,
            at: now,
            &effects
        )
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

    /// A cgroup is gone, or its accounting was switched off: its hosts are looked for anew.
    private mutating func lose(_ scope: ScopeID, at now: MonotonicInstant, _ effects: inout Effects) {
        let homeless = hosts.slots.filter { hosts[$0].scope == scope }.map { hosts[$0].id }
        effects.append(.noteLoss(scope, path: scopes.path(of: scope), hosts: homeless.count))
        guard scope != .wholeHost else { return }
        scopes.close(scope)
        for slot in hosts.slots where hosts[slot].scope == scope || hosts[slot].warnedFor == scope {
            // Nothing will say that its pressure is over.
            if hosts[slot].warnedFor == scope { hosts[slot].warnedFor = 0 }
            if hosts[slot].scope == scope { move(slot, to: .wholeHost) }
        }
        rounds.curtail(scope, at: now, &effects)
        if homeless.isEmpty { relieve(at: now, &effects) } else { effects.append(.locate(homeless)) }
        effects.append(.save)
    }
}

// Hosts.
extension WarningPolicy {
    private mutating func register(_ newcomer: Newcomer, _ sequence: UInt64, _ effects: inout Effects) {
        let binding = scopes.binding(newcomer.scope)
        let slot = hosts.add(HostEntry(newcomer, told: binding.level))
        hosts.goOn(after: newcomer.id)
        counters.register()
        if let index = scopes.index(of: newcomer.scope) { scopes[index].hosts += 1 }
        let path = scopes.path(of: newcomer.scope)
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
        errands.leave(id, &effects)
        let host = hosts[slot]
        hosts.remove(slot)
        effects.append(.noteHost(host.record(.gone, scope: scopes.path(of: host.scope))))
        vacate(host.scope, &effects)
    }

    private mutating func vacate(_ scope: ScopeID, _ effects: inout Effects) {
        guard let index = scopes.index(of: scope) else { return }
        scopes[index].hosts -= 1
        if scopes[index].hosts == 0, scope != .wholeHost { effects.append(.release(scope)) }
    }

    private mutating func settle(
        _ places: [(host: HostID, scope: ScopeID)],
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        for (id, scope) in places {
            guard let slot = hosts.slot(of: id), hosts[slot].scope != scope else { continue }
            let former = hosts[slot].scope
            move(slot, to: scope)
            if let index = scopes.index(of: former), scopes[index].hosts == 0, former != .wholeHost {
                effects.append(.release(former))
            }
        }
        relieve(at: now, &effects)
    }

    private mutating func move(_ slot: HostTable.Slot, to scope: ScopeID) {
        if let index = scopes.index(of: hosts[slot].scope) { scopes[index].hosts -= 1 }
        hosts[slot].scope = scope
        if let index = scopes.index(of: scope) { scopes[index].hosts += 1 }
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
        guard errands.count(of: client.uid) < Errands.limit else {
            let message = "\(Errands.limit) commands of your user's are under way; wait until one is answered"
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
        errands.begin(request, targets, hosts, for: client, sequence: sequence, at: now, &effects)
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
