import CLinux
import MemoryPressure
import MemwarnProtocol

/// The process that made a connection, held so that data read by its pid cannot come from a later process with that
/// pid.
///
/// It is held only during the reads. A second descriptor for the lifetime of each host would halve the possible number
/// of hosts, and the end of the connection shows the end of the process anyway.
struct ConnectedProcess: ~Copyable {
    private let handle: Handle

    private enum Handle: ~Copyable {
        /// A pidfd, which becomes readable when the process ends.
        case pidfd(Descriptor)
        /// Its directory in `/proc`, which is empty after the process has ended, even if another process has the pid.
        case directory(Descriptor)
    }

    /// Holds the process that connected.
    ///
    /// - Throws: ``KernelError`` if it has ended or cannot be held, among others for lack of descriptors.
    init(connectedTo connection: CInt, pid: UInt32) throws(KernelError) {
        var raw: CInt = -1
        var size = socklen_t(MemoryLayout.size(ofValue: raw))
        if getsockopt(connection, SOL_SOCKET, Self.peerPidfd, &raw, &size) == 0 {
            // The kernel has kept it since connect(2).
            self.init(.pidfd(Descriptor(taking: raw)))
        } else if errno == ENOPROTOOPT {
            try self.init(pid: pid)
        } else {
            throw KernelError("hold", "process \(pid)", errno: errno)
        }
    }

    /// Whether the process that connected has ended, as far as that is known.
    static func hasEnded(connectedTo connection: CInt, pid: UInt32) -> Bool {
        if let held = try? Self(connectedTo: connection, pid: pid) { return !held.isAlive }
        // Descriptors may have run out, or /proc may hide the process. A process of a pid namespace that is not below
        // this one has no pid here.
        return pid != 0 && kill(pid_t(bitPattern: pid), 0) != 0 && errno == ESRCH
    }

    /// Holds the process that has this pid now; for kernels before 6.5, right after it has connected.
    ///
    /// - Throws: ``KernelError``, with `ENOENT` if there is none.
    init(pid: UInt32) throws(KernelError) {
        self.init(.directory(try Descriptor(opening: "/proc/\(pid)", O_RDONLY | O_DIRECTORY)))
    }

    private init(_ handle: consuming Handle) {
        self.handle = handle
    }

    /// The result of `body`, which reads by the pid of the process that connected; `nil` if the process has ended
    /// meanwhile.
    static func about<Result>(_ link: any HostLink, _ body: (UInt32) -> Result?) -> Result? {
        guard let held = try? Self(connectedTo: link.fileDescriptor, pid: link.process.pid) else { return nil }
        let result = body(link.process.pid)
        return held.isAlive ? result : nil
    }

    /// Whether the process still runs, so that the pid has been its own all the time.
    var isAlive: Bool {
        switch handle {
        case .pidfd(let pidfd):
            var request = pollfd(fd: pidfd.raw, events: Int16(POLLIN))
            // If it cannot be asked, nothing shows that it has ended.
            return poll(&request, 1, 0) <= 0
        case .directory(let directory):
            return faccessat(directory.raw, "stat", F_OK, 0) == 0
        }
    }

    /// `SO_PEERPIDFD`, which the C library does not define yet.
    private static let peerPidfd: CInt = 77
}

extension HostLink {
    /// Whether the process that connected has ended, as far as that is known.
    var processHasEnded: Bool { ConnectedProcess.hasEnded(connectedTo: fileDescriptor, pid: process.pid) }
}
