import MemoryPressure

/// A round that is under way, with those who are still to be told.
struct RunningRound {
    /// Where a round stands.
    enum Phase {
        /// Hosts of a stage are told, or asked for their answers.
        case telling
        /// The stage's answers are in, and their effect is to show.
        case settling(since: ScopeLook)
        /// Nobody else is told.
        case over
    }

    var round: Round
    var phase = Phase.telling
    /// The slices of the stage that has begun, without those that were sent.
    private(set) var slices: [[Recipient]] = []
    /// The stages that have not begun.
    private(set) var stages: [[Recipient]]
    /// When the next slice is due, or the look at what a stage has brought.
    var next: MonotonicInstant?
    private var isCurtailed = false

    /// A host, and its part of what is wanted.
    struct Recipient {
        let host: Host
        let bytesWanted: UInt64
    }

    init(round: Round, stages: [[Recipient]]) {
        self.round = round
        self.stages = stages
        // The first has begun before anybody is told.
        self.round.stage = 0
    }

    /// Whether a stage has just had its last answer, or what stands for it.
    var isStageOver: Bool {
        if case .telling = phase { slices.isEmpty && round.outstanding == 0 } else { false }
    }

    /// Whether what a stage brings is waited for.
    var isMeasured: Bool { round.isMeasured && !isCurtailed }

    var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    /// When it has to be looked after at the latest.
    var due: MonotonicInstant? {
        let expires = round.outstanding > 0 ? round.expires : nil
        return [next, expires].compactMap(\.self).min()
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

    /// Nobody else is told; those who were may answer.
    mutating func curtail() {
        isCurtailed = true
        slices = []
        stages = []
        next = nil
        if case .settling = phase { phase = .over }
    }

    mutating func end() {
        stages = []
        next = nil
        phase = .over
    }

    /// A host is gone before its turn.
    mutating func forget(_ host: Host) {
        func without(_ lists: [[Recipient]]) -> [[Recipient]] {
            lists.map { $0.filter { $0.host !== host } }.filter { !$0.isEmpty }
        }
        if !slices.isEmpty { slices = without(slices) }
        if !stages.isEmpty { stages = without(stages) }
    }
}
