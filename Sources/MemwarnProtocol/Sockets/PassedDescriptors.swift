internal import CLinux

/// Descriptors that the other end of a connection passes with what it sends (`SCM_RIGHTS`, unix(7)); no protocol here has a use
/// for them.
///
/// Those that are not taken the kernel closes in the thread that reads the packet, or that closes the connection with the packet
/// unread. The last close of a file may take tens of milliseconds, and a packet passes up to 253.
package enum PassedDescriptors {
    /// Has the kernel refuse them on a socket, and on the connections that a listening one gets from now on: the other end's
    /// call fails with `EPERM`.
    ///
    /// - Returns: Whether it has refused them all along, so that none can be in the queue. Before Linux 6.16 it never does.
    @discardableResult
    package static func refuse(on socket: CInt) -> Bool {
        var takes: CInt = 1
        var size = socklen_t(MemoryLayout.size(ofValue: takes))
        guard getsockopt(socket, SOL_SOCKET, option, &takes, &size) == 0 else { return false }
        if takes == 0 { return true }
        takes = 0
        setsockopt(socket, SOL_SOCKET, option, &takes, size)
        return false
    }

    /// Whether the next packet in the queue of a socket passes some.
    ///
    /// It stays there. Never blocks.
    package static func areNext(in socket: CInt) -> Bool { passes_descriptors(socket) }

    /// `SO_PASSRIGHTS`, which the C library does not know yet.
    private static let option: CInt = 83
}
