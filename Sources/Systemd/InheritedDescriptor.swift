internal import CLinux
internal import CSystemd

/// A descriptor that the service manager passed to this process: a socket of its units, or a descriptor that an earlier
/// run stored.
public struct InheritedDescriptor: Hashable, Sendable {
    /// The descriptor, close-on-exec.
    ///
    /// The caller has to close it; the path of a socket belongs to the manager.
    public let fd: CInt
    /// `FileDescriptorName=` of the socket unit, or the unit's name without it; the name under which it was stored; or
    /// `unknown` if the manager sent no name.
    ///
    /// Several descriptors may have the same name: all that one call of ``ServiceNotifier/store(name:descriptors:)``
    /// stored.
    public let name: String

    /// Whether it is an `AF_UNIX` socket of this type (`SOCK_SEQPACKET` or `SOCK_STREAM`, as a number) that listens.
    ///
    /// See sd_is_socket_unix(3).
    ///
    /// - Throws: ``SystemdError`` if the descriptor cannot be examined.
    public func isListeningUnixSocket(type: CInt) throws(SystemdError) -> Bool {
        try SystemdError.check(sd_is_socket_unix(fd, type, 1, nil, 0), "look at inherited file descriptor \(fd)") > 0
    }

    /// Whether it is an `AF_UNIX` socket of this type (`SOCK_SEQPACKET` or `SOCK_STREAM`, as a number) that does not listen.
    ///
    /// See sd_is_socket_unix(3).
    ///
    /// - Throws: ``SystemdError`` if the descriptor cannot be examined.
    public func isUnixConnection(type: CInt) throws(SystemdError) -> Bool {
        try SystemdError.check(sd_is_socket_unix(fd, type, 0, nil, 0), "look at inherited file descriptor \(fd)") > 0
    }

    /// Whether it is a file, as a stored ``MemoryFile`` is, and not a socket.
    ///
    /// - Throws: ``SystemdError`` if the descriptor cannot be examined.
    public func isFile() throws(SystemdError) -> Bool {
        var status = stat()
        guard fstat(fd, &status) == 0 else {
            throw SystemdError("look at inherited file descriptor \(fd)", errno: errno)
        }
        return status.st_mode & S_IFMT == S_IFREG
    }
}
