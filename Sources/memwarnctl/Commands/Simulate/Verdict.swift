import MemwarnProgram
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
    var code: ExitStatus {
        switch self {
        case .fine: .done
        case .tooLittle: .notEnough
        case .late: .late
        case .silent: .silent
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
