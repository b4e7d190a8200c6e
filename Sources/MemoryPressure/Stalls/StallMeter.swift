/// Turns PSI totals into shares of time, and decides which events to believe.
///
/// A trigger's event is a hint to look. The kernel seeds unprivileged triggers from a counter that only privileged
/// ones advance, so the first growth after arming may count every stall since boot. The meter therefore remembers each
/// line's total when it was last looked at and believes an event only if the total grew by the threshold since.
package struct StallMeter: Sendable {
    private struct Mark: Sendable {
        var at: MonotonicInstant
        var total: UInt64
    }

    private let rung: Rung
    private let window: Duration
    private let plan: StallPlan
    /// The totals at the last believed event of each line, or at the last tick; the growth of an event counts from
    /// them.
    private var some: Mark
    private var full: Mark
    /// The totals at the last reading of each line; the next exact share counts from them.
    private var readSome: Mark
    private var readFull: Mark

    /// The number of events that were not believed.
    package private(set) var suppressed: UInt64 = 0

    /// Starts from the file's contents at the time when the triggers were armed.
    package init(
        rung: Rung,
        window: Duration,
        plan: StallPlan,
        first stall: PressureStall,
        at instant: MonotonicInstant
    ) {
        self.rung = rung
        self.window = window
        self.plan = plan
        some = Mark(at: instant, total: stall.total(.some))
        full = Mark(at: instant, total: stall.total(.full))
        (readSome, readFull) = (some, full)
    }

    /// Judges a trigger's event by the reading taken right after it.
    ///
    /// - Returns: a lower bound of the share of lost time, or `nil` if the event is not believed.
    package mutating func event(
        _ kind: PressureStall.Kind,
        _ stall: PressureStall,
        at instant: MonotonicInstant
    ) -> StallShares? {
        let mark = kind == .some ? some : full
        let growth = stall.total(kind).subtractingOrZero(mark.total)
        let threshold = plan.threshold(kind, in: window)
        let atLeast = Share(threshold.microseconds, of: window.microseconds)
        // An interval since a reading long ago is useless as a divisor: stalls spread over hours would look like one
        // burst. Then only the kernel's statement counts that this window reached the threshold, if the trigger can be
        // trusted.
        let elapsed = mark.at.duration(to: instant)
        let isExact = elapsed <= window * 2
        guard growth >= threshold.microseconds, isExact || rung == .privileged || isRecent(kind, stall, atLeast) else {
            suppressed += 1
            return nil
        }
        let own = isExact ? max(atLeast, Share(growth, of: max(elapsed, window).microseconds)) : atLeast
        advance(kind, stall, instant)
        // Both lines were read: an old mark of the other line would dilute the recent stalls in the next exact share.
        noteReading(stall, instant)
        return kind == .some ? StallShares(some: own, full: .zero) : StallShares(some: own, full: own)
    }

    /// Processes a reading on a timer; returns the exact shares since the last one, or `nil` if that is no window ago.
    ///
    /// The stalls of a tenth of a second are no share of a window: a single stall would count as critical.
    package mutating func tick(_ stall: PressureStall, at instant: MonotonicInstant) -> StallShares? {
        guard readSome.at.duration(to: instant) >= window.almost else { return nil }
        let sample = StallShares(
            some: share(stall.total(.some), since: readSome, at: instant),
            full: share(stall.total(.full), since: readFull, at: instant)
        )
        noteReading(stall, instant)
        advance(.some, stall, instant)
        advance(.full, stall, instant)
        return sample
    }

    /// Whether the kernel's own 10 s average has risen at least as far as one window at half the threshold would raise
    /// it.
    ///
    /// A window of w seconds at share p raises the average by p × (1 − e^(−w/10)): for 2 s that is p × 0.18. The tick
    /// that sends an unprivileged trigger's event also updates the averages.
    private func isRecent(_ kind: PressureStall.Kind, _ stall: PressureStall, _ threshold: Share) -> Bool {
        stall.average10(kind).basisPoints >= threshold.basisPoints * 9 / 100
    }

    private func share(_ total: UInt64, since mark: Mark, at instant: MonotonicInstant) -> Share {
        Share(total.subtractingOrZero(mark.total), of: mark.at.duration(to: instant).microseconds)
    }

    private mutating func noteReading(_ stall: PressureStall, _ instant: MonotonicInstant) {
        readSome = Mark(at: instant, total: stall.total(.some))
        readFull = Mark(at: instant, total: stall.total(.full))
    }

    private mutating func advance(_ kind: PressureStall.Kind, _ stall: PressureStall, _ instant: MonotonicInstant) {
        let mark = Mark(at: instant, total: stall.total(kind))
        switch kind {
        case .some: some = mark
        case .full: full = mark
        }
    }
}

extension Duration {
    /// The shortest time that counts as a window of this length: scopes whose ticks are due almost at the same time are
    /// read together.
    var almost: Duration { self - self / 8 }
}

extension UInt64 {
    /// The difference, or zero if the counter was reset.
    fileprivate func subtractingOrZero(_ other: Self) -> Self {
        self > other ? self - other : 0
    }
}
