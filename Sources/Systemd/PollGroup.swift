internal import CLinux
internal import CSystemd

/// Many file descriptors behind one source of an ``EventLoop``: an epoll instance inside the loop's own.
///
/// sd-event polls the kernel again after each handler, and gets every descriptor that is ready each time. With a source
/// for each, ten thousand peers that write at once are reported fifty million times, which takes seconds; from here
/// they come in turns, and each costs one report and no event source. Between turns more important sources have theirs.
public final class PollGroup {
    /// For so long descriptors are reported before the loop looks for something more important.
    public static let turn = Duration.milliseconds(1)
    /// The maximum number of them in a turn.
    private static let batch = 64
    private let epoll: CInt
    private var source: IOSource?

    /// What a member is ready for.
    public enum Event: Sendable {
        /// It can be read, or has an error.
        case readable
        /// Its other end is closed, whatever may be read from it yet.
        case hungUp
        /// It takes data again, after ``awaitRoom(_:)``.
        case writable
    }

    /// Calls `handler` with each member that is readable, has an error or has hung up, as often and as long as it is; and
    /// once with each that takes data again, after ``awaitRoom(_:)``.
    ///
    /// Keeps `handler` until the group goes or the loop has ended. A member that was removed by a handler may still be
    /// reported once, if it was ready in the same batch.
    ///
    /// - Throws: ``SystemdError`` if no descriptor or memory is left.
    public init(on loop: EventLoop, handler: @escaping (CInt, Event) -> Void) throws(SystemdError) {
        let epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemdError("make a poll group", errno: errno) }
        self.epoll = epoll
        source = try loop.watch(epoll, for: .readable) { _ in Self.report(epoll, to: handler) }
    }

    deinit {
        source = nil
        close(epoll)
    }

    /// Adds a descriptor, which stays the caller's.
    ///
    /// - Throws: ``SystemdError``: `EEXIST`, `EPERM`, `ENOMEM`, `ENOSPC` as of epoll_ctl(2).
    public func add(_ fd: CInt) throws(SystemdError) {
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: fd))
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 else {
            throw SystemdError("watch file descriptor \(fd)", errno: errno)
        }
    }

    /// Removes a descriptor; **before it is closed**.
    public func remove(_ fd: CInt) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, fd, nil)
    }

    /// Reports a member once as writable, when it takes data; until then as readable only if `isRead`.
    public func awaitRoom(_ fd: CInt, isRead: Bool = true) {
        Self.change(epoll, fd, EPOLLOUT.rawValue | (isRead ? EPOLLIN.rawValue : 0))
    }

    /// Reports of a member no more than that its other end is closed, until ``resume(_:)``.
    public func pause(_ fd: CInt) {
        Self.change(epoll, fd, 0)
    }

    /// Reports a member as readable again.
    public func resume(_ fd: CInt) {
        Self.change(epoll, fd, EPOLLIN.rawValue)
    }

    private static func change(_ epoll: CInt, _ fd: CInt, _ events: UInt32) {
        var event = epoll_event(events: events, data: epoll_data_t(fd: fd))
        epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event)
    }

    private static func report(_ epoll: CInt, to handler: (CInt, Event) -> Void) {
        let start = Duration.sinceBoot
        withUnsafeTemporaryAllocation(of: CInt.self, capacity: batch) { reported in
            var event = epoll_event()
            for count in 0..<batch {
                // One at a time: the kernel puts what it reports at the end of its queue, and of several the last would wait
                // for ever behind the first if these take the whole turn again and again.
                guard epoll_wait(epoll, &event, 1, 0) == 1 else { return }
                let (ready, fd) = (event.events, event.data.fd)
                // All have been reported that were ready.
                if reported[..<count].contains(fd) { return }
                reported.initializeElement(at: count, to: fd)
                if ready & EPOLLHUP.rawValue != 0 {
                    handler(fd, .hungUp)
                } else {
                    if ready & EPOLLOUT.rawValue != 0 {
                        change(epoll, fd, EPOLLIN.rawValue)
                        handler(fd, .writable)
                    }
                    if ready & ~EPOLLOUT.rawValue != 0 { handler(fd, .readable) }
                }
                if Duration.sinceBoot - start >= turn { return }
            }
        }
    }
}
