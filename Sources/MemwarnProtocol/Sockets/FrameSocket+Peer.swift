internal import CLinux
package import MemoryPressure

extension FrameSocket {
    /// The process at the other end of a connection, as the kernel recorded it at the time of connecting.
    package struct Peer: Hashable, Sendable {
        /// The process.
        package var pid: UInt32
        /// Its effective user.
        package var uid: UInt32
    }
}

extension FrameSocket.Peer {
    // struct ucred, which the C library declares only with _GNU_SOURCE.
    private typealias Credentials = (pid: pid_t, uid: uid_t, gid: gid_t)

    /// Reads the process at the other end of a connected `AF_UNIX` socket of any type (`SO_PEERCRED`, unix(7)).
    ///
    /// - Throws: ``KernelError`` of getsockopt(2).
    package init(connectedTo descriptor: CInt) throws(KernelError) {
        let credentials = try Self.credentials(of: descriptor)
        self.init(pid: UInt32(bitPattern: credentials.pid), uid: credentials.uid)
    }

    /// The groups of the process at the other end: the effective one, then the supplementary ones.
    ///
    /// - Throws: ``KernelError`` of getsockopt(2).
    package static func groups(connectedTo descriptor: CInt) throws(KernelError) -> [UInt32] {
        let credentials = try credentials(of: descriptor)
        var groups = [gid_t](repeating: 0, count: 64)
        var size = socklen_t(groups.count * MemoryLayout<gid_t>.size)
        var result = getsockopt(descriptor, SOL_SOCKET, CInt(SO_PEERGROUPS), &groups, &size)
        if result != 0, errno == ERANGE {
            // The first call returned the required size. The groups cannot change: they are those at the time of
            // connecting.
            groups = [gid_t](repeating: 0, count: Int(size) / MemoryLayout<gid_t>.size)
            result = getsockopt(descriptor, SOL_SOCKET, CInt(SO_PEERGROUPS), &groups, &size)
        }
        guard result == 0 else { throw KernelError("read the groups of", "the peer", errno: errno) }
        return [credentials.gid] + groups.prefix(Int(size) / MemoryLayout<gid_t>.size)
    }

    private static func credentials(of descriptor: CInt) throws(KernelError) -> Credentials {
        var credentials: Credentials = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else {
            throw KernelError("read the credentials of", "the peer", errno: errno)
        }
        return credentials
    }
}
