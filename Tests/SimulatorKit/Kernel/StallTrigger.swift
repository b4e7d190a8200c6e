import MemoryPressure

/// A PSI trigger: reports when stalls reach a threshold within a window.
///
/// It follows the kernel's kernel/sched/psi.c: window_update() and update_triggers(). The kernel checks a privileged trigger ten
/// times per window while tasks stall, and others at the 2 s tick that updates the averages. There is at most one event per window.
struct StallTrigger {
    let kind: PressureStall.Kind
    let isPrivileged: Bool
    /// In nanoseconds, and in microseconds of stall.
    private let window: UInt64
    private let threshold: Double
    private var start: UInt64
    private var startTotal: Double
    private var previousGrowth = 0.0
    private var lastTotal: Double
    private var lastEvent: UInt64?

    /// Arms a trigger.
    ///
    /// An unprivileged trigger starts from a counter that only privileged ones advance, so its first growth counts every stall
    /// since the cgroup was created: the false first event.
    init(
        _ kind: PressureStall.Kind,
        isPrivileged: Bool,
        plan: StallPlan,
        window: Duration,
        total: Double,
        at now: UInt64
    ) {
        self.kind = kind
        self.isPrivileged = isPrivileged
        self.window = UInt64(window.nanoseconds)
        threshold = Double(plan.threshold(kind, in: window).microseconds)
        start = now
        startTotal = isPrivileged ? total : 0
        lastTotal = total
    }

    /// Whether this share of lost time can cause an event; any share can cause the false first one.
    func mayFire(at share: Double) -> Bool {
        startTotal == 0 && !isPrivileged || share * Double(window) / 1_000 >= threshold * 0.9
            || previousGrowth >= threshold / 4
    }

    /// When the kernel checks it next, after this instant.
    func nextLook(after now: UInt64) -> UInt64 {
        let period = isPrivileged ? window / 10 : 2_000_000_000
        return isPrivileged ? now + period : (now / period + 1) * period
    }

    /// Handles stalls after a pause: the kernel begins a new window (init_rtpoll_triggers()).
    mutating func wake(total: Double, at now: UInt64) {
        guard isPrivileged, now > start + 2 * window else { return }
        (start, startTotal, previousGrowth, lastTotal) = (now, total, 0, total)
    }

    /// Checks the total; returns whether there is an event.
    mutating func look(total: Double, at now: UInt64) -> Bool {
        guard total > lastTotal else { return false }
        lastTotal = total
        var growth = total - startTotal
        let elapsed = now - start
        if elapsed > window {
            (start, startTotal, previousGrowth) = (now, total, growth)
        } else {
            growth += previousGrowth * Double(window - elapsed) / Double(window)
        }
        guard growth >= threshold, lastEvent.map({ now >= $0 + window }) ?? true else { return false }
        lastEvent = now
        return true
    }
}
