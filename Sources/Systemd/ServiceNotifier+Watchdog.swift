internal import CSystemd

extension ServiceNotifier {
    /// Tells the service manager regularly that the loop still turns (`WATCHDOG=1`), if the unit has `WatchdogSec=`.
    ///
    /// The first sign of life is sent at once, the others twice in an interval, from inside the loop: a handler that hangs
    /// lets the watchdog bite. Unlike with sd_event_set_watchdog(3) none of them blocks: one that finds the manager's queue
    /// full is tried again soon, and waits behind no other notice. See sd_watchdog_enabled(3).
    ///
    /// - Parameter loop: The loop that is watched.
    /// - Returns: Whether the service manager asked for it. If it did not, nothing was done and nothing ever wakes up.
    /// - Throws: ``SystemdError`` if `WATCHDOG_USEC` or `WATCHDOG_PID` cannot be read, or no timer can be made.
    @discardableResult
    public func feedWatchdog(from loop: EventLoop) throws(SystemdError) -> Bool {
        var microseconds: UInt64 = 0
        let isWanted = try SystemdError.check(sd_watchdog_enabled(0, &microseconds), "read the watchdog's interval")
        guard isWanted > 0, socket != nil else { return false }
        let pause = Duration(wholeMicroseconds: microseconds) / 2
        // A quarter of the interval late is still in time.
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
