internal import CLinux
internal import CSystemd

/// The datagram socket to the service manager; no call blocks, except ``wait(after:atMost:)``.
///
/// It is connected, since an unconnected socket would always poll as writable, even while the manager's queue is full.
final class NotifySocket {
    enum Outcome: Equatable {
        case sent
        /// The manager's queue is full; the socket polls as writable when there is room again.
        case full
        /// The kernel is short of memory, or the manager has too many unread descriptors; no event reports the end of
        /// that.
        case short
        case failed(errno: CInt)
    }

    /// The address in the form of `$NOTIFY_SOCKET`: `/path` or `@abstract`.
    let name: String
    let fd: CInt
    private var isConnected = false

    /// A socket that connects when a notice is sent.
    ///
    /// - Throws: ``SystemdError`` if the address is invalid (`EAFNOSUPPORT`, `ENAMETOOLONG`) or no descriptor is left.
    init(name: String) throws(SystemdError) {
        let operation = "notify the service manager at \(name)"
        guard name.hasPrefix("/") || name.hasPrefix("@") else { throw SystemdError(operation, errno: EAFNOSUPPORT) }
        guard name.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            throw SystemdError(operation, errno: ENAMETOOLONG)
        }
        let fd = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard fd >= 0 else { throw SystemdError(operation, errno: errno) }
        self.name = name
        self.fd = fd
    }

    deinit {
        close(fd)
    }

    func send(_ notice: Notice) -> Outcome {
        // A restarted manager has another socket at the old path: a failed send is repeated once, with a new
        // connection.
        for _ in 0..<2 {
            if !isConnected, let failure = connect() { return .failed(errno: failure) }
            let result = transmit(Array(notice.text.utf8), notice.descriptors)
            switch result {
            case 0: return .sent
            case EAGAIN: return .full
            case ENOBUFS, ENOMEM, ETOOMANYREFS: return .short
            case ECONNREFUSED, ENOTCONN: isConnected = false
            default: return .failed(errno: result)
            }
        }
        return .failed(errno: ECONNREFUSED)
    }

    /// Blocks until sending may succeed after ``Outcome/full`` or ``Outcome/short``, or the time is over.
    func wait(after outcome: Outcome, atMost limit: Duration) {
        let milliseconds = CInt(clamping: (limit.wholeMicroseconds + 999) / 1000)
        if outcome == .full {
            var request = pollfd(fd: fd, events: Int16(POLLOUT))
            poll(&request, 1, milliseconds)
        } else {
            // No event reports free memory.
            poll(nil, 0, min(milliseconds, 10))
        }
    }

    /// - Returns: 0, or the errno.
    private func transmit(_ bytes: [UInt8], _ descriptors: [CInt]) -> CInt {
        while memwarnd_send(fd, bytes, bytes.count, descriptors, descriptors.count, Self.flags) < 0 {
            guard errno == EINTR else { return errno }
        }
        return 0
    }

    private static let flags = CInt(MSG_DONTWAIT | MSG_NOSIGNAL)

    /// - Returns: The errno if it failed.
    private func connect() -> CInt? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        // An abstract name begins with a NUL and does not end with one; a path does.
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 } else { bytes.append(0) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { CLinux.connect(fd, $0, length) }
        }
        guard result == 0 else { return errno }
        isConnected = true
        return nil
    }
}
