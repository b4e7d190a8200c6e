internal import CLinux
internal import CSystemd

extension EventLoop {
    /// Calls `handler` with the ready events of `fd`, repeatedly as long as it is ready (level triggered).
    ///
    /// The ready events may include ``IOEvents/error`` and ``IOEvents/hangUp``, requested or not: the kernel always
    /// reports them. A handler that ignores them is called endlessly; it has to drop or disable the source. See
    /// sd_event_add_io(3).
    ///
    /// `fd` stays the caller's, and can be watched only once per loop. **Drop the source before closing the
    /// descriptor**: epoll watches the open file behind it. If the file stays open in a duplicate, epoll continues to
    /// report events for a source that no longer exists.
    ///
    /// - Throws: ``SystemdError``: `EEXIST` if `fd` is being watched already, `EPERM` if it cannot be polled (a regular
    ///   file), `EBADF`, `ENOMEM`, `ENOSPC` (`fs.epoll.max_user_watches`). The handler is released then.
    public func watch(
        _ fd: CInt,
        for events: IOEvents,
        priority: Priority = .normal,
        handler: @escaping (IOEvents) -> Void
    ) throws(SystemdError) -> IOSource {
        let source = try add("watch file descriptor \(fd)", priority, handler) { source, userdata in
            sd_event_add_io(
                event,
                source,
                fd,
                events.rawValue,
                { _, _, ready, userdata in
                    Handler<IOEvents>.call(userdata, IOEvents(rawValue: ready))
                    return 0
                },
                userdata
            )
        }
        return IOSource(source, fd: fd)
    }

    /// A timer that is not armed yet; `handler` is called once each time it elapses.
    ///
    /// The clock is `CLOCK_MONOTONIC`, which stops while the machine is suspended. The timer may elapse late by up to
    /// `accuracy`, at least 1 µs, so that it can share a wake-up with others. See sd_event_add_time(3).
    ///
    /// - Throws: ``SystemdError`` if no file descriptor or memory is left. The handler is released then.
    public func timer(
        accuracy: Duration,
        priority: Priority = .normal,
        handler: @escaping () -> Void
    ) throws(SystemdError) -> TimerSource {
        let source = try add("make a timer", priority, handler) { source, userdata in
            sd_event_add_time(
                event,
                source,
                CLOCK_MONOTONIC,
                // All ones stands for "never", until the timer is armed.
                .max,
                // To sd-event, 0 means its default of a quarter of a second.
                max(1, accuracy.wholeMicroseconds),
                { _, _, userdata in
                    Handler<Void>.call(userdata, ())
                    return 0
                },
                userdata
            )
        }
        return TimerSource(source)
    }

    /// Calls `handler` for each arrival of a signal, from the loop and not from a signal handler, so it may call any
    /// function.
    ///
    /// Blocks the signal in the calling thread, unless it is blocked already, and unblocks it when the source is
    /// dropped. A process with more threads has to block it in the others itself. Several arrivals before the handler
    /// runs are reported as one. See sd_event_add_signal(3).
    ///
    /// - Throws: ``SystemdError``: `EBUSY` if the loop has a source for this signal already, `EINVAL` if there is no
    ///   such signal, or if no file descriptor or memory is left. The handler is released then.
    public func signal(
        _ number: CInt,
        priority: Priority = .normal,
        handler: @escaping () -> Void
    ) throws(SystemdError) -> EventSource {
        let source = try add("wait for signal \(number)", priority, handler) { source, userdata in
            sd_event_add_signal(
                event,
                source,
                number | CInt(SD_EVENT_SIGNAL_PROCMASK),
                { _, _, userdata in
                    Handler<Void>.call(userdata, ())
                    return 0
                },
                userdata
            )
        }
        return EventSource(source)
    }

    /// Deferred work: after ``DeferredSource/schedule()``, `handler` is called once when no more important source is
    /// pending.
    ///
    /// With the default priority ``Priority/idle`` it runs after the handlers of all events that are pending then, so
    /// it suits work that can wait, like logging. Work that schedules itself again runs before all other sources of its
    /// own priority each time; if these matter, use a timer that is armed with zero. See sd_event_add_defer(3).
    ///
    /// - Throws: ``SystemdError`` if no memory is left. The handler is released then.
    public func deferred(
        priority: Priority = .idle,
        handler: @escaping () -> Void
    ) throws(SystemdError) -> DeferredSource {
        let source = try add("defer work", priority, handler) { source, userdata in
            sd_event_add_defer(
                event,
                source,
                { _, userdata in
                    Handler<Void>.call(userdata, ())
                    return 0
                },
                userdata
            )
        }
        return DeferredSource(source)
    }

    /// Adds a source by calling `register` and gives it the handler, which the handle made from the result has to keep.
    private func add<Event>(
        _ operation: @autoclosure () -> String,
        _ priority: Priority,
        _ body: @escaping (Event) -> Void,
        _ register: (UnsafeMutablePointer<OpaquePointer?>, UnsafeMutableRawPointer) -> CInt
    ) throws(SystemdError) -> AddedSource {
        let handler = Handler(body)
        var added: OpaquePointer?
        let result = register(&added, handler.userdata)
        guard result >= 0, let source = added else { throw SystemdError(operation(), errno: -result) }
        handlers.add(handler)
        // Cannot fail for a source that was just added: it only stores its arguments.
        sd_event_source_set_priority(source, priority.rawValue)
        return AddedSource(source: source, handler: handler, handlers: handlers)
    }
}
