internal import CLinux
internal import CSystemd

/// The notices of a service to the service manager, over the socket that `$NOTIFY_SOCKET` names.
///
/// Each call sends one datagram, and none of them blocks. While the manager's queue is full, notices wait here, and the
/// loop sends them in their order when there is room; of several statuses only the newest waits, and it is sent last.
/// Without a socket every call does nothing. See sd_notify(3).
///
/// An immediate failure is thrown. If a notice that has waited fails, because the manager has gone, it is dropped.
///
/// A status is one line for `systemctl status`, in plain text: line breaks and other control characters are escaped,
/// and text beyond 1024 bytes is cut off.
///
/// It belongs to the loop's thread, and lives until the loop has ended. While no notice waits it costs no wake-ups.
public final class ServiceNotifier {
    let socket: NotifySocket?
    private(set) var queue: NoticeQueue
    private var writable: IOSource?
    private var retry: TimerSource?
    /// Elapses when the next watchdog notice is due.
    var watchdog: TimerSource?

    /// After this number of notices the loop looks for more important sources.
    private static let batch = 64
    /// The delay before another attempt when no event reports room: short for a user, long for a machine out of memory.
    static let retryDelay = Duration.milliseconds(100)

    /// The value of `$NOTIFY_SOCKET`; `nil` if it is unset or empty.
    public static var environmentName: String? {
        guard let value = getenv("NOTIFY_SOCKET") else { return nil }
        let name = String(cString: value)
        return name.isEmpty ? nil : name
    }

    /// A notifier to the service manager that started this process; does not connect yet.
    ///
    /// - Parameters:
    ///   - name: The address of its socket, `/path` or `@abstract`; `nil` if there is none.
    ///   - loop: Sends waiting notices, when no more important source is pending.
    ///   - limit: With this number of waiting notices no further descriptors can be stored. A waiting notice holds
    ///     duplicates of its descriptors.
    /// - Throws: ``SystemdError`` if the address is of another kind (`EAFNOSUPPORT`) or too long (`ENAMETOOLONG`), or
    ///   no descriptor or memory is left.
    public init(
        name: String? = ServiceNotifier.environmentName,
        on loop: EventLoop,
        limit: Int = 16_384
    ) throws(SystemdError) {
        queue = NoticeQueue(limit: limit)
        socket = if let name { try NotifySocket(name: name) } else { nil }
        guard let socket else { return }
        writable = try loop.watch(socket.fd, for: .writable, priority: .idle) { _ in self.sendWaiting() }
        writable?.disable()
        retry = try loop.timer(accuracy: Self.retryDelay, priority: .idle) { self.sendWaiting() }
    }

    deinit {
        // The source has to be dropped before the socket closes its descriptor.
        writable = nil
    }

    /// Start-up or a reload is complete (`READY=1`).
    ///
    /// Waits in the queue if necessary; it is never refused.
    ///
    /// - Throws: ``SystemdError`` if there is no manager at its socket (`ENOENT`, `ECONNREFUSED`, `EACCES`).
    public func ready(status: String? = nil) throws(SystemdError) {
        try notify(.state("READY=1", status: status.map(Notice.statusLine)))
    }

    /// The present activity of the service (`STATUS=`).
    ///
    /// Replaces a status that still waits.
    ///
    /// - Throws: ``SystemdError`` if there is no manager at its socket (`ENOENT`, `ECONNREFUSED`, `EACCES`).
    public func status(_ text: String) throws(SystemdError) {
        try notify(.status(Notice.statusLine(text)))
    }

    /// The service begins to read its configuration again (`RELOADING=1` with the present time).
    ///
    /// ``ready(status:)`` has to follow, even if the new configuration was refused: the manager waits for it, and
    /// compares the time with that of its own signal (`Type=notify-reload`). Waits in the queue if necessary; it is
    /// never refused.
    ///
    /// - Throws: ``SystemdError`` if there is no manager at its socket (`ENOENT`, `ECONNREFUSED`, `EACCES`).
    public func reloading() throws(SystemdError) {
        // The loop's time may be older than the manager's signal.
        try notify(.state("RELOADING=1\nMONOTONIC_USEC=\(memwarnd_monotonic_usec())"))
    }

    /// The service is about to end, on request or on its own (`STOPPING=1`).
    ///
    /// Waits in the queue if necessary, and is never refused; call ``flush(within:)`` before the end.
    ///
    /// - Throws: ``SystemdError`` if there is no manager at its socket (`ENOENT`, `ECONNREFUSED`, `EACCES`).
    public func stopping() throws(SystemdError) {
        try notify(.state("STOPPING=1"))
    }

    /// Sends all waiting notices, and blocks until they are sent; for the end of the service, after the loop.
    ///
    /// - Parameter limit: The longest time it may take, if the manager does not read.
    /// - Returns: Whether no notice waits any more.
    @discardableResult
    public func flush(within limit: Duration) -> Bool {
        guard let socket else { return true }
        let deadline = Duration.sinceBoot + limit
        while let notice = queue.first {
            switch socket.send(notice) {
            case .sent, .failed: queue.removeFirst()
            case let outcome:
                let left = deadline - .sinceBoot
                guard left > .zero else { return false }
                socket.wait(after: outcome, atMost: left)
            }
        }
        return true
    }

    /// Sends the notice, or adds it to the queue.
    func notify(_ notice: Notice) throws(SystemdError) {
        guard let socket else { return }
        let operation = "notify the service manager at \(socket.name)"
        let mayGoAtOnce = queue.isEmpty
        let outcome = mayGoAtOnce ? socket.send(notice) : .full
        switch outcome {
        case .sent: return
        case .failed(let errno): throw SystemdError(operation, errno: errno)
        case .full, .short: break
        }
        guard queue.append(notice) else { throw SystemdError(operation, errno: ENOBUFS) }
        // The loop waits for room for the others already.
        if mayGoAtOnce { waitForRoom(after: outcome) }
    }

    private func sendWaiting() {
        guard let socket else { return }
        for _ in 0..<Self.batch {
            guard let notice = queue.first else { break }
            switch socket.send(notice) {
            case .sent, .failed: queue.removeFirst()
            case let outcome: return waitForRoom(after: outcome)
            }
        }
        if queue.isEmpty { writable?.disable() } else { waitForRoom(after: .full) }
    }

    private func waitForRoom(after outcome: NotifySocket.Outcome) {
        if outcome == .full, (try? writable?.enable()) != nil { return }
        // The socket may be writable nevertheless, and the loop would try without end.
        writable?.disable()
        retry?.arm(after: Self.retryDelay)
    }
}
