/// The stalls for which PSI wakes the process.
package struct StallPlan: Hashable, Sendable {
    /// The share of a window in `some` that makes an event.
    package var some = Share.percent(10)
    /// The share of a window in `full` that makes an event.
    package var full = Share.percent(10)
    /// The window with privilege, which may have any length: 50 ms of stalls make an event, and the kernel checks every
    /// 50 ms.
    package var privilegedWindow = Duration.milliseconds(500)
    /// The window without privilege, which has to be a multiple of 2 s; also the interval of polling.
    package var window = Duration.seconds(2)

    /// The defaults: systemd's 10 % of 2 s for `some`, low-memory-monitor's 10 % for `full`.
    package init() {}

    /// The stall time within `window` that makes an event.
    package func threshold(_ kind: PressureStall.Kind, in window: Duration) -> Duration {
        let share =
            switch kind {
            case .some: some
            case .full: full
            }
        return .microseconds(max(1, window.microseconds * UInt64(share.basisPoints) / 10_000))
    }
}
