internal import MemoryPressure

/// A round under way, with the hosts that have not been told yet.
struct RunningRound: Sendable {
    /// The phase of a round.
    enum Phase: Sendable {
        /// Hosts of a stage are being told, or have not all answered.
        case telling
        /// The scope's figures are being read: first after a stage's answers, and again when their effect should be
        /// visible.
        case looking(since: ScopeLook?)
        /// The stage's answers are in; the policy waits for their effect.
        case settling(since: ScopeLook)
        /// No further host is told.
        case over
    }

    /// At a host, a round neither waits for the answer to one of a lower rank, nor displaces one of a higher rank.
    enum Rank: Comparable {
        /// A simulation of a client that may warn some hosts only.
        case ownSimulation
        /// A simulation of a client that may warn all hosts.
        case simulation
        case pressure
    }

    var round: Round
    /// The scope under pressure.
    let scope: ScopeID
    let rank: Rank
    var phase = Phase.telling
    /// The unsent slices of the present stage.
    private(set) var slices: [[Recipient]] = []
    /// The stages that have not begun.
    private(set) var stages: [[Recipient]]
    /// When the next slice is due, or the reading after a stage.
    var next: MonotonicInstant?
    /// How many sends of it have no known result yet.
    var sending = 0
    /// How many hosts have not been told of it yet; it is kept as long as there are any, even if it is over because no
    /// answers are wanted.
    var debts = 0
    /// When the first of these hosts has had its whole deadline for the warning in flight to it, at the earliest.
    var collection: MonotonicInstant?
    /// Whether its end was reported.
    var isReported = false
    private var isCurtailed = false

    /// A host, and its part of the bytes wanted.
    struct Recipient: Sendable {
        let host: HostID
        let bytesWanted: UInt64
    }

    init(round: Round, scope: ScopeID, stages: [[Recipient]], rank: Rank) {
        self.round = round
        self.scope = scope
        self.rank = rank
        self.stages = stages
        // The round begins with its first stage, before any host is told.
        self.round.stage = 0
    }

    /// Whether a stage has just had its last answer, or its deadline has passed.
    var isStageOver: Bool {
        if case .telling = phase { slices.isEmpty && sending == 0 && round.outstanding == 0 } else { false }
    }

    /// Whether the policy waits for the effect of a stage.
    var isMeasured: Bool { round.isMeasured && !isCurtailed }

    var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    /// Whether no more is to come of it.
    var isDone: Bool { isReported && debts == 0 && sending == 0 }

    var hasStages: Bool { !stages.isEmpty }

    /// When it next needs attention at the latest.
    ///
    /// Inlined and without another call, because each call copies the whole round.
    @inline(__always)
    var due: MonotonicInstant? {
        var due = next
        if debts > 0, let collection, collection.nanoseconds < due?.nanoseconds ?? .max { due = collection }
        if round.outstanding > 0, !isReported, round.expires.nanoseconds < due?.nanoseconds ?? .max {
            due = round.expires
        }
        return due
    }

    /// Begins the next stage, which has to exist, with slices of this size.
    mutating func beginStage(slice: Int) {
        phase = .telling
        round.stage += 1
        let level = round.isMeasured ? round.level : .critical
        slices = StagePlan.slices(of: stages.removeFirst(), level: level, size: slice)
    }

    /// Returns the next hosts to tell.
    mutating func takeSlice() -> [Recipient] {
        slices.isEmpty ? [] : slices.removeFirst()
    }

    /// Tells no further host; hosts that were told may still answer.
    mutating func curtail() {
        isCurtailed = true
        slices = []
        stages = []
        next = nil
        switch phase {
        case .settling, .looking: phase = .over
        case .telling, .over: break
        }
    }

    mutating func end() {
        stages = []
        next = nil
        phase = .over
    }

    /// Adds the hosts that have not been told yet to a set.
    func addUnreached(to hosts: inout Set<HostID>) {
        for slice in slices { for recipient in slice { hosts.insert(recipient.host) } }
        for stage in stages { for recipient in stage { hosts.insert(recipient.host) } }
    }

    /// Removes a host that has not been told yet; a stage that has lost all its hosts is planned no more.
    mutating func forget(_ host: HostID) {
        func without(_ lists: [[Recipient]]) -> [[Recipient]] {
            lists.map { $0.filter { $0.host != host } }.filter { !$0.isEmpty }
        }
        if !slices.isEmpty { slices = without(slices) }
        if !stages.isEmpty {
            round.stages -= stages.count
            stages = without(stages)
            round.stages += stages.count
        }
    }
}
