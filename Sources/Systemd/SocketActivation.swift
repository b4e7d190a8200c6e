internal import CSystemd
internal import Glibc

/// A socket that the service manager opened for this process.
public struct InheritedSocket: Hashable, Sendable {
    /// The descriptor, close-on-exec.
    ///
    /// Whoever takes it closes it; the path of a socket stays the manager's.
    public let fd: CInt
    /// `FileDescriptorName=` of the socket unit, its name if it has none, or `unknown` if the manager did not say.
    public let name: String

    /// Whether it is an `AF_UNIX` socket of this type (`SOCK_SEQPACKET`, as a number) that listens.
    ///
    /// See sd_is_socket_unix(3).
    ///
    /// - Throws: ``SystemdError`` if the descriptor cannot be looked at.
    public func isListeningUnixSocket(type: CInt) throws(SystemdError) -> Bool {
        try SystemdError.check(sd_is_socket_unix(fd, type, 1, nil, 0), "look at inherited file descriptor \(fd)") > 0
    }
}

/// What the service manager hands to a process that it starts for a socket unit.
public enum SocketActivation {
    /// Takes over the sockets that were passed to this process; a second call finds none.
    ///
    /// Marks them close-on-exec, and removes `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES` from the environment so
    /// that no child takes them for its own. Where `LISTEN_PID` is missing or names another process, there are none.
    ///
    /// Call it before anything else opens files, and before there are other threads: it changes the environment. See
    /// sd_listen_fds_with_names(3).
    ///
    /// - Returns: The sockets: those of one unit in its order, the units in any.
    /// - Throws: ``SystemdError`` if the variables cannot be read or contradict each other (`EINVAL`), or a descriptor
    ///   that they promise is not open (`EBADF`).
    public static func inheritedSockets() throws(SystemdError) -> [InheritedSocket] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = try SystemdError.check(sd_listen_fds_with_names(1, &names), "take over the inherited sockets")
        defer { free(names) }
        return (0..<count).map { index in
            let name = names?[Int(index)]
            defer { free(name) }
            return InheritedSocket(fd: SD_LISTEN_FDS_START + index, name: name.map { String(cString: $0) } ?? "unknown")
        }
    }
}
