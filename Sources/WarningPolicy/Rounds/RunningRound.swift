internal import MemoryPressure

/// A round that is under way, with the hosts that are still to be told.
struct RunningRound: Sendable {
    /// Where a round stands.
    enum Phase: Sendable {
        /// Hosts of a stage are told, or asked for their answers.
        case telling
        /// How the scope stands is being looked at: at first after a stage's answers, then once their effect is to show.
        case looking(since: ScopeLook?)
        /// The stage's answers are in, and their effect is to show.
        case settling(since: ScopeLook)
        /// No other host is told.
        case over
    }

    var round: Round
    /// The scope under pressure.
    let scope: ScopeID
    var phase = Phase.telling
    /// The slices of the stage that has begun, without those that were sent.
    private(set) var slices: [[Recipient]] = []
    /// The stages that have not begun.
    private(set) var stages: [[Recipient]]
    /// When the next slice is due, or the look at what a stage has brought.
    var next: MonotonicInstant?
    /// How many times it was handed over for sending, without a word yet of what became of that.
    var sending = 0
    /// How many hosts are owed it: it is kept as long, even if it is over since no answers are wanted.
    var debts = 0
    /// Whether its end was told.
    var isReported = false
    private var isCurtailed = false

    /// A host, and its part of what is wanted.
    struct Recipient: Sendable {
        let host: HostID
        let bytesWanted: UInt64
    }

    init(round: Round, scope: ScopeID, stages: [[Recipient]]) {
        self.round = round
        self.scope = scope
        self.stages = stages
        // The first has begun before any host is told.
        self.round.stage = 0
    }

    /// Whether a stage has just had its last answer, or what stands for it.
    var isStageOver: Bool {
        if case .telling = phase { slices.isEmpty && sending == 0 && round.outstanding == 0 } else { false }
    }

    /// Whether what a stage brings is waited for.
    var isMeasured: Bool { round.isMeasured && !isCurtailed }

    var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    var hasStages: Bool { !stages.isEmpty }

    /// When it has to be looked after at the latest.
    var due: MonotonicInstant? {
        guard round.outstanding > 0, !isReported else { return next }
        return min(next ?? round.expires, round.expires)
    }

    /// Goes on to the next stage, which has to be there.
    mutating func beginStage() {
        phase = .telling
        round.stage += 1
        slices = StagePlan.slices(of: stages.removeFirst(), level: round.level)
    }

    /// The next to be told.
    mutating func takeSlice() -> [Recipient] {
        slices.isEmpty ? [] : slices.removeFirst()
    }

    /// No other host is told; those that were may answer.
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

    /// A host is gone before its turn.
    mutating func forget(_ host: HostID) {
        func without(_ lists: [[Recipient]]) -> [[Recipient]] {
            lists.map { $0.filter { $0.host != host } }.filter { !$0.isEmpty }
        }
        if !slices.isEmpty { slices = without(slices) }
        if !stages.isEmpty { stages = without(stages) }
    }
}
