internal import CLinux

/// Descriptors that the peer of a connection passes with its data (`SCM_RIGHTS`, unix(7)); no protocol here uses them.
///
/// The kernel closes descriptors that are not received, in the thread that reads the packet or that closes the
/// connection with the packet unread. The last close of a file may take tens of milliseconds, and a packet passes up to
/// 253.
package enum PassedDescriptors {
    /// Makes the kernel refuse them on a socket, and on the future connections of a listening socket: the peer's call
    /// fails with `EPERM`.
    ///
    /// - Returns: Whether the kernel has refused them from the start, so that none can be in the queue. Always `false`
    ///   before Linux 6.16.
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

    /// Whether the next packet in the queue of a socket passes descriptors.
    ///
    /// The packet stays in the queue. Never blocks.
    package static func areNext(in socket: CInt) -> Bool { passes_descriptors(socket) }

    /// `SO_PASSRIGHTS`, which the C library does not define yet.
    private static let option: CInt = 83
}
