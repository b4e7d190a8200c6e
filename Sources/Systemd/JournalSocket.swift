internal import CLinux

/// The socket by which the journal receives structured entries.
///
/// sd_journal_sendv(3) is not used: its socket blocks, and so does the call while the journal's queue is full, which
/// happens when the disk is slow and the machine short of memory.
final class JournalSocket {
    /// The socket of journald.
    static let path = "/run/systemd/journal/socket"

    private let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    private var address = sockaddr_un()

    /// A sender to this path, whether a process listens there now or later; a path too long for an address is cut.
    init(path: String) {
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sends an entry; never blocks.
    ///
    /// The socket is not connected, so that it reaches a restarted journald.
    ///
    /// - Returns: `false` if the queue is full. If no process listens, or the entry is larger than a datagram can be,
    ///   it is dropped, and the result is `true`.
    func send(_ bytes: [UInt8]) -> Bool {
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let sent = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL), $0, size)
            }
        }
        return sent >= 0 || !(errno == EAGAIN || errno == ENOBUFS)
    }
}
