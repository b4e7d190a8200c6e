/// What to ask PSI to wake us for.
package struct StallPlan: Hashable, Sendable {
    /// The share of a window in `some` that makes an event.
    package var some = Share.percent(10)
    /// The share of a window in `full` that makes an event.
    package var full = Share.percent(10)
    /// The window on a host that lets us choose: 50 ms of stall make an event, and the kernel looks every 50 ms.
    package var privilegedWindow = Duration.milliseconds(500)
    /// The window without privilege, where only multiples of 2 s are taken; also the interval of polling.
    package var window = Duration.seconds(2)

    /// The defaults: systemd's 10 % of 2 s for `some`, low-memory-monitor's 10 % for `full`.
    package init() {}

    /// How much stall within `window` makes an event.
    package func threshold(_ kind: PressureStall.Kind, in window: Duration) -> Duration {
        let share =
            switch kind {
            case .some: some
            case .full: full
            }
        return .microseconds(max(1, window.microseconds * UInt64(share.basisPoints) / 10_000))
    }
}
