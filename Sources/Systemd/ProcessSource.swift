internal import CLinux
internal import CSystemd

/// How a child process ended.
public enum ProcessEnd: Hashable, Sendable {
    /// It exited with this code.
    case exited(code: CInt)
    /// This signal killed it.
    case signaled(number: CInt)
    /// The end is unknown: other code waited for the process, or this process ignores `SIGCHLD`.
    case unknown
}

/// The handle of a child process to wait for; dropping it ends the wait and does not affect the child.
///
/// See ``EventLoop/process(_:priority:handler:)``.
public final class ProcessSource {
    /// The child's pid, which another process may get some time after the child has ended.
    public let pid: CInt
    private let pidfd: CInt
    private var source: IOSource?

    init(
        _ pid: CInt,
        on loop: EventLoop,
        _ priority: EventLoop.Priority,
        _ handler: @escaping (ProcessEnd) -> Void
    ) throws(SystemdError) {
        let pidfd = memwarnd_pidfd_open(pid)
        guard pidfd >= 0 else { throw SystemdError("wait for process \(pid)", errno: errno) }
        self.pid = pid
        self.pidfd = pidfd
        // Captures no handle, which could not be dropped if its handler held it.
        source = try loop.watch(pidfd, for: .readable, priority: priority) { _ in handler(Self.reap(pidfd)) }
        // It stays readable for ever.
        source?.reportOnce()
    }

    deinit {
        // The source has to be dropped before the descriptor is closed.
        source = nil
        close(pidfd)
    }

    private static func reap(_ pidfd: CInt) -> ProcessEnd {
        var information = siginfo_t()
        while waitid(P_PIDFD, id_t(pidfd), &information, WEXITED | WNOHANG) != 0 {
            guard errno == EINTR else { return .unknown }
        }
        let status = information._sifields._sigchld.si_status
        return switch Int(information.si_code) {
        case CLD_EXITED: .exited(code: status)
        case CLD_KILLED, CLD_DUMPED: .signaled(number: status)
        default: .unknown
        }
    }
}

extension EventLoop {
    /// Calls `handler` once when a child of this process has ended, and reaps it, so that no zombie stays.
    ///
    /// Needs no signal: `SIGCHLD` may be blocked or not. No other code may wait for the child. A child that has ended
    /// already is reported at the next turn of the loop. See pidfd_open(2), waitid(2).
    ///
    /// - Parameters:
    ///   - pid: A child that no code has waited for yet.
    ///   - priority: The priority of the handler.
    ///   - handler: Receives the way in which the child ended.
    /// - Returns: The handle of the wait; dropping it ends the wait.
    /// - Throws: ``SystemdError`` if there is no such process (`ESRCH`), or no descriptor or memory is left. The
    ///   handler is released then.
    public func process(
        _ pid: CInt,
        priority: Priority = .normal,
        handler: @escaping (ProcessEnd) -> Void
    ) throws(SystemdError) -> ProcessSource {
        try ProcessSource(pid, on: self, priority, handler)
    }
}
