import CLinux
import MemoryPressure
import MemwarnProtocol

/// The process that made a connection, held so that what is read by its pid is not about another that got the pid since.
///
/// It is held for as long as it takes to read, not for as long as the host is there: a second descriptor for each would
/// halve the possible number of hosts, and the end of the connection shows the end of the process.
struct ConnectedProcess: ~Copyable {
    private let handle: Handle

    private enum Handle: ~Copyable {
        /// A pidfd, which becomes readable when the process ends.
        case pidfd(Descriptor)
        /// Its directory in `/proc`, which is empty when it has ended; the pid may be used again, the directory is not.
        case directory(Descriptor)
    }

    /// Holds the process that connected; `nil` if it has ended, or cannot be held.
    init?(connectedTo connection: CInt, pid: UInt32) {
        var raw: CInt = -1
        var size = socklen_t(MemoryLayout.size(ofValue: raw))
        if getsockopt(connection, SOL_SOCKET, Self.peerPidfd, &raw, &size) == 0 {
            // The kernel has kept it since connect(2).
            self.init(.pidfd(Descriptor(taking: raw)))
        } else if errno == ENOPROTOOPT {
            self.init(pid: pid)
        } else {
            return nil
        }
    }

    /// Whether the process that connected has ended, as far as that can be known.
    static func hasEnded(connectedTo connection: CInt, pid: UInt32) -> Bool {
        if let held = Self(connectedTo: connection, pid: pid) { return !held.isAlive }
        // It may be descriptors that lack, or /proc may hide it. A process of a pid namespace that is not below this one has no
        // pid here.
        return pid != 0 && kill(pid_t(bitPattern: pid), 0) != 0 && errno == ESRCH
    }

    /// Holds the process that has this pid now: what kernels before 6.5 leave, right after it has connected.
    init?(pid: UInt32) {
        guard let directory = try? Descriptor(opening: "/proc/\(pid)", O_RDONLY | O_DIRECTORY) else { return nil }
        self.init(.directory(directory))
    }

    private init(_ handle: consuming Handle) {
        self.handle = handle
    }

    /// What `body` finds out by the pid of the process that connected; `nil` if that has ended meanwhile.
    static func about<Result>(_ link: any HostLink, _ body: (UInt32) -> Result?) -> Result? {
        guard let held = Self(connectedTo: link.fileDescriptor, pid: link.process.pid) else { return nil }
        let result = body(link.process.pid)
        return held.isAlive ? result : nil
    }

    /// Whether it is still there, so that the pid was its own all the time.
    var isAlive: Bool {
        switch handle {
        case .pidfd(let pidfd):
            var request = pollfd(fd: pidfd.raw, events: Int16(POLLIN))
            return poll(&request, 1, 0) == 0
        case .directory(let directory):
            return faccessat(directory.raw, "stat", F_OK, 0) == 0
        }
    }

    /// `SO_PEERPIDFD`, which the C library does not know yet.
    private static let peerPidfd: CInt = 77
}

extension HostLink {
    /// Whether the process that connected has ended, as far as that can be known.
    var processHasEnded: Bool { ConnectedProcess.hasEnded(connectedTo: fileDescriptor, pid: process.pid) }
}
