import MemoryPressure

/// Computes when the kernel would have sent the event of a PSI trigger.
///
/// Unprivileged triggers with a window of 2 s are checked by the ``PeriodClock``, others ten times a window, which here
/// means at every sample. There is at most one event in a window.
///
/// Source: kernel/sched/psi.c, `update_triggers()`.
struct TriggerModel {
    private let threshold: UInt64
    private let window: Duration
    private let isPeriodic: Bool
    /// Totals in microseconds, from the last one before the window began.
    private var history: [(at: MonotonicInstant, total: UInt64)] = []
    private var fired: MonotonicInstant?

    init(threshold: Duration, window: Duration, rung: Rung) {
        self.threshold = threshold.microseconds
        self.window = window
        isPeriodic = rung != .privileged
    }

    /// Processes a sample; returns whether it causes an event.
    mutating func fires(_ total: UInt64, at now: MonotonicInstant, isPeriod: Bool) -> Bool {
        history.append((now, total))
        let start = now.advanced(by: .zero - window)
        while history.count > 2, history[1].at <= start { history.removeFirst() }
        guard !isPeriodic || isPeriod, growth(since: start) >= threshold else { return false }
        if let fired, fired.duration(to: now) < window { return false }
        fired = now
        return true
    }

    /// The growth of the total; linear within the sample in which the window began.
    private func growth(since start: MonotonicInstant) -> UInt64 {
        guard let first = history.first, let last = history.last, last.total > first.total else { return 0 }
        guard history.count > 1, first.at < start else { return last.total - first.total }
        let next = history[1]
        let inside = next.total > first.total ? next.total - first.total : 0
        let share = Share(start.duration(to: next.at).microseconds, of: first.at.duration(to: next.at).microseconds)
        return (last.total > next.total ? last.total - next.total : 0) + inside / 10_000 * UInt64(share.basisPoints)
            + inside % 10_000 * UInt64(share.basisPoints) / 10_000
    }
}

/// Computes when the kernel updates a scope's averages, and checks unprivileged triggers.
///
/// It does so every 2 s during activity in the scope; after an idle time the first update is 2 s after the activity
/// began. A recording shows only the stalls of the activity, and the events that the kernel sent, which show that it
/// checked.
///
/// Source: kernel/sched/psi.c, `psi_avgs_work()`.
struct PeriodClock {
    private var total: UInt64?
    private var next: MonotonicInstant?
    private var isIdle = true

    static let period = Duration.seconds(2)

    /// Processes a sample, before which stalls may have begun up to twice the tolerance ago.
    ///
    /// `isKnown` means that the kernel has checked since the previous sample.
    mutating func isPeriod(
        _ total: UInt64,
        at now: MonotonicInstant,
        tolerance: Duration,
        isKnown: Bool = false
    ) -> Bool {
        let hasGrown = self.total.map { $0 != total } ?? false
        self.total = total
        if hasGrown { isIdle = false }
        if isKnown {
            next = now.advanced(by: Self.period - tolerance)
            isIdle = true
            return true
        }
        guard let next else {
            if hasGrown { self.next = now.advanced(by: Self.period - tolerance) }
            return false
        }
        guard next <= now else { return false }
        self.next = isIdle ? nil : now.advanced(by: Self.period - tolerance)
        isIdle = true
        return true
    }
}

/// The kernel's average of stalls over 10 s, from the totals.
///
/// Source: kernel/sched/psi.c, `calc_avgs()`: every 2 s the average keeps e^(−2/10) of itself, in 2048ths.
struct StallAverage {
    private(set) var share = Share.zero
    private var last: (total: UInt64, at: MonotonicInstant)?

    private static let kept: UInt64 = 1677
    private static let whole: UInt64 = 2048

    /// Processes the total at the end of a period.
    mutating func update(_ total: UInt64, at now: MonotonicInstant) {
        defer { last = (total, now) }
        guard let last, last.at < now else { return }
        let part = Share(total > last.total ? total - last.total : 0, of: last.at.duration(to: now).microseconds)
        let sum = UInt64(share.basisPoints) * Self.kept + UInt64(part.basisPoints) * (Self.whole - Self.kept)
        share = Share(basisPoints: UInt32(sum / Self.whole))
    }
}
