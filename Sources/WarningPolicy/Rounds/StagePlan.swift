package import MemoryPressure

/// The order in which hosts are warned, and the bytes wanted of each.
///
/// A warning goes in stages, from the pressured cgroup outwards, and stops when the pressure is gone. At critical every
/// host is told at once.
package struct StagePlan {
    /// The distance of a host from the pressure, nearest first.
    package enum Ring: UInt8, Comparable, CaseIterable {
        /// In the scope under pressure, or below it.
        case inside
        /// Beside it, under the same limit.
        case beside
        /// Elsewhere on the machine.
        case rest

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The known properties of a host that may be warned.
    package struct Candidate {
        package var ring: Ring = .inside
        /// 0 is warned first, 255 last.
        package var priority: UInt8
        /// The bytes that it could release by its own statement.
        package var releasable: UInt64

        package init(ring: Ring = .inside, priority: UInt8, releasable: UInt64) {
            (self.ring, self.priority, self.releasable) = (ring, priority, releasable)
        }
    }

    /// The candidates by their positions in the list, stage by stage; no stage is empty.
    package let stages: [[Int]]
    /// The bytes wanted of each candidate; 0 for no amount.
    package let bytesWanted: [UInt64]

    /// Plans a round.
    ///
    /// In a stage the hosts with the lowest priority number come first, and among equals those that could release most.
    /// `wanted` is divided in proportion to the releasable bytes of each host, and no host is asked for more than that.
    package init(_ candidates: [Candidate], level: PressureLevel, wanted: UInt64) {
        let order = orderedPositions(candidates.count) { left, right in
            let (a, b) = (candidates[left], candidates[right])
            return (a.priority, b.releasable) < (b.priority, a.releasable)
        }
        if level == .warning {
            stages = Ring.allCases.map { ring in order.filter { candidates[$0].ring == ring } }.filter { !$0.isEmpty }
        } else {
            stages = order.isEmpty ? [] : [order]
        }
        // Doubles lose the last bits of sums beyond 2⁵³ bytes, and do not overflow on any claims of hosts.
        let offered = candidates.reduce(0) { $0 + Double($1.releasable) }
        let part = offered > 0 ? min(1, Double(wanted) / offered) : 0
        bytesWanted = candidates.map { candidate in
            UInt64(exactly: (Double(candidate.releasable) * part).rounded()) ?? candidate.releasable
        }
    }

    /// The number of hosts that are warned without a pause.
    package static let slice = 64

    /// Divides a stage into slices with short pauses between them: thousands of hosts that release and reload in the
    /// same millisecond would cause a stall of their own.
    package static func slices<Element>(
        of stage: [Element],
        level: PressureLevel,
        size: Int = slice
    ) -> [[Element]] {
        guard level == .warning else { return [stage] }
        return stride(from: 0, to: stage.count, by: size).map { Array(stage[$0..<min($0 + size, stage.count)]) }
    }

    /// The pause before the next slice.
    package static func pause(using generator: inout some RandomNumberGenerator) -> Duration {
        .microseconds(Int64.random(in: 2_000...6_000, using: &generator))
    }
}
