internal import CSystemd

/// The events of a file descriptor, with the numbers of epoll_ctl(2).
public struct IOEvents: OptionSet, Hashable, Sendable {
    /// The bits as epoll has them.
    public let rawValue: UInt32

    /// The events with these bits of epoll's.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A read or an accept would not block (`EPOLLIN`).
    ///
    /// On kernel pressure files it is always so: never wait for it there.
    public static let readable = Self(rawValue: EPOLLIN.rawValue)
    /// A write would not block (`EPOLLOUT`).
    public static let writable = Self(rawValue: EPOLLOUT.rawValue)
    /// A kernel file has news: a pressure trigger fired, `memory.events` changed (`EPOLLPRI`).
    public static let priority = Self(rawValue: EPOLLPRI.rawValue)
    /// The file is broken or, with ``priority`` on kernel files, gone or changed (`EPOLLERR`).
    ///
    /// Reported without being asked for.
    public static let error = Self(rawValue: EPOLLERR.rawValue)
    /// Both directions are closed (`EPOLLHUP`).
    ///
    /// Reported without being asked for.
    public static let hangUp = Self(rawValue: EPOLLHUP.rawValue)
    /// The peer will not send any more (`EPOLLRDHUP`).
    public static let peerHangUp = Self(rawValue: EPOLLRDHUP.rawValue)
}
