import MemwarnProgram
import MemwarnProtocol

/// The verdict on a simulation, from the best to the worst.
enum Verdict: Int, Comparable {
    /// Every host that can answer did, in time.
    case fine
    /// The hosts gave less than was expected of them.
    case tooLittle
    /// A host answered after the deadline.
    case late
    /// A host did not answer, or could not be told.
    case silent

    /// The exit code for it.
    var code: ExitStatus {
        switch self {
        case .fine: .done
        case .tooLittle: .notEnough
        case .late: .late
        case .silent: .silent
        }
    }

    /// Its name in JSON.
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
