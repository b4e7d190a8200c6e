internal import CLinux
internal import CSystemd

/// Many file descriptors behind one source of an ``EventLoop``: an epoll instance nested in the loop's own.
///
/// sd-event polls the kernel again after each handler, and receives every ready descriptor each time. With a source for
/// each, ten thousand peers that write at once are reported fifty million times, which takes seconds. A group reports
/// them in turns; each costs one report and no event source. Between turns, more important sources are served. Within
/// turns the accounts of the members alternate, and in an account its users (``FairQueue``).
public final class PollGroup {
    /// The duration of a turn, after which the loop looks for more important sources.
    public static let turn = Duration.milliseconds(1)
    /// The maximum number of descriptors in a turn.
    private static let batch = 64
    /// How long a member that becomes ready may wait until the group notices it, unless asking the kernel takes longer
    /// than a tenth of that: it takes one or two milliseconds if ten thousand members are ready.
    private static let noticing = Duration.milliseconds(5)
    private static let longestNoticing = Duration.milliseconds(20)
    private let epoll: CInt
    private let line = Line()
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

    /// The ready members, and when the kernel is to be asked for others although some wait.
    private final class Line {
        var ready = FairQueue()
        var asks = Duration.zero
    }

    /// Calls `handler` with each member that is readable, has an error or has hung up, repeatedly as long as it is; and
    /// once with each that accepts data again, after ``awaitRoom(_:)``.
    ///
    /// Members of different owners alternate, so an account with many members does not delay the others: `owner` is
    /// called with each member that becomes ready.
    ///
    /// Keeps the closures until the group is destroyed or the loop has ended.
    ///
    /// - Throws: ``SystemdError`` if no descriptor or memory is left.
    public init(
        on loop: EventLoop,
        owner: @escaping (CInt) -> FairQueue.Owner = { _ in FairQueue.Owner(account: 0, user: 0) },
        handler: @escaping (CInt, Event) -> Void
    ) throws(SystemdError) {
        let epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemdError("make a poll group", errno: errno) }
        self.epoll = epoll
        source = try loop.watch(epoll, for: .readable) { [line] _ in
            Self.report(epoll, line, owner: owner, to: handler)
        }
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
        line.ready.remove(fd)
        epoll_ctl(epoll, EPOLL_CTL_DEL, fd, nil)
    }

    /// Reports a member once as writable, when it accepts data; until then as readable only if `isRead`.
    public func awaitRoom(_ fd: CInt, isRead: Bool = true) {
        line.ready.drop(fd)
        Self.change(epoll, fd, EPOLLOUT.rawValue | (isRead ? EPOLLIN.rawValue : 0))
    }

    /// Reports only that a member's other end is closed, until ``resume(_:)``.
    public func pause(_ fd: CInt) {
        line.ready.drop(fd)
        Self.change(epoll, fd, 0)
    }

    /// Reports a member as readable again.
    public func resume(_ fd: CInt) {
        line.ready.drop(fd)
        Self.change(epoll, fd, EPOLLIN.rawValue)
    }

    /// Gives up the room for members that are ready, unless some are.
    public func shrink() { line.ready.shrink() }

    private static func change(_ epoll: CInt, _ fd: CInt, _ events: UInt32) {
        var event = epoll_event(events: events, data: epoll_data_t(fd: fd))
        epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event)
    }

    private static func report(
        _ epoll: CInt,
        _ line: Line,
        owner: (CInt) -> FairQueue.Owner,
        to handler: (CInt, Event) -> Void
    ) {
        let start = Duration.sinceBoot
        if line.ready.isEmpty || start >= line.asks {
            ask(epoll, line, owner: owner)
            let end = Duration.sinceBoot
            line.asks = end + min(max(noticing, (end - start) * 10), longestNoticing)
        }
        for _ in 0..<batch {
            guard let (fd, ready) = line.ready.next() else { return }
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

    /// Notes all members that are ready.
    private static func ask(_ epoll: CInt, _ line: Line, owner: (CInt) -> FairQueue.Owner) {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: batch) { events in
            var first: CInt?
            // Far more members than a process has descriptors.
            for _ in 0..<100_000 {
                let count = Int(epoll_wait(epoll, events.baseAddress, CInt(batch), 0))
                for event in events.prefix(max(0, count)) {
                    // The kernel moves each descriptor that it reports to the end of its queue: this was the last one.
                    if event.data.fd == first { return }
                    if first == nil { first = event.data.fd }
                    let fd = event.data.fd
                    if !line.ready.renew(event.events, of: fd) {
                        line.ready.join(fd, event.events, of: owner(fd))
                    }
                }
                if count < batch { return }
            }
        }
    }
}
