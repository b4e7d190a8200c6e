internal import CLinux
internal import CSystemd

/// The descriptors that the service manager passes to a process that it starts: the sockets of its units, and its
/// store.
public enum SocketActivation {
    /// Takes ownership of the descriptors that were passed to this process; a second call finds none.
    ///
    /// Marks them close-on-exec, and removes `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES` from the environment, so
    /// that no child uses them. If `LISTEN_PID` is missing or names another process, there are none.
    ///
    /// Call it before other code opens files, and before there are other threads: it changes the environment. See
    /// sd_listen_fds_with_names(3).
    ///
    /// - Returns: The sockets, those of one unit in its order, and the units in any order; and the descriptors that
    ///   ``ServiceNotifier/store(name:descriptors:)`` stored before the restart of the service, in any order.
    /// - Throws: ``SystemdError`` if the variables are invalid or contradict each other (`EINVAL`), or a descriptor
    ///   that they name is not open (`EBADF`).
    public static func inheritedSockets() throws(SystemdError) -> [InheritedDescriptor] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = try SystemdError.check(sd_listen_fds_with_names(1, &names), "take over the inherited sockets")
        defer { free(names) }
        return (0..<count).map { index in
            let name = names?[Int(index)]
            defer { free(name) }
            return InheritedDescriptor(
                fd: SD_LISTEN_FDS_START + index,
                name: name.map { String(cString: $0) } ?? "unknown"
            )
        }
    }
}
