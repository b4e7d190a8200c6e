import MemwarnProtocol

/// What a simulation showed, from the best to the worst.
enum Verdict: Int, Comparable {
    /// Every host that can answer did, in time.
    case fine
    /// The hosts gave less than was expected of them.
    case tooLittle
    /// A host answered after the deadline.
    case late
    /// A host did not answer, or could not be told.
    case silent

    /// The exit code that says so.
    var code: CInt {
        switch self {
        case .fine: 0
        case .tooLittle: 5
        case .late: 6
        case .silent: SimulateCommand.silent
        }
    }

    /// What it is called in JSON.
    var name: String {
        switch self {
        case .fine: "ok"
        case .tooLittle: "too little"
        case .late: HostRecord.lateName
        case .silent: "silent"
        }
    }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension HostRecord {
    /// What an answer after the deadline is called.
    static let lateName = "late"

    /// Whether the host answered its last warning after the deadline: what it did is known, and in no round's sums.
    var isLate: Bool { outcome == .silent && (residentBefore > 0 || released > 0 || duration > 0) }

    /// What `status` and `simulate` call what became of its last warning.
    var outcomeName: String { isLate ? Self.lateName : outcome.name }
}
