internal import CSystemd

/// The handle of a one-shot timer that can be armed again and again; dropping it disarms it.
///
/// While it is not armed it costs no wake-ups. Arming allocates nothing.
public final class TimerSource: EventSource {
    override init(_ added: AddedSource) {
        super.init(added)
        disarm()
    }

    /// Arms the timer to call the handler once, `delay` after ``EventLoop/now`` and never earlier; replaces an earlier
    /// time.
    ///
    /// A delay of zero or less elapses at the next turn of the loop. May be called from the timer's own handler. After
    /// the loop has ended it does nothing. See sd_event_source_set_time_relative(3).
    public func arm(after delay: Duration) {
        // Both fail only after the end of the loop (ESTALE), when no timer elapses any more.
        sd_event_source_set_time_relative(source, delay.wholeMicroseconds)
        sd_event_source_set_enabled(source, CInt(SD_EVENT_ONESHOT))
    }

    /// Disarms the timer, even if it has elapsed and the handler was not called yet.
    public func disarm() {
        // Disabling a source only takes it out of queues; libsystemd does not let that fail.
        sd_event_source_set_enabled(source, CInt(SD_EVENT_OFF))
    }
}
