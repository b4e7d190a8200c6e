internal import CSystemd

/// The events of a file descriptor, with the numbers of epoll_ctl(2).
public struct IOEvents: OptionSet, Hashable, Sendable {
    /// The bits in the form of epoll.
    public let rawValue: UInt32

    /// The events of these epoll bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A read or an accept would not block (`EPOLLIN`).
    ///
    /// Kernel pressure files are always readable: never wait for it on them.
    public static let readable = Self(rawValue: EPOLLIN.rawValue)
    /// A write would not block (`EPOLLOUT`).
    public static let writable = Self(rawValue: EPOLLOUT.rawValue)
    /// A kernel file has changed: a pressure trigger fired, or `memory.events` changed (`EPOLLPRI`).
    public static let priority = Self(rawValue: EPOLLPRI.rawValue)
    /// The file is broken or, with ``priority`` on kernel files, gone or changed (`EPOLLERR`).
    ///
    /// Always reported.
    public static let error = Self(rawValue: EPOLLERR.rawValue)
    /// Both directions are closed (`EPOLLHUP`).
    ///
    /// Always reported.
    public static let hangUp = Self(rawValue: EPOLLHUP.rawValue)
    /// The peer will not send any more (`EPOLLRDHUP`).
    public static let peerHangUp = Self(rawValue: EPOLLRDHUP.rawValue)
}
