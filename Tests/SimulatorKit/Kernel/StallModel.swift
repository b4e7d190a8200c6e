import MemoryPressure

/// The stalls of one line of a PSI file: a share of time that changes linearly from one instant to another, and its
/// integral.
struct StallLine {
    /// The total up to the segment's start, in microseconds.
    private var past = 0.0
    /// The kernel's 10 s average at the segment's start.
    private var average = 0.0
    /// The share at the segment's start, and its change per second.
    private(set) var share = 0.0
    private var slope = 0.0

    /// The share at a time in seconds after the segment's start.
    func share(after seconds: Double) -> Double { share + slope * seconds }

    /// The total at a time in seconds after the segment's start, in microseconds: exact at every read.
    func total(after seconds: Double) -> Double { past + (share + slope * seconds / 2) * seconds * 1e6 }

    /// The 10 s average, which the kernel updates every 2 s (kernel/sched/psi.c, calc_avgs()), and this model at every read.
    func average(after seconds: Double) -> Double {
        guard seconds > 0 else { return average }
        guard average > 1e-9 || share > 0 || slope != 0 else { return 0 }
        let decay = decay(seconds)
        return average * decay + share * (1 - decay) + slope * (seconds - 10 * (1 - decay))
    }

    /// e^(−t/10) for positive t, by halving: the last bit must not depend on a math library.
    private func decay(_ seconds: Double) -> Double {
        guard seconds < 400 else { return 0 }
        let x = -seconds / 10 / 64
        var power = 1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4)))
        for _ in 0..<6 { power *= power }
        return power
    }

    /// Ends a segment, and begins the next one, in which the share changes from one value to another in `length` seconds.
    mutating func begin(after seconds: Double, from share: Double, to end: Double, in length: Double, isCounted: Bool) {
        average = average(after: seconds)
        past = total(after: seconds)
        self.share = isCounted ? share : 0
        slope = isCounted && length > 0 ? (end - share) / length : 0
    }

    /// The highest share within a time in seconds after the segment's start.
    func highest(within seconds: Double) -> Double { max(share, share(after: seconds)) }
}

/// The counters of a cgroup's files.
struct Counts {
    var some = StallLine()
    var full = StallLine()
    /// The counts up to the segment's start, and their growth per second.
    var high = Line.zero
    var max = Line.zero
    var scanned = Line.zero
    var refaulted = Line.zero
    var oom: UInt64 = 0
    var kills: UInt64 = 0

    func stall(after seconds: Double) -> PressureStall {
        func line(_ line: StallLine) -> PressureStall.Line {
            let average = Share(
                basisPoints: UInt32((Swift.min(1, Swift.max(0, line.average(after: seconds))) * 10_000).rounded())
            )
            return PressureStall.Line(average10: average, total: UInt64(line.total(after: seconds)))
        }
        return PressureStall(some: line(some), full: line(full))
    }

    func events(after seconds: Double) -> MemoryEvents {
        MemoryEvents(
            high: UInt64(high.value + high.rate * seconds),
            max: UInt64(max.value + max.rate * seconds),
            oom: oom,
            oomKill: kills
        )
    }

    func reclaim(after seconds: Double) -> ReclaimCounters {
        ReclaimCounters(
            scanned: UInt64(scanned.value + scanned.rate * seconds),
            refaulted: UInt64(refaulted.value + refaulted.rate * seconds)
        )
    }

    mutating func begin(
        after seconds: Double,
        _ from: Reclaim.Figures,
        _ to: Reclaim.Figures,
        in length: Double,
        countsStalls: Bool
    ) {
        some.begin(after: seconds, from: from.some, to: to.some, in: length, isCounted: countsStalls)
        full.begin(after: seconds, from: from.full, to: to.full, in: length, isCounted: countsStalls)
        func go(_ line: inout Line, _ rate: Double) {
            line = Line(value: line.value + line.rate * seconds, rate: rate)
        }
        go(&high, from.hitsHigh)
        go(&max, from.hitsMax)
        go(&scanned, from.scans)
        go(&refaulted, from.refaults)
    }
}
