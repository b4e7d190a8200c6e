internal import CLinux
internal import CSystemd

/// The daemon's event loop: waits for events of its sources and calls their handlers, one at a time.
///
/// ``run()`` sleeps until a file descriptor is ready, a timer elapses or a signal arrives, and then calls the handler
/// of the most important pending source (see ``Priority``); among equals, of the source that has waited longest.
/// Without events it does not wake up at all.
///
/// ### Sources
///
/// The methods that add a source return a handle, and the source lives as long as its handle: keep the handle to stay
/// registered, drop it to unregister. The handle may be dropped at any time, even from inside its own handler;
/// afterwards the handler is not called again, not even for an event that was already pending.
///
/// The loop keeps a source's handler, and its captures, until the source is unregistered or the loop has ended: when
/// ``run()`` returns, at ``close()``, and when the loop is destroyed. So a handler may hold the owner of its own
/// handle; this owner then lives until the loop has ended, unless it drops its handles first.
///
/// Handlers cannot throw. A failure is handled where it happens; a failure that no code can handle ends the loop with
/// ``exit(code:)``.
///
/// ### Isolation
///
/// The loop, its sources and their handlers belong to one thread. A handler that blocks stops everything else.
public final class EventLoop {
    let event: OpaquePointer
    let handlers = Handlers()

    /// An event loop without sources: one epoll instance.
    ///
    /// - Throws: ``SystemdError`` if no file descriptor or memory is left.
    public init() throws(SystemdError) {
        var event: OpaquePointer?
        try SystemdError.check(sd_event_new(&event), "set up an event loop")
        guard let event else { throw SystemdError("set up an event loop", errno: ENOMEM) }
        self.event = event
    }

    // Sources hold references of their own to the sd_event, so handles may outlive the loop.
    deinit {
        handlers.letGo()
        sd_event_unref(event)
    }

    /// Calls handlers until one of them calls ``exit(code:)``, and returns that code.
    ///
    /// A loop runs once. After it has ended, its sources stay silent and their handlers are released. See
    /// sd_event_loop(3).
    ///
    /// - Throws: ``SystemdError`` if waiting fails (`ENOMEM`), the loop is running or has ended (`EBUSY`), or the
    ///   process has forked since (`ECHILD`).
    public func run() throws(SystemdError) -> CInt {
        let code = try SystemdError.check(sd_event_loop(event), "run the event loop")
        close()
        return code
    }

    /// Releases all handlers and their captures; for the end of a loop that has not run, or does not run any more.
    public func close() {
        handlers.letGo()
    }

    /// Waits for an event and calls its handlers, once; for tests that continue with the loop afterwards.
    func step() throws(SystemdError) {
        try SystemdError.check(sd_event_run(event, .max), "run the event loop")
    }

    /// Makes ``run()`` return `code` after the present handler has returned; no further handler is called.
    ///
    /// If it is called several times, the last code counts. If it is called before ``run()``, that returns at once;
    /// after ``run()``, it has no effect.
    ///
    /// - Precondition: `code` is not negative.
    public func exit(code: CInt) {
        guard code >= 0 else { trap("an exit code is not negative: \(code)") }
        // Fails only with ESTALE: the loop has ended already.
        sd_event_exit(event, code)
    }

    /// The time when the loop last looked for events: `CLOCK_MONOTONIC`, the time since boot without suspension, in
    /// whole microseconds.
    ///
    /// That is right before each handler. It does not change while the handler runs, and timers are armed relative to
    /// it. Costs no system call. Before ``run()`` it is the present time. See sd_event_now(3).
    public var now: Duration {
        var microseconds: UInt64 = 0
        let result = sd_event_now(event, CLOCK_MONOTONIC, &microseconds)
        // The clock is a constant that is always supported; the only other error is that of a forked child, which must
        // not continue.
        guard result >= 0 else { trap("the event loop was used in a forked child") }
        return Duration(wholeMicroseconds: microseconds)
    }
}
