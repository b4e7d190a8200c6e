internal import CLinux
internal import CSystemd

extension ServiceNotifier {
    /// The maximum number of descriptors that one call can store: 253, the kernel's limit for a message.
    public static let storeLimit = memwarnd_descriptor_limit

    /// Gives the service manager duplicates of descriptors to keep over a restart of the service (`FDSTORE=1`).
    ///
    /// After the restart, ``SocketActivation/inheritedSockets()`` returns them, in any order, all with this name. The
    /// unit needs `FileDescriptorStoreMax=`; without it the manager closes the descriptors. The manager drops
    /// descriptors that hang up, so a connection whose peer has closed is not kept.
    ///
    /// The caller's descriptors stay the caller's, and may be closed at once. For its peer, a connection stays open as
    /// long as a duplicate does: to end it, call shutdown(2). See sd_pid_notify_with_fds(3).
    ///
    /// - Throws: ``SystemdError``: `ENOBUFS` if too many notices wait already, `EBADF` or `EMFILE` if a descriptor
    ///   cannot be duplicated, or if there is no manager at its socket (`ENOENT`, `ECONNREFUSED`, `EACCES`). Nothing is
    ///   stored then, and the caller may try again.
    /// - Precondition: The name has 1 to 255 characters of printable ASCII without `:`, and there are 1 to
    ///   ``storeLimit`` descriptors.
    public func store(name: String, descriptors: [CInt]) throws(SystemdError) {
        guard (1...Self.storeLimit).contains(descriptors.count) else {
            trap("not 1 to 253 descriptors: \(descriptors.count)")
        }
        Self.checkName(name)
        try notify(.store(name: name, HeldDescriptors(duplicating: descriptors)))
    }

    /// Makes the service manager close all descriptors that it keeps under this name (`FDSTOREREMOVE=1`).
    ///
    /// Descriptors that still wait to be stored are stored first. A name without descriptors need not be removed.
    ///
    /// - Throws: ``SystemdError``: `ENOBUFS` if twice as many notices wait as stores may, or if there is no manager at
    ///   its socket (`ENOENT`, `ECONNREFUSED`, `EACCES`).
    /// - Precondition: The name has 1 to 255 characters of printable ASCII without `:`.
    public func removeStored(name: String) throws(SystemdError) {
        Self.checkName(name)
        try notify(.removal(name: name))
    }

    /// Whether descriptors can be stored under this name: 1 to 255 characters of printable ASCII without `:`.
    public static func isStoreName(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: ":") }
    }

    /// The manager would store descriptors with other names under the name `stored`, and the next start would not find
    /// them.
    private static func checkName(_ name: String) {
        guard isStoreName(name) else { trap("not a name for stored descriptors: \(name)") }
    }
}
