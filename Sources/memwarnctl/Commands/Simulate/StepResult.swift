import MemwarnProgram
import MemwarnProtocol
import WarningPolicy

/// The result of one step: its round, and its hosts.
struct StepResult {
    let step: Course.Step
    /// When it began, after the start of the course.
    let began: Duration
    let round: RoundRecord
    let hosts: [HostRecord]

    /// How many answered after the deadline.
    var late: UInt32 { UInt32(hosts.count { $0.isLate }) }

    /// How many hosts did not answer at all although they can, or could not be told.
    var unanswered: UInt32 {
        let reached = UInt64(round.answered) + UInt64(round.unacknowledged) + UInt64(late)
        return UInt32(clamping: Int64(round.hosts) - Int64(reached))
    }

    /// The bytes that the hosts claim to have released, including late answers.
    var released: UInt64 {
        hosts.filter(\.isLate).reduce(round.released) { $0.addingClamped($1.released) }
    }

    /// The bytes by which their resident memory fell, including late answers.
    var residentFreed: UInt64 {
        hosts.filter(\.isLate).reduce(round.residentFreed) {
            $0.addingClamped($1.residentBefore > $1.residentAfter ? $1.residentBefore - $1.residentAfter : 0)
        }
    }

    /// The fall in words; a dash if no host measured it.
    var residentFall: String {
        guard residentFreed > 0 else { return hosts.contains(where: \.isMeasured) ? "0 B" : "–" }
        return "−\(ByteCount(residentFreed))"
    }

    var verdict: Verdict { unanswered > 0 ? .silent : late > 0 ? .late : .fine }
}
