package import MemoryPressure

/// Which hosts are warned, in which order, and how much each is asked for.
///
/// A warning goes in stages, from the pressured cgroup outwards, and stops when the pressure is gone. At critical no host
/// is spared, and all are told at once.
package struct StagePlan {
    /// How far a host is from the pressure, nearest first.
    package enum Ring: UInt8, Comparable, CaseIterable {
        /// In the scope under pressure, or below it.
        case inside
        /// Beside it, under the same limit.
        case beside
        /// Elsewhere on the machine.
        case rest

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// What is known of a host that may be warned.
    package struct Candidate {
        package var ring: Ring = .inside
        /// 0 is asked first, 255 last.
        package var priority: UInt8
        /// What it said it could give back, in bytes.
        package var releasable: UInt64

        package init(ring: Ring = .inside, priority: UInt8, releasable: UInt64) {
            (self.ring, self.priority, self.releasable) = (ring, priority, releasable)
        }
    }

    /// The candidates by their places in the list that was planned for, stage by stage; none is empty.
    package let stages: [[Int]]
    /// What each candidate is asked for, in bytes; 0 is no amount.
    package let bytesWanted: [UInt64]

    /// Plans a round.
    ///
    /// In a stage the hosts with the lowest priority go first, of equals those with most to give. `wanted` is shared out in
    /// proportion to what each could give, and no host is asked for more than that.
    package init(_ candidates: [Candidate], level: PressureLevel, wanted: UInt64) {
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
    package static let slice = 64

    /// A stage in slices, between which a little time passes: thousands that give back, and load again, in the same
    /// millisecond would make a stall of their own.
    package static func slices<Element>(of stage: [Element], level: PressureLevel) -> [[Element]] {
        guard level == .warning else { return [stage] }
        return stride(from: 0, to: stage.count, by: slice).map { Array(stage[$0..<min($0 + slice, stage.count)]) }
    }

    /// How long to wait before the next slice.
    package static func pause(using generator: inout some RandomNumberGenerator) -> Duration {
        .microseconds(Int64.random(in: 2_000...6_000, using: &generator))
    }
}
