import MemoryPressure

/// Who is warned, in which order, and how much each is asked for: a pure value.
///
/// A warning goes in stages, from the pressured cgroup outwards, and stops when the pressure is gone. At critical nobody
/// is spared, and everybody is told at once.
struct StagePlan {
    /// How far a host is from the pressure, nearest first.
    enum Ring: UInt8, Comparable, CaseIterable {
        /// In the scope under pressure, or below it.
        case inside
        /// Beside it, under the same limit.
        case beside
        /// Elsewhere on the machine.
        case rest

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// What is known of a host that may be warned.
    struct Candidate {
        var ring: Ring = .inside
        /// 0 is asked first, 255 last.
        var priority: UInt8
        /// What it said it could give back, in bytes.
        var releasable: UInt64
    }

    /// The candidates by their places in the list that was planned for, stage by stage; none is empty.
    let stages: [[Int]]
    /// What each candidate is asked for, in bytes; 0 is no amount.
    let bytesWanted: [UInt64]

    /// Plans a round.
    ///
    /// In a stage those go first whose priority says so, of equals those with most to give. `wanted` is shared out in
    /// proportion to what each could give, and nobody is asked for more than that.
    init(_ candidates: [Candidate], level: PressureLevel, wanted: UInt64) {
        let order = candidates.indices.sorted { left, right in
            let (a, b) = (candidates[left], candidates[right])
            return (a.priority, b.releasable, left) < (b.priority, a.releasable, right)
        }
        if level == .warning {
            stages = Ring.allCases.map { ring in order.filter { candidates[$0].ring == ring } }.filter { !$0.isEmpty }
        } else {
            stages = order.isEmpty ? [] : [order]
        }
        // Doubles lose the last bits of sums beyond 2⁵³ bytes, and do not overflow on what hosts may claim.
        let offered = candidates.reduce(0) { $0 + Double($1.releasable) }
        let part = offered > 0 ? min(1, Double(wanted) / offered) : 0
        bytesWanted = candidates.map { candidate in
            UInt64(exactly: (Double(candidate.releasable) * part).rounded()) ?? candidate.releasable
        }
    }

    /// How many hosts are sent a warning without a pause between them.
    static let slice = 64

    /// A stage in slices, between which a little time passes: thousands that give back, and load again, in the same
    /// millisecond would make a stall of their own.
    static func slices<Element>(of stage: [Element], level: PressureLevel) -> [[Element]] {
        guard level == .warning else { return [stage] }
        return stride(from: 0, to: stage.count, by: slice).map { Array(stage[$0..<min($0 + slice, stage.count)]) }
    }

    /// How long to wait before the next slice.
    static func pause(using generator: inout some RandomNumberGenerator) -> Duration {
        .microseconds(Int64.random(in: 2_000...6_000, using: &generator))
    }
}
