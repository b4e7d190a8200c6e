package import MemoryPressure
package import MemwarnProtocol

/// The rounds under way: sends warnings stage by stage, receives answers, and gives up on silent hosts.
///
/// One warning is in flight per host. A host that has not answered yet is told of the newest round when it answers, or
/// when its deadline has passed; it is not told of the rounds in between. So no round queues behind a slow host, and no
/// host receives a warning about pressure that ended long ago.
package struct Rounds: Sendable {
    /// In order of their numbers.
    private var running: [RunningRound] = []
    /// The number of the latest round.
    package private(set) var lastID: UInt64 = 0
    /// How many rounds have begun.
    package private(set) var count: UInt64 = 0
    /// The rounds that ended since the last ``takeOver()``.
    private var over: [Round] = []
    private var generator: SplitMix
    /// How many hosts are warned without a pause.
    private let slice: Int

    /// Creates an empty set of rounds; `seed` determines the random waits between slices.
    package init(seed: UInt64, slice: Int) {
        generator = SplitMix(state: seed)
        self.slice = slice
    }

    /// Makes the numbers of future rounds greater than those of all earlier daemons.
    ///
    /// A daemon counts on from the microseconds since the machine was started, and each round takes longer than a
    /// microsecond. So two rounds of a socket have different numbers, even if the first daemon left no state: an answer to a
    /// round of the former daemon never counts for a round of this one, and no host takes two rounds for the same.
    mutating func advance(to now: MonotonicInstant) {
        lastID = max(lastID, now.nanoseconds / 1_000)
    }

    /// The rounds under way.
    package var underWay: [Round] { running.filter { !$0.isReported }.map { $0.round } }

    /// When ``elapse(_:_:at:_:)`` is to be called; `nil` if not before another call.
    package var due: MonotonicInstant? {
        // By index: passing an element copies it whole.
        running.indices.reduce(nil) { .earlier($0, running[$1].due) }
    }

    /// The rounds that have ended since the last call, each once.
    mutating func takeOver() -> [Round] {
        // This runs after each answer, so an empty list is not replaced by another empty one.
        guard !over.isEmpty else { return [] }
        defer { over = [] }
        return over
    }

    /// The cause of a round.
    package struct Cause: Sendable {
        package var level: PressureLevel
        package var options: WarningOptions
        package var reason: PressureReason
        package var scope: ScopeID
        package var path: String
        package var bytesWanted: UInt64 = 0
        /// The time that hosts have to answer.
        package var deadline: Duration
        /// The share of time in which tasks stalled, and the bytes used of the limit, before any host was warned.
        package var stallsBefore = Share.zero
        package var usedBefore: UInt64 = 0
        /// Whether the client of this simulation may warn all hosts.
        package var reachesAll = false

        /// The part that counts of the bytes that a host states as releasable: no host can release more than is used of the
        /// limit.
        func countable(_ releasable: UInt64) -> UInt64 { usedBefore > 0 ? min(releasable, usedBefore) : releasable }
    }

    /// A host to warn, and its distance from the pressure.
    package struct Target: Sendable {
        package var slot: HostTable.Slot
        package var ring = StagePlan.Ring.inside
    }

    /// Warns hosts; the effects of this call warn the first of them, or at critical all of them.
    ///
    /// - Returns: The round's number.
    @discardableResult
    mutating func begin(
        _ cause: Cause,
        _ targets: [Target],
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) -> UInt64 {
        lastID += 1
        count += 1
        let isReal = !cause.options.contains(.simulated)
        let candidates = targets.map { target in
            StagePlan.Candidate(
                ring: target.ring,
                priority: hosts[target.slot].priority,
                releasable: cause.countable(hosts[target.slot].releasable)
            )
        }
        // A simulation wants every host's answer. The news that a level fell is not staggered: a new rise would be
        // overtaken by it.
        let isStaged = isReal && cause.options.contains(.answerWanted)
        let plan = StagePlan(
            candidates,
            level: isStaged ? cause.level : .critical,
            wanted: isReal ? cause.bytesWanted : 0
        )
        var round = Round(
            id: lastID,
            level: cause.level,
            options: cause.options,
            reason: cause.reason,
            scope: cause.path,
            bytesWanted: cause.bytesWanted,
            deadline: cause.deadline,
            at: now
        )
        round.stages = max(1, plan.stages.count)
        round.stallsBefore = cause.stallsBefore
        round.usedBefore = cause.usedBefore
        let stages = plan.stages.map { stage in
            stage.map { index in
                RunningRound.Recipient(
                    host: hosts[targets[index].slot].id,
                    // A simulation asks every host for the requested number of bytes.
                    bytesWanted: isReal ? plan.bytesWanted[index] : cause.bytesWanted
                )
            }
        }
        let rank: RunningRound.Rank = isReal ? .pressure : cause.reachesAll ? .simulation : .ownSimulation
        var entry = RunningRound(round: round, scope: cause.scope, stages: stages, rank: rank)
        if !stages.isEmpty { entry.beginStage(slice: slice) }
        running.append(entry)
        sendSlice(of: running.count - 1, &hosts, at: now, &effects)
        advance(at: now, &effects)
        return round.id
    }

    // MARK: Results

    /// A warning was passed on for sending, and it is known which hosts could not be sent it.
    mutating func sent(_ id: UInt64, at now: MonotonicInstant, _ effects: inout Effects) {
        guard let index = index(of: id) else { return }
        running[index].sending -= 1
        advance(at: now, &effects)
    }

    /// A warning could not be sent: the host's queue is full, or the host is gone.
    mutating func undelivered(
        _ id: UInt64,
        _ slot: HostTable.Slot,
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        guard let index = index(of: id) else { return }
        let isReal = !running[index].round.options.contains(.simulated)
        let isUnacknowledged = !hosts[slot].door.takesAnswers
        if isReal {
            // A newer level may have been sent before this result was known.
            if hosts[slot].told == running[index].round.level { hosts[slot].told = hosts[slot].toldBefore }
            hosts[slot].isBehind = !isUnacknowledged
        }
        guard running[index].round.wantsAnswers else {
            return running[index].round.fail(isUnacknowledged: isUnacknowledged)
        }
        // A newer round may have given the host up meanwhile, and counted it as silent.
        let delivery = hosts[slot].delivery
        guard delivery?.round == id, [.awaiting, .unacknowledged].contains(delivery?.outcome) else { return }
        running[index].round.fail(isUnacknowledged: isUnacknowledged)
        hosts[slot].delivery?.outcome = .undeliverable
        // A round that came between the sending and its result waits for an answer that will not come.
        pay(slot, &hosts, at: now, &effects)
    }

    /// Handles an answer; a late answer is recorded, but does not change the counts of its round.
    ///
    /// - Returns: The time that it took, if it came in time.
    mutating func answer(
        _ slot: HostTable.Slot,
        round id: UInt64,
        _ answer: Acknowledgement,
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) -> Duration? {
        guard let delivery = hosts[slot].delivery, delivery.round == id, delivery.answer == nil else { return nil }
        hosts[slot].releasable = answer.releasable
        hosts[slot].delivery?.answer = answer
        guard hosts[slot].isAwaited else { return nil }
        let time = delivery.sent.duration(to: now)
        // The round may last longer than a host's deadline, because others were told later.
        let isLate = index(of: id).map { time > running[$0].round.deadline } ?? false
        hosts[slot].delivery?.outcome = isLate ? .silent : .answered
        update(id) { isLate ? $0.round.silence() : $0.round.answer(answer, after: time) }
        pay(slot, &hosts, at: now, &effects)
        advance(at: now, &effects)
        return isLate ? nil : time
    }

    /// Takes a host that has moved to another scope out of the rounds of the former one that have not reached it.
    mutating func move(
        _ slot: HostTable.Slot,
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        if hosts[slot].owed?.isSimulated == false { forgive(slot, &hosts) }
        let id = hosts[slot].id
        for index in running.indices where running[index].rank == .pressure { running[index].forget(id) }
        advance(at: now, &effects)
    }

    /// The hosts that rounds of real pressure under way have not reached, and will tell when their turn comes.
    var unreached: Set<HostID> {
        var hosts: Set<HostID> = []
        for entry in running where entry.rank == .pressure { entry.addUnreached(to: &hosts) }
        return hosts
    }

    /// Removes a host: no round waits for its answer any more.
    mutating func leave(
        _ slot: HostTable.Slot,
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        forgive(slot, &hosts)
        if hosts[slot].isAwaited, let id = hosts[slot].delivery?.round {
            hosts[slot].delivery?.outcome = .silent
            update(id) { $0.round.silence() }
        }
        let id = hosts[slot].id
        for index in running.indices { running[index].forget(id) }
        advance(at: now, &effects)
    }

    /// Handles the requested figures of a scope; `nil` if they cannot be read.
    mutating func looked(
        _ id: UInt64,
        _ look: ScopeLook?,
        _ levels: LevelPolicy,
        settle: Duration,
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        guard let index = index(of: id), case .looking(let before) = running[index].phase else { return }
        if let look {
            if let before {
                judge(index, look, since: before, levels, &hosts, at: now, &effects)
            } else {
                running[index].phase = .settling(since: look)
                running[index].next = now.advanced(by: settle)
            }
        } else {
            running[index].end()
        }
        advance(at: now, &effects)
    }

    /// Judges the effect of a stage: the round ends, or continues outwards.
    private mutating func judge(
        _ index: Int,
        _ look: ScopeLook,
        since before: ScopeLook,
        _ levels: LevelPolicy,
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        let reading = look.reading(since: before)
        running[index].round.usedAfter = look.headroom?.used ?? 0
        running[index].round.stallsAfter = reading.stalls?.some ?? .zero
        let isRelieved = levels.hold(by: reading).level < running[index].round.level
        guard !isRelieved, running[index].hasStages else { return running[index].end() }
        running[index].beginStage(slice: slice)
        sendSlice(of: index, &hosts, at: now, &effects)
    }

    // MARK: Time

    /// Handles expired deadlines and pauses.
    mutating func elapse(_ hosts: inout HostTable, at now: MonotonicInstant, _ effects: inout Effects) {
        for index in running.indices {
            if let next = running[index].next, next <= now {
                running[index].next = nil
                if case .settling(let before) = running[index].phase {
                    running[index].phase = .looking(since: before)
                    effects.append(.look(running[index].scope, round: running[index].round.id))
                } else {
                    sendSlice(of: index, &hosts, at: now, &effects)
                }
            }
            if running[index].round.outstanding > 0, running[index].round.expires <= now {
                expire(index, &hosts, at: now, &effects)
            }
            if running[index].debts > 0, let collection = running[index].collection, collection <= now {
                collect(index, &hosts, at: now, &effects)
            }
        }
        advance(at: now, &effects)
    }

    /// Gives up on hosts that have had the whole deadline for the warning in flight, and are owed this round.
    ///
    /// Not when the round of that warning expires: hosts that were told late have extended it, and each round would
    /// last longer than the one before it.
    private mutating func collect(
        _ index: Int,
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        let id = running[index].round.id
        var next: MonotonicInstant?
        for slot in hosts.slots where hosts[slot].owed?.round == id {
            if let end = deadline(of: slot, hosts), end > now {
                next = .earlier(next, end)
                continue
            }
            if hosts[slot].isAwaited, let flying = hosts[slot].delivery?.round {
                hosts[slot].delivery?.outcome = .silent
                update(flying) { $0.round.silence() }
            }
            pay(slot, &hosts, at: now, &effects)
        }
        running[index].collection = next
    }

    /// When a host has had the whole deadline for the warning in flight to it; `nil` if none is.
    private func deadline(of slot: HostTable.Slot, _ hosts: HostTable) -> MonotonicInstant? {
        guard let delivery = hosts[slot].delivery, delivery.outcome == .awaiting, let index = index(of: delivery.round)
        else { return nil }
        return delivery.sent.advanced(by: running[index].round.deadline)
    }

    private mutating func expire(
        _ index: Int,
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        let id = running[index].round.id
        for slot in hosts.slots where hosts[slot].isAwaited && hosts[slot].delivery?.round == id {
            hosts[slot].delivery?.outcome = .silent
            running[index].round.silence()
            pay(slot, &hosts, at: now, &effects)
        }
        // Hosts that have not been told of this round wait until an older one expires, and have the whole deadline
        // after that.
        running[index].round.extend(from: now)
    }

    /// Stops the rounds of a scope from reaching further hosts, and ends those that are complete: the pressure is gone,
    /// or a newer round tells all hosts of the present state.
    mutating func curtail(_ scope: ScopeID, at now: MonotonicInstant, _ effects: inout Effects) {
        for index in running.indices where running[index].round.isMeasured && running[index].scope == scope {
            running[index].curtail()
        }
        advance(at: now, &effects)
    }

    /// Ends complete rounds, and reads the scope of rounds whose stage has had its answers.
    private mutating func advance(at now: MonotonicInstant, _ effects: inout Effects) {
        for index in running.indices where running[index].isStageOver {
            running[index].round.endStage(at: now)
            if running[index].isMeasured {
                running[index].phase = .looking(since: nil)
                effects.append(.look(running[index].scope, round: running[index].round.id))
            } else {
                running[index].end()
            }
        }
        for index in running.indices where running[index].isOver && !running[index].isReported {
            running[index].isReported = true
            running[index].round.finish()
            over.append(running[index].round)
        }
        // By index: passing an element copies it whole.
        guard running.indices.contains(where: { running[$0].isDone }) else { return }
        running.removeAll { $0.isDone }
    }

    // MARK: Telling

    private mutating func sendSlice(
        of index: Int,
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        let first = effects.recipients.count
        for recipient in running[index].takeSlice() {
            // A host that has left was removed from the slices.
            guard let slot = hosts.slot(of: recipient.host) else { continue }
            if running[index].round.isMeasured, isOutdated(running[index].round, at: hosts[slot]) { continue }
            if running[index].round.isMeasured, isAskedElsewhere(running[index].round, hosts[slot]) {
                hosts[slot].warnedFor = running[index].scope
                continue
            }
            running[index].round.address()
            giveUpSimulation(slot, for: running[index].rank, &hosts)
            if hosts[slot].isAwaited {
                owe(recipient, slot, index, &hosts)
            } else {
                tell(slot, index, recipient.bytesWanted, &hosts, at: now, &effects)
            }
        }
        running[index].round.extend(from: now)
        running[index].next =
            running[index].slices.isEmpty ? nil : now.advanced(by: StagePlan.pause(using: &generator))
        send(index, from: first, &effects)
    }

    /// Whether a host need not be told of a round that reaches it late, or from further away: it knows a worse level, or
    /// was told of this one by a newer round.
    private func isOutdated(_ round: Round, at host: HostEntry) -> Bool {
        if host.believed != round.level { return host.believed > round.level }
        return host.asked > round.id
    }

    /// Whether another round under the same limit has told a host of this level since this round began: the amounts of both
    /// were planned before the host's answer.
    ///
    /// A host that is owed another round is owed this one instead, which is newer.
    private func isAskedElsewhere(_ round: Round, _ host: HostEntry) -> Bool {
        guard host.believed == round.level, let limit = round.reason.limit,
            let delivery = host.delivery, delivery.round == host.asked, delivery.sent > round.started,
            let other = index(of: host.asked)
        else { return false }
        return running[other].round.reason.limit?.isSame(as: limit) == true
    }

    private mutating func send(_ index: Int, from first: Int, _ effects: inout Effects) {
        guard effects.recipients.count > first else { return }
        running[index].sending += 1
        let round = running[index].round
        effects.append(.warn(round: round.id, round.warning, first..<effects.recipients.count))
    }

    /// Addresses a warning to a host without a warning in flight.
    private mutating func tell(
        _ slot: HostTable.Slot,
        _ index: Int,
        _ bytesWanted: UInt64,
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        let round = running[index].round
        if !round.options.contains(.simulated) {
            hosts[slot].toldBefore = hosts[slot].told
            hosts[slot].told = round.level
            hosts[slot].isBehind = false
            // The figures have eased: the host may have loaded since its last answer.
            if !round.wantsAnswers { hosts[slot].delivery?.isPressing = false }
            note(index, at: slot, &hosts)
        }
        let takesAnswers = hosts[slot].door.takesAnswers
        if !takesAnswers { running[index].round.tellUnacknowledged() }
        if round.wantsAnswers {
            hosts[slot].delivery = HostEntry.Delivery(
                round: round.id,
                outcome: takesAnswers ? .awaiting : .unacknowledged,
                isPressing: !round.options.contains(.simulated) && round.level > .normal,
                sent: now
            )
        }
        effects.address(hosts[slot].recipient(of: bytesWanted))
    }

    /// Real pressure does not wait for the answer to a simulation, nor does a simulation of an administrator for that of
    /// an ordinary user's, which may last a minute; and no warning is owed after it: no answer would trigger its sending.
    private mutating func giveUpSimulation(
        _ slot: HostTable.Slot,
        for rank: RunningRound.Rank,
        _ hosts: inout HostTable
    ) {
        guard hosts[slot].isAwaited, let id = hosts[slot].delivery?.round, let flying = index(of: id),
            running[flying].rank < rank
        else { return }
        hosts[slot].delivery?.outcome = .silent
        running[flying].round.silence()
        forgive(slot, &hosts)
    }

    /// Defers a round until the warning in flight is answered or its deadline has passed.
    ///
    /// This applies to rounds that want no answer as well: otherwise the end of pressure would overtake the warning
    /// before it, and the host would receive the warning after the end.
    private mutating func owe(
        _ recipient: RunningRound.Recipient,
        _ slot: HostTable.Slot,
        _ index: Int,
        _ hosts: inout HostTable
    ) {
        let isSimulated = running[index].round.options.contains(.simulated)
        if let owed = hosts[slot].owed {
            // A simulation does not replace real pressure, nor a user's that of an administrator.
            if let other = self.index(of: owed.round), running[other].rank > running[index].rank {
                return running[index].round.fail()
            }
            forgive(slot, &hosts)
        }
        if let end = deadline(of: slot, hosts) {
            running[index].round.extend(from: end)
            running[index].collection = .earlier(running[index].collection, end)
        }
        running[index].debts += 1
        note(index, at: slot, &hosts)
        hosts[slot].owed = HostEntry.Debt(
            round: running[index].round.id,
            level: running[index].round.level,
            isSimulated: isSimulated,
            bytesWanted: recipient.bytesWanted
        )
    }

    /// Records the round of real pressure that a host is told of, or owed, and its scope.
    private func note(_ index: Int, at slot: HostTable.Slot, _ hosts: inout HostTable) {
        guard running[index].round.isMeasured else { return }
        hosts[slot].warnedFor = running[index].scope
        hosts[slot].asked = running[index].round.id
    }

    /// Withdraws the round that a host is owed; a simulation that the host is then not told of has failed there.
    private mutating func forgive(_ slot: HostTable.Slot, _ hosts: inout HostTable) {
        guard let owed = hosts[slot].owed else { return }
        hosts[slot].owed = nil
        update(owed.round) { entry in
            entry.debts -= 1
            if owed.isSimulated { entry.round.fail() } else { entry.round.withdraw() }
        }
    }

    /// Sends the round that a host is owed, now that no warning is in flight to it.
    private mutating func pay(
        _ slot: HostTable.Slot,
        _ hosts: inout HostTable,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        guard let owed = hosts[slot].owed, let index = index(of: owed.round) else { return }
        hosts[slot].owed = nil
        running[index].debts -= 1
        running[index].round.extend(from: now)
        let first = effects.recipients.count
        tell(slot, index, owed.bytesWanted, &hosts, at: now, &effects)
        send(index, from: first, &effects)
    }

    // MARK: Finding

    /// Whether the result of sending packets of a round is still unknown.
    func isSending(_ id: UInt64) -> Bool { index(of: id).map { running[$0].sending > 0 } ?? false }

    /// A round under way.
    package func round(_ id: UInt64) -> Round? { index(of: id).map { running[$0].round } }

    private func index(of id: UInt64) -> Int? {
        var low = 0
        var high = running.count
        while low < high {
            let middle = (low + high) / 2
            if running[middle].round.id < id { low = middle + 1 } else { high = middle }
        }
        return low < running.count && running[low].round.id == id ? low : nil
    }

    private mutating func update(_ id: UInt64, _ change: (inout RunningRound) -> Void) {
        if let index = index(of: id) { change(&running[index]) }
    }
}
