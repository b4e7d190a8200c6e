internal import CLinux
internal import CSystemd

/// A descriptor that the service manager passed to this process: a socket of its units, or what an earlier run stored.
public struct InheritedDescriptor: Hashable, Sendable {
    /// The descriptor, close-on-exec.
    ///
    /// Its new owner closes it; the path of a socket stays the manager's.
    public let fd: CInt
    /// `FileDescriptorName=` of the socket unit, its name if it has none; the name it was stored with; or `unknown` if
    /// the manager did not say.
    ///
    /// Several may have the same: all that ``ServiceNotifier/store(name:descriptors:)`` stored in one call.
    public let name: String

    /// Whether it is an `AF_UNIX` socket of this type (`SOCK_SEQPACKET` or `SOCK_STREAM`, as a number) that listens.
    ///
    /// See sd_is_socket_unix(3).
    ///
    /// - Throws: ``SystemdError`` if the descriptor cannot be looked at.
    public func isListeningUnixSocket(type: CInt) throws(SystemdError) -> Bool {
        try SystemdError.check(sd_is_socket_unix(fd, type, 1, nil, 0), "look at inherited file descriptor \(fd)") > 0
    }

    /// Whether it is an `AF_UNIX` socket of this type (`SOCK_SEQPACKET` or `SOCK_STREAM`, as a number) that does not listen.
    ///
    /// See sd_is_socket_unix(3).
    ///
    /// - Throws: ``SystemdError`` if the descriptor cannot be looked at.
    public func isUnixConnection(type: CInt) throws(SystemdError) -> Bool {
        try SystemdError.check(sd_is_socket_unix(fd, type, 0, nil, 0), "look at inherited file descriptor \(fd)") > 0
    }

    /// Whether it is a file and no socket, as a stored ``MemoryFile`` is.
    ///
    /// - Throws: ``SystemdError`` if the descriptor cannot be looked at.
    public func isFile() throws(SystemdError) -> Bool {
        var status = stat()
        guard fstat(fd, &status) == 0 else {
            throw SystemdError("look at inherited file descriptor \(fd)", errno: errno)
        }
        return status.st_mode & S_IFMT == S_IFREG
    }
}
