internal import CSystemd

extension ServiceNotifier {
    /// Notifies the service manager regularly that the loop still runs (`WATCHDOG=1`), if the unit has `WatchdogSec=`.
    ///
    /// The first notice is sent at once, then two in each interval, from inside the loop: if a handler hangs, the
    /// watchdog elapses. Unlike with sd_event_set_watchdog(3), no notice blocks: a notice that finds the manager's
    /// queue full is tried again soon, and does not wait behind other notices. See sd_watchdog_enabled(3).
    ///
    /// - Parameter loop: The loop to watch.
    /// - Returns: Whether the service manager has requested this. If it has not, nothing is done and there are no
    ///   wake-ups.
    /// - Throws: ``SystemdError`` if `WATCHDOG_USEC` or `WATCHDOG_PID` is invalid, or no timer can be made.
    @discardableResult
    public func feedWatchdog(from loop: EventLoop) throws(SystemdError) -> Bool {
        var microseconds: UInt64 = 0
        let isWanted = try SystemdError.check(sd_watchdog_enabled(0, &microseconds), "read the watchdog's interval")
        guard isWanted > 0, socket != nil else { return false }
        let pause = Duration(wholeMicroseconds: microseconds) / 2
        // A notice that is late by a quarter of the interval is still in time.
        watchdog = try loop.timer(accuracy: pause / 2, priority: .important) {
            self.showLife(every: pause)
        }
        showLife(every: pause)
        return true
    }

    private func showLife(every pause: Duration) {
        switch socket?.send(.state("WATCHDOG=1")) {
        case .full, .short: watchdog?.arm(after: min(pause, Self.retryDelay))
        // Without the manager there is no watchdog.
        case .sent, .failed, nil: watchdog?.arm(after: pause)
        }
    }
}
