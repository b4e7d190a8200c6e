import MemwarnProtocol
import WarningPolicy

/// What came of one step: its round, and its hosts.
struct StepResult {
    let step: Course.Step
    let round: RoundRecord
    let hosts: [HostRecord]

    /// How many answered after the deadline.
    var late: UInt32 { UInt32(hosts.count { $0.isLate }) }

    /// How many did not answer at all, although they could have, or could not be told.
    var unanswered: UInt32 {
        let heard = UInt64(round.answered) + UInt64(round.unacknowledged) + UInt64(late)
        return UInt32(clamping: Int64(round.hosts) - Int64(heard))
    }

    /// What the hosts say they released, late answers included, in bytes.
    var released: UInt64 {
        hosts.filter(\.isLate).reduce(round.released) { $0.addingClamped($1.released) }
    }

    /// By how much their resident memory fell, late answers included, in bytes.
    var residentFreed: UInt64 {
        hosts.filter(\.isLate).reduce(round.residentFreed) {
            $0.addingClamped($1.residentBefore > $1.residentAfter ? $1.residentBefore - $1.residentAfter : 0)
        }
    }

    var verdict: Verdict { unanswered > 0 ? .silent : late > 0 ? .late : .fine }
}
