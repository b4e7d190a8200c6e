import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

// The words for people, in tables and in JSON, for numbers in records.

extension ScopeRecord.Rung: CustomStringConvertible {
    package var description: String {
        switch self {
        case .none: "none"
        case .privileged: "privileged trigger"
        case .unprivileged: "trigger"
        case .polling: "polling"
        case .events: "limit events"
        case .usage: "usage"
        case .available: "available memory"
        }
    }
}

extension ScopeRecord {
    /// The rung, and its window if it has one.
    var watch: String {
        window > 0 ? "\(rung) \(Milliseconds(microseconds: UInt64(window)))" : "\(rung)"
    }
}

extension HostAllocator {
    /// The name; `nil` if the host does not state it.
    var name: String? { self == .unstated ? nil : "\(self)" }
}

extension HostRecord.Door: CustomStringConvertible {
    package var description: String {
        switch self {
        case .native: "native"
        case .pressure: "pressure socket"
        }
    }
}

extension HostRecord.Outcome: CustomStringConvertible {
    package var description: String {
        switch self {
        case .none: "not asked"
        case .awaiting: "awaited"
        case .answered: "answered"
        case .silent: "silent"
        case .undeliverable: "undeliverable"
        case .unacknowledged: "unacknowledged"
        }
    }
}

extension HostRecord {
    /// The word for an answer after the deadline.
    static let lateName = "late"

    /// Whether the host answered its last warning after the deadline: its figures are known, but are not in the sums of
    /// a round.
    var isLate: Bool { outcome == .silent && (residentBefore > 0 || released > 0 || duration > 0) }

    /// Whether the host measured its resident set at its last warning: it does not at a normal one.
    var isMeasured: Bool { residentBefore > 0 }

    /// The resident set before and after its last warning.
    var residentChange: String {
        isMeasured ? "\(ByteCount(residentBefore)) → \(ByteCount(residentAfter))" : "–"
    }

    /// The outcome of its last warning.
    var outcomeName: String { isLate ? Self.lateName : "\(outcome)" }
}

extension CommandRecord.Outcome: CustomStringConvertible {
    package var description: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .unhandled: "no such command"
        case .silent: "silent"
        case .gone: "gone"
        case .undeliverable: "undeliverable"
        case .notAccepting: "takes no commands"
        }
    }
}

extension PressureReason {
    /// `some 43.2%` or just `simulation`.
    var brief: String { hasFigure ? "\(source) \(figure)" : "\(source)" }

    /// Whether the figure means something: of headroom, 0 is one.
    var hasFigure: Bool { figure > .zero || source == .headroom }
}

extension RoundRecord {
    // A daemon that is not ours may send any figures: their sum may exceed 32 bits.
    /// The number of hosts that did not answer: silent ones, and those that the warning did not reach.
    var unanswered: UInt64 { UInt64(silent) + UInt64(undeliverable) }

    /// The reason of a warning, or that the pressure is over or fell.
    var why: String {
        let isRepeat = options.contains(.repeated)
        return (options.contains(.answerWanted) ? reason.brief : level == .normal ? "over" : "fell")
            + (isRepeat ? ", again" : "")
    }
}
