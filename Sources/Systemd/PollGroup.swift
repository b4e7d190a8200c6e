internal import CLinux
internal import CSystemd

/// Many file descriptors behind one source of an ``EventLoop``: an epoll instance nested in the loop's own.
///
/// sd-event polls the kernel again after each handler, and receives every ready descriptor each time. With a source for
/// each, ten thousand peers that write at once are reported fifty million times, which takes seconds. A group reports
/// them in turns; each costs one report and no event source. Between turns, more important sources are served.
public final class PollGroup {
    /// The duration of a turn, after which the loop looks for more important sources.
    public static let turn = Duration.milliseconds(1)
    /// The maximum number of descriptors in a turn.
    private static let batch = 64
    private let epoll: CInt
    private var source: IOSource?

    /// The event of a member.
    public enum Event: Sendable {
        /// It can be read, or has an error.
        case readable
        /// Its other end is closed, even if there is still data to read.
        case hungUp
        /// It accepts data again, after ``awaitRoom(_:)``.
        case writable
    }

    /// Calls `handler` with each member that is readable, has an error or has hung up, repeatedly as long as it is; and
    /// once with each that accepts data again, after ``awaitRoom(_:)``.
    ///
    /// Keeps `handler` until the group is destroyed or the loop has ended. A member that a handler has removed may
    /// still be reported once, if it was ready in the same batch.
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

    /// Adds a descriptor, which the caller keeps.
    ///
    /// - Throws: ``SystemdError``: `EEXIST`, `EPERM`, `ENOMEM`, `ENOSPC`, as for epoll_ctl(2).
    public func add(_ fd: CInt) throws(SystemdError) {
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: fd))
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 else {
            throw SystemdError("watch file descriptor \(fd)", errno: errno)
        }
    }

    /// Removes a descriptor; call it **before closing the descriptor**.
    public func remove(_ fd: CInt) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, fd, nil)
    }

    /// Reports a member once as writable, when it accepts data; until then as readable only if `isRead`.
    public func awaitRoom(_ fd: CInt, isRead: Bool = true) {
        Self.change(epoll, fd, EPOLLOUT.rawValue | (isRead ? EPOLLIN.rawValue : 0))
    }

    /// Reports only that a member's other end is closed, until ``resume(_:)``.
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
                // One at a time: the kernel moves each descriptor that it reports to the end of its queue. If several
                // were read at once, those that fill the turn again and again would keep the last ones waiting for
                // ever.
                guard epoll_wait(epoll, &event, 1, 0) == 1 else { return }
                let (ready, fd) = (event.events, event.data.fd)
                // All ready descriptors have been reported.
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
