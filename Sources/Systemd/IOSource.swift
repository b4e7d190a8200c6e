internal import CSystemd

/// The handle of a watched file descriptor; dropping it ends the watch and leaves the descriptor open.
///
/// Drop it before closing the descriptor; ``EventLoop/watch(_:for:priority:handler:)`` gives the reason.
public final class IOSource: EventSource {
    /// The descriptor that is watched.
    public let fd: CInt

    init(_ added: AddedSource, fd: CInt) {
        self.fd = fd
        super.init(added)
    }

    /// Changes the events to wait for; pending events are dropped and polled again.
    ///
    /// An empty set still reports ``IOEvents/error`` and ``IOEvents/hangUp``; ``disable()`` turns them off too. Costs a
    /// system call if the events differ from the present ones. See sd_event_source_set_io_events(3).
    ///
    /// - Throws: ``SystemdError`` if the descriptor was closed (`EBADF`, `ENOENT`) or the loop has ended (`ESTALE`).
    public func setEvents(_ events: IOEvents) throws(SystemdError) {
        try SystemdError.check(
            sd_event_source_set_io_events(source, events.rawValue),
            "change what is awaited on file descriptor \(fd)"
        )
    }

    /// Stops all reports, including ``IOEvents/error`` and ``IOEvents/hangUp``, until ``enable()``.
    public func disable() {
        // Disabling a source only takes it out of queues and epoll; libsystemd does not let that fail.
        sd_event_source_set_enabled(source, CInt(SD_EVENT_OFF))
    }

    /// Reports the next ready events, and then nothing until ``enable()``.
    func reportOnce() {
        // Fails only after the end of the loop (ESTALE), when there are no reports any more.
        sd_event_source_set_enabled(source, CInt(SD_EVENT_ONESHOT))
    }

    /// Continues after ``disable()``; events that are ready at that time are reported.
    ///
    /// Does nothing if it was not disabled. See sd_event_source_set_enabled(3).
    ///
    /// - Throws: ``SystemdError`` if the descriptor cannot be watched again: `EBADF` if it was closed, `ENOMEM`,
    ///   `ENOSPC` (`fs.epoll.max_user_watches`), or `ESTALE` if the loop has ended.
    public func enable() throws(SystemdError) {
        try SystemdError.check(
            sd_event_source_set_enabled(source, CInt(SD_EVENT_ON)),
            "watch file descriptor \(fd) again"
        )
    }
}
