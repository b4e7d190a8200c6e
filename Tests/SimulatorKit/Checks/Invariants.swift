import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// The invariants of every step: the promises of the daemon that its policy keeps.
package struct Invariants {
    package enum Rule: String, Sendable {
        /// The last level that a host was told becomes equal to the level that binds it.
        case told
        /// At most one warning is in flight to a host.
        case inFlight
        /// A scope whose limit is known and near is read.
        case sampling
        /// A level follows its evidence, and does not outlive it.
        case evidence
        /// A round ends.
        case deadline
        /// A round continues outwards while the pressure is unchanged.
        case stages
        /// An answer is counted once, and every host of a round has exactly one outcome.
        case answers
        /// Tables are bounded, and no request is repeated endlessly.
        case bounds
        /// Files that could not be opened are opened as soon as they can be, and a host is in the scope of its process.
        case watches
        /// Only open files are read and polled.
        case orders
        /// The daemon prevents a kill for lack of memory if hosts can release enough in time.
        case kill
    }

    package struct Violation: Sendable {
        package let rule: Rule
        /// In nanoseconds.
        package let at: UInt64
        package let text: String
    }

    private struct Flight {
        var round: UInt64
        var until: UInt64
        var isSimulated: Bool
    }

    private struct Watched {
        var attempt: UInt64
        var isNear = false
        /// The limit that binds.
        var limit: BindingLimit?
        /// When a limit changed, if its headroom was not read since.
        var unseen: UInt64?
        /// When a reading of headroom last supported warning or higher, and when critical.
        var low: UInt64?
        var lowest: UInt64?
        /// The round that announced its level last.
        var announced: UInt64?
        var evidence: UInt64
        var stalls: PressureStall?
        var stallsAt: UInt64 = 0
        /// When its files were last read for a reason other than their own event.
        var ticked: UInt64 = 0
        var events: MemoryEvents?
        var readable: UInt64
        /// When its level rose above normal.
        var raised: Int64?
        /// When its level became wrong, and when it stopped being open or its rung became too low.
        var late: UInt64?
        var lame: UInt64?
        /// When an attempt to open its files last failed: the next attempt follows within 64 s.
        var unopened: UInt64 = 0
        /// When an attempt to read its files last failed: the next attempt follows within a second.
        var unread: UInt64 = 0

        /// Records a reading of its files.
        mutating func take(_ readings: SensorReadings, _ reads: SensorReads, at now: UInt64) {
            if reads.contains(.headroom) { (attempt, unseen) = (now, nil) }
            readable = now
            if let headroom = readings.headroom {
                // Headroom alone does not let a level fall, nor support one.
                if reads != .headroom {
                    let levels = LevelPolicy()
                    if headroom.share < levels.headroomFallPoint { low = now }
                    if headroom.share < levels.headroomCriticalFallPoint { lowest = now }
                }
                isNear = headroom.share < .percent(50)
                limit = headroom.limit
                if headroom.share < .percent(12.5) { evidence = now }
            }
            if let stalls = readings.stalls {
                if let before = self.stalls {
                    let elapsed = Double(max(1, now - stallsAt)) / 1_000
                    let grown = stalls.total(.some) - min(before.total(.some), stalls.total(.some))
                    if Double(grown) > 0.05 * elapsed || stalls.average10(.some) > .percent(5) { evidence = now }
                }
                if reads != .stalls { ticked = now }
                (self.stalls, stallsAt) = (stalls, now)
            }
            if let events = readings.limitEvents {
                if let before = self.events, events != before { evidence = now }
                self.events = events
            }
        }
    }

    /// A scope in the policy.
    private struct Standing {
        let id: ScopeID
        let path: String
        let level: PressureLevel
        let rung: Rung?
    }

    /// Indexed by the scopes' ids, which are assigned in order and never reused.
    private struct ScopeList {
        private(set) var entries: [Watched?] = []

        subscript(scope: ScopeID) -> Watched? {
            get { scope < entries.count ? entries[Int(scope)] : nil }
            _modify {
                while scope >= entries.count { entries.append(nil) }
                yield &entries[Int(scope)]
            }
        }

        mutating func change(_ body: (inout Watched) -> Void) {
            for index in entries.indices {
                guard var entry = entries[index] else { continue }
                body(&entry)
                entries[index] = entry
            }
        }
    }

    package private(set) var violations: [Violation] = []
    private var flights: [HostID: Flight] = [:]
    private var watched = ScopeList()
    private var administered: Set<UInt64> = []
    private var mismatches: [HostID: (since: UInt64, isFree: Bool)] = [:]
    /// Hosts whose scope in the policy is not that of their process: the process's cgroup, the time since when, and the time since
    /// the kernel has reported it.
    private var strays: [HostID: (node: KernelModel.Node, since: UInt64, told: UInt64?)] = [:]
    /// When the last search for a host failed: it is repeated ten seconds later.
    private var failedSearches: [HostID: UInt64] = [:]
    private var seenRounds: [UInt64: UInt64] = [:]
    /// The last round that was sent, and its time.
    private var lastSent: (round: UInt64, at: UInt64)?
    /// The last reading of a scope for a round.
    private var lastLook: (round: UInt64, at: UInt64, left: Share?)?
    /// The last warning of each host: its scope, the host's scope at that time, and the level.
    private var warnedOf: [HostID: (scope: ScopeID, home: ScopeID, level: PressureLevel)] = [:]
    /// When a scope stopped being calm, according to the checks.
    private var troubled: UInt64?
    private var answers: [UInt64: [HostID]] = [:]
    private var answered: UInt64 = 0
    /// The time until which delays are not the daemon's fault.
    private var excused: UInt64 = 0
    private var inputs = 0
    /// Whether the daemon does not terminate.
    private(set) var isRunaway = false

    init(_ scenario: Scenario) {}

    private static func seconds(_ seconds: Double) -> UInt64 { World.nanoseconds(seconds) }

    mutating func violate(_ rule: Rule, _ now: UInt64, _ text: @autoclosure () -> String) {
        guard violations.count < 8, !violations.contains(where: { $0.rule == rule && $0.at + 60_000_000_000 > now })
        else { return }
        violations.append(Violation(rule: rule, at: now, text: text()))
    }

    // MARK: Actions of the daemon

    mutating func began(at now: UInt64) {
        excused = max(excused, now + Self.seconds(3))
        answered = 0
    }

    /// Handles the end of the daemon, which loses its state.
    mutating func lost() {
        flights = [:]
        watched = ScopeList()
        mismatches = [:]
        strays = [:]
        failedSearches = [:]
        seenRounds = [:]
        answers = [:]
        warnedOf = [:]
    }

    mutating func jumped(by time: UInt64) {
        // The warnings in flight have expired with the clock.
        for id in flights.keys { flights[id]?.until = 0 }
        watched.change {
            ($0.low, $0.lowest) = (nil, nil)
            // This may be before the clock's beginning if it jumps far.
            $0.raised = $0.raised.map { $0 - Int64(time) }
        }
    }

    /// Records that the round with this number, if one begins, is the simulation of a client that may warn all hosts.
    mutating func administers(_ round: UInt64) { administered.insert(round) }

    /// Of two simulations, the higher one does not wait for the answer to the lower one.
    private func rank(of simulation: UInt64) -> Int { administered.contains(simulation) ? 1 : 0 }

    /// Records a warning that a host's socket accepted.
    mutating func warned(
        _ host: HostID,
        _ round: UInt64,
        _ warning: Warning,
        _ daemon: SimulatedDaemon,
        at now: UInt64
    ) {
        if !warning.options.contains(.simulated) { follow(warning, host, daemon, at: now) }
        let isSimulated = warning.options.contains(.simulated)
        if let flight = flights[host], flight.until > now, flight.round != round,
            !flight.isSimulated || isSimulated && rank(of: round) <= rank(of: flight.round)
        {
            violate(.inFlight, now, "host \(host) is sent round \(round) while \(flight.round) is in flight")
        }
        // Neither real pressure nor an administrator's simulation waits for the answer to a lower one, which is abandoned.
        if !isSimulated, flights[host]?.isSimulated == true { flights[host] = nil }
        guard warning.options.contains(.answerWanted) else { return }
        let until = now + UInt64(warning.deadline) * 1_000_000
        flights[host] = Flight(round: round, until: until, isSimulated: isSimulated)
    }

    /// A host must not be told a lower level than the last time while the scope of that warning is still above it.
    ///
    /// The scope may have risen since then: a host around it is told only of warning.
    private mutating func follow(_ warning: Warning, _ host: HostID, _ daemon: SimulatedDaemon, at now: UInt64) {
        guard let slot = daemon.policy.hosts.slot(of: host) else { return }
        let home = daemon.policy.hosts[slot].scope
        let last = warnedOf[host]
        warnedOf[host] =
            warning.level > .normal ? daemon.policy.scopes.id(at: warning.scope).map { ($0, home, warning.level) } : nil
        guard let (scope, former, told) = last, former == home, daemon.policy.hosts[slot].warnedFor == scope,
            let level = daemon.policy.scopes.level(of: scope), min(told, level) > warning.level
        else { return }
        violate(
            .told,
            now,
            "host \(host) is told \(warning.level), and \(daemon.policy.scopes.path(of: scope)), which it was warned of, is at \(level)"
        )
    }

    mutating func answered(_ host: HostID, _ round: UInt64, at now: UInt64) {
        if flights[host]?.round == round { flights[host] = nil }
        if answers[round]?.contains(host) != true { answers[round, default: []].append(host) }
    }

    mutating func left(_ host: HostID) {
        flights[host] = nil
        warnedOf[host] = nil
        mismatches[host] = nil
        strays[host] = nil
        failedSearches[host] = nil
    }

    /// Records the result of a search for hosts.
    mutating func located(_ places: [(host: HostID, location: Location)], at now: UInt64) {
        for (host, location) in places {
            if case .unknown(let error) = location, !error.meansGone {
                failedSearches[host] = now
            } else if !failedSearches.isEmpty {
                failedSearches[host] = nil
            }
        }
    }

    mutating func ended(_ round: RoundRecord, _ settings: Settings, at now: UInt64) {
        seenRounds[round.id] = nil
        let different = UInt32(answers.removeValue(forKey: round.id)?.count ?? 0)
        answered += UInt64(round.answered)
        if round.answered > different {
            violate(
                .answers,
                now,
                "round \(round.id) counts \(round.answered) answers of \(different) hosts that answered"
            )
        }
        let sum = round.answered + round.silent + round.undeliverable + round.unacknowledged
        if let look = lastLook, look.round == round.id, look.at == now, round.level == .warning,
            round.stage < round.stages,
            let left = look.left, left < .percent(10), watched.entries.contains(where: { $0?.announced == round.id })
        {
            let stages = "\(round.stage) of \(round.stages)"
            violate(.stages, now, "round \(round.id) ended at stage \(stages) with \(left) left")
        }
        if round.options.contains(.answerWanted), sum != round.hosts {
            violate(.answers, now, "round \(round.id) has \(round.hosts) hosts, and counts \(sum)")
        }
    }

    mutating func closed(_ scope: ScopeID) { watched[scope] = nil }

    // MARK: Levels

    /// Records that a round was passed on for sending.
    mutating func sent(_ round: UInt64, at now: UInt64) {
        if round > lastSent?.round ?? 0 { lastSent = (round, now) }
    }

    /// Records a reading of a scope for a round.
    mutating func looked(_ round: UInt64, _ left: Share?, at now: UInt64) { lastLook = (round, now, left) }

    /// Handles a change or a repetition of a scope's level.
    mutating func changed(_ scope: ScopeID, _ change: LevelMachine.Change, _ simulation: Simulation) {
        let now = simulation.now
        guard var entry = watched[scope] else { return }
        defer { watched[scope] = entry }
        guard case .fell = change else {
            entry.announced = lastSent.flatMap { $0.at == now ? $0.round : nil }
            entry.raised = entry.raised ?? Int64(now)
            return
        }
        entry.announced = nil
        if simulation.daemon.policy.scopes.level(of: scope) == .normal {
            // The pressure of these warnings is over, however soon it returns.
            warnedOf = warnedOf.filter { $0.value.scope != scope }
        }
        // Without files no level lasts, and after a long time each level is derived again: when a level rose that the daemon
        // has just inherited is not known.
        guard Self.isReadable(scope, simulation), let raised = entry.raised,
            Int64(now) - raised < Self.seconds(280), now > excused
        else { return }
        let level = simulation.daemon.policy.scopes.level(of: scope) ?? .critical
        let held = level == .normal ? entry.low : level == .warning ? entry.lowest : nil
        if let held, now - held < Self.seconds(9.9) {
            let pause = (now - held) / 1_000_000
            violate(.evidence, now, "scope \(scope) fell to \(level) \(pause) ms after a reading that held more")
        }
    }

    /// Whether the policy has readable files of a scope.
    private static func isReadable(_ scope: ScopeID, _ simulation: Simulation) -> Bool {
        let scopes = simulation.daemon.policy.scopes
        return scopes.index(of: scope).flatMap { scopes[$0].watch.rung } != nil
    }

    /// Records a change of a limit that was reported to the policy.
    mutating func limitsMoved(_ scope: ScopeID, at now: UInt64) {
        if watched[scope]?.unseen == nil { watched[scope]?.unseen = now }
    }

    /// Handles an event of a trigger on `full`, after a window in which all tasks stalled for more than the critical threshold.
    mutating func fullShown(_ scope: ScopeID, window: Duration, since: UInt64?, _ simulation: Simulation) {
        let now = simulation.now
        let level = simulation.daemon.policy.scopes.level(of: scope) ?? .critical
        let start = now - min(now, UInt64(window.nanoseconds))
        // Files that could not be opened again are not used.
        guard Self.isReadable(scope, simulation), level < .critical,
            let since, since < start, let entry = watched[scope], entry.ticked < start, now > excused
        else { return }
        violate(.evidence, now, "scope \(scope) is at \(level) after an event of full")
    }

    /// Records an attempt to open a scope's files during a shortage.
    mutating func failedToOpen(_ scope: ScopeID, at now: UInt64) { watched[scope]?.unopened = now }

    /// Records a failed attempt to read a scope's files.
    mutating func failedToRead(_ scope: ScopeID, at now: UInt64) {
        watched[scope]?.attempt = now
        watched[scope]?.unread = now
    }

    /// Records a reading of a scope's files.
    mutating func read(_ scope: ScopeID, _ readings: SensorReadings, _ reads: SensorReads, at now: UInt64) {
        if watched[scope] == nil { watched[scope] = Watched(attempt: now, evidence: now, readable: now) }
        watched[scope]?.take(readings, reads, at: now)
    }

    /// Whether a limit of this cgroup, or the machine's memory, was near at the last reading of a scope.
    func isNear(_ scope: ScopeID, limitOf path: String?) -> Bool {
        guard let entry = watched[scope], entry.isNear else { return false }
        return path.map { entry.limit?.path == $0 } ?? (entry.limit?.kind == .machine)
    }

    /// Records an event of a trigger.
    mutating func fired(_ scope: ScopeID, at now: UInt64) {
        guard var entry = watched[scope] else { return }
        entry.evidence = now
        watched[scope] = entry
    }

    /// Checks a finished step of the policy.
    mutating func stepped(_ simulation: Simulation) {
        inputs += 1
        guard inputs > 300_000, !isRunaway else { return }
        isRunaway = true
        let fed = inputs
        violate(.bounds, simulation.now, "it was fed \(fed) times at once")
    }

    // MARK: Every few seconds

    mutating func check(_ simulation: Simulation) {
        let now = simulation.now
        let fed = inputs
        if fed > 30_000 { violate(.bounds, now, "it was fed \(fed) times within five seconds") }
        inputs = 0
        if simulation.daemon.isFrozen || !simulation.daemon.isUp {
            excused = now + Self.seconds(3)
            mismatches = [:]
            troubled = nil
            watched.change {
                $0.late = nil
                $0.unseen = nil
                $0.attempt = now + Self.seconds(3)
            }
            return
        }
        let policy = simulation.daemon.policy
        for round in policy.rounds.underWay {
            let since = seenRounds[round.id] ?? now
            seenRounds[round.id] = since
            if now - since > Self.seconds(25) {
                violate(.deadline, now, "round \(round.id) is under way for \((now - since) / 1_000_000) ms")
                seenRounds[round.id] = now
            }
        }
        troubled = policy.scopes.worst > .normal ? troubled ?? now : nil
        bound(policy, simulation)
        // Once for all hosts, and by index: passing a scope copies it completely.
        let scopes = policy.scopes.all
        let standings = scopes.indices.map {
            Standing(id: scopes[$0].id, path: scopes[$0].path, level: scopes[$0].level, rung: scopes[$0].watch.rung)
        }
        for slot in policy.hosts.slots { follow(slot, standings, policy, simulation) }
        for standing in standings { follow(standing, simulation) }
    }

    private mutating func bound(_ policy: WarningPolicy, _ simulation: Simulation) {
        let now = simulation.now
        let links = simulation.daemon.links.reduce(0) { $0 + ($1?.id == nil ? 0 : 1) }
        if policy.hosts.count > links { violate(.bounds, now, "\(policy.hosts.count) hosts on \(links) connections") }
        let most = policy.hosts.count + simulation.scenario.cgroups.count + 2
        if policy.scopes.all.count > most { violate(.bounds, now, "\(policy.scopes.all.count) scopes") }
        if policy.rounds.underWay.count > 100 {
            violate(.bounds, now, "\(policy.rounds.underWay.count) rounds are under way")
        }
        if policy.ledger.rounds.count > Ledger.capacity { violate(.bounds, now, "the ledger grows") }
        let isOpen = simulation.files.reduce(0) { $0 + ($1 == nil ? 0 : 1) }
        if isOpen > policy.scopes.all.count + simulation.hosts.count {
            violate(.bounds, now, "\(isOpen) sets of files are open")
        }
    }

    private mutating func follow(
        _ slot: HostTable.Slot,
        _ standings: [Standing],
        _ policy: WarningPolicy,
        _ simulation: Simulation
    ) {
        let now = simulation.now
        // Once: each access copies the entry.
        let entry = policy.hosts[slot]
        let (id, scope, warnedFor) = (entry.id, entry.scope, entry.warnedFor)
        guard let link = simulation.daemon.link(entry.connection), link.id == id else {
            return violate(.orders, now, "host \(id) has no connection")
        }
        let host = link.host
        guard !link.isEnded, simulation.hosts[host].epoch == link.epoch else { return }
        // The location.
        if let node = simulation.world.node(ofHost: host), let index = policy.scopes.index(of: scope) {
            let path = standings[index].path
            if path == simulation.world.kernel.tree[node].path || !simulation.shortages.isEmpty {
                if !strays.isEmpty { strays[id] = nil }
            } else {
                let former = strays[id].flatMap { $0.node == node ? $0 : nil }
                let since = former?.since ?? max(now, excused)
                // The kernel reports a cgroup that has become empty. If other processes remain in it, the host is located every 100
                // s while any scope is not calm.
                let isTold = path == "/" || !simulation.world.isPopulated(path)
                let told = isTold ? former?.told ?? max(now, excused) : nil
                strays[id] = (node, since, told)
                let isLooked = troubled.map { $0 + Self.seconds(5) <= now } ?? false
                let isLate = told.map { now > $0 + Self.seconds(15) } ?? false
                // The shortage that made a search fail may be shorter than the time between two of these checks.
                let isRepeated = failedSearches[id].map { now <= $0 + Self.seconds(15) } ?? false
                if !isRepeated, isLate || isLooked && now > since + Self.seconds(115) {
                    let pause = (now - since) / 1_000_000_000
                    violate(.watches, now, "host \(host) is taken to be in \(path), \(pause) s after it left")
                    strays[id] = (node, now, isTold ? now : nil)
                }
            }
        }
        // The level that the host was told.
        let binding = standings[policy.scopes.binding(scope)].level
        var highest = binding
        if warnedFor != 0, let around = policy.scopes.level(of: warnedFor), around > binding {
            // A host around a scope is told only of warning.
            let isInside = policy.scopes.path(of: scope).isWithin(policy.scopes.path(of: warnedFor))
            highest = max(binding, min(around, isInside ? .critical : .warning))
        }
        let level = simulation.hosts[host].level
        let isRight = level >= binding && level <= highest
        guard !isRight, !simulation.hosts[host].isStuck, simulation.hosts[host].socket.isEmpty else {
            if !mismatches.isEmpty { mismatches[id] = nil }
            return
        }
        // A host that no warning waits for is told as soon as its slice is due.
        let isFree = !entry.isAwaited && entry.owed == nil && !entry.isBehind
        let former = mismatches[id].flatMap { $0.isFree == isFree ? $0.since : nil }
        let since = former ?? max(now, excused)
        mismatches[id] = (since, isFree)
        if now > since + Self.seconds(isFree ? 6 : 15) {
            violate(.told, now, "host \(host) (\(id)) was told \(level), and \(binding) binds it")
            mismatches[id] = (now, isFree)
        }
    }

    private mutating func follow(_ scope: Standing, _ simulation: Simulation) {
        let now = simulation.now
        let kernel = simulation.world.kernel
        let index = simulation.daemon.files(of: scope.id)
        guard let node = index.flatMap({ simulation.files[$0]?.node }) ?? kernel.tree.node(at: scope.path),
            kernel.tree[node].exists
        else { return }
        var entry = watched[scope.id] ?? Watched(attempt: now, evidence: now, readable: now)
        defer { watched[scope.id] = entry }
        let isShort = simulation.shortages.opening(node) != nil || simulation.shortages.reading(node).limits
        // The best possible rung.
        let best: Rung? =
            kernel.features.hasStalls && kernel.tree[node].countsStalls
            ? simulation.scenario.features.takesTriggers
                ? simulation.scenario.features.isPrivileged ? .privileged : .unprivileged : .polling
            : kernel.features.version == .two && node != CgroupTree.root
                ? .events
                : kernel.headroom(of: node, at: now) != nil ? node == CgroupTree.root ? .available : .usage : nil
        let rung = index.flatMap { simulation.files[$0]?.rung }
        if isShort || best == nil || rung == best {
            entry.lame = nil
        } else {
            let since = entry.lame ?? max(now, excused)
            entry.lame = since
            // The shortage that made an attempt fail may be shorter than the time between two of these checks.
            if now > max(since, entry.unopened) + Self.seconds(70) {
                violate(
                    .watches,
                    now,
                    "\(scope.path) stands on \(rung.map { "\($0)" } ?? "no rung"), and could on \(best.map { "\($0)" } ?? "none")"
                )
                entry.lame = now
            }
        }
        guard index != nil, scope.rung != nil, !isShort else {
            // A level without readings lasts while reads are tried; then its files are opened again first.
            (entry.late, entry.unseen, entry.attempt, entry.evidence) = (nil, nil, now + Self.seconds(8), now)
            return
        }
        // The shortage that made a read fail may have ended since then.
        if let unseen = entry.unseen, now > max(unseen, entry.unread, excused) + Self.seconds(3) {
            violate(.sampling, now, "\(scope.path) was not looked at after a limit was moved")
            entry.unseen = nil
        }
        // Twice the longest pause.
        if entry.isNear, now > max(entry.attempt, excused) + Self.seconds(4) {
            violate(.sampling, now, "\(scope.path) was not looked at for \((now - entry.attempt) / 1_000_000) ms")
            entry.attempt = now
        }
        entry.raised = scope.level > .normal ? entry.raised ?? Int64(now) : nil
        // Critical falls to warning first: twice the time to fall, and two windows each.
        if let raised = entry.raised, now > max(entry.evidence, UInt64(max(0, raised)), excused) + Self.seconds(28) {
            violate(
                .evidence,
                now,
                "\(scope.path) is at \(scope.level) without evidence for \((now - entry.evidence) / 1_000_000_000) s"
            )
            entry.evidence = now
        }
        guard entry.isNear || entry.late != nil else { return }
        let left = kernel.headroom(of: node, at: now)?.share ?? .percent(100)
        let due: PressureLevel = left < .percent(3.8) ? .critical : left < .percent(9.8) ? .warning : .normal
        // A scope with large headroom is not read: only its stalls and events wake the daemon.
        if scope.level >= due || !entry.isNear {
            entry.late = nil
        } else {
            let since = entry.late ?? max(now, excused)
            entry.late = since
            if now > since + Self.seconds(12) {
                violate(.evidence, now, "\(scope.path) is at \(scope.level) with \(left) left")
                entry.late = now
            }
        }
    }

    mutating func finish(_ simulation: Simulation) {
        let policy = simulation.daemon.policy
        guard simulation.daemon.isUp else { return }
        let counted = policy.counters.record.answered
        let answers = answered
        if counted != answers {
            violate(.answers, simulation.now, "the counters have \(counted) answers, the rounds \(answers)")
        }
    }
}

extension Simulation {
    func check() { invariants.check(self) }

    func finish() {
        invariants.finish(self)
        for (at, text) in coverage.failures { invariants.violate(.kill, at, text) }
        daemon.end()
        trace.note(now, "end")
    }
}
