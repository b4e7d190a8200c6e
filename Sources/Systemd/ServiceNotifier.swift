internal import CLinux
internal import CSystemd

/// The notices of a service to the service manager, over the socket that `$NOTIFY_SOCKET` names.
///
/// Each call is one datagram, and none of them blocks. While the manager's queue is full, notices wait here and are
/// sent in their order, from the loop, as room comes; of statuses only the newest waits, and it goes last. Without a
/// socket every call does nothing. See sd_notify(3).
///
/// An immediate failure is thrown. A notice that has waited and then fails, because the manager has gone, is dropped.
///
/// A status is one line for `systemctl status`, in plain text: line breaks and other control characters are escaped,
/// and text beyond 1024 bytes is cut off.
///
/// It belongs to the loop's thread, and lives until the loop has ended. While nothing waits it costs no wake-ups.
public final class ServiceNotifier {
    let socket: NotifySocket?
    private(set) var queue: NoticeQueue
    private var writable: IOSource?
    private var retry: TimerSource?
    /// Elapses when the watchdog is to be fed.
    var watchdog: TimerSource?

    /// So many notices are sent before the loop looks for something more important.
    private static let batch = 64
    /// How long to wait where no event tells when to go on: short for people, long for a machine out of memory.
    static let retryDelay = Duration.milliseconds(100)

    /// The value of `$NOTIFY_SOCKET`, if it has one.
    public static var environmentName: String? {
        guard let value = getenv("NOTIFY_SOCKET") else { return nil }
        let name = String(cString: value)
        return name.isEmpty ? nil : name
    }

    /// A notifier to the service manager that started this process, which is not spoken to yet.
    ///
    /// - Parameters:
    ///   - name: The address of its socket, `/path` or `@abstract`; `nil` if there is none.
    ///   - loop: Sends what has to wait, when nothing more important is pending.
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
        // Before the socket closes its descriptor.
        writable = nil
    }

    /// Start-up or a reload is complete (`READY=1`).
    ///
    /// Waits if it has to; it is never refused.
    ///
    /// - Throws: ``SystemdError`` if there is no manager at its socket (`ENOENT`, `ECONNREFUSED`, `EACCES`).
    public func ready(status: String? = nil) throws(SystemdError) {
        try notify(.state("READY=1", status: status.map(Notice.statusLine)))
    }

    /// What the service is doing (`STATUS=`).
    ///
    /// Takes the place of a status that still waits.
    ///
    /// - Throws: ``SystemdError`` if there is no manager at its socket (`ENOENT`, `ECONNREFUSED`, `EACCES`).
    public func status(_ text: String) throws(SystemdError) {
        try notify(.status(Notice.statusLine(text)))
    }

    /// The service begins to read its configuration again (`RELOADING=1` with the present time).
    ///
    /// ``ready(status:)`` has to follow, also if the new configuration was refused: the manager waits for it. The time
    /// is what `Type=notify-reload` knows the answer to its signal by. Waits if it has to; it is never refused.
    ///
    /// - Throws: ``SystemdError`` if there is no manager at its socket (`ENOENT`, `ECONNREFUSED`, `EACCES`).
    public func reloading() throws(SystemdError) {
        // Not the loop's time, which may be older than the manager's signal.
        try notify(.state("RELOADING=1\nMONOTONIC_USEC=\(memwarnd_monotonic_usec())"))
    }

    /// The service is about to end, on request or by itself (`STOPPING=1`).
    ///
    /// Waits if it has to, and is never refused; ``flush(within:)`` before the end.
    ///
    /// - Throws: ``SystemdError`` if there is no manager at its socket (`ENOENT`, `ECONNREFUSED`, `EACCES`).
    public func stopping() throws(SystemdError) {
        try notify(.state("STOPPING=1"))
    }

    /// Sends what waits, and blocks for that: for the end of the service, after the loop.
    ///
    /// - Parameter limit: The longest it may take, if the manager does not read.
    /// - Returns: Whether nothing waits any more.
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

    /// Sends the notice, or lets it wait behind the others.
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
        // The others are being waited for already.
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
        // The socket may well be writable, and the loop would ask without end.
        writable?.disable()
        retry?.arm(after: Self.retryDelay)
    }
}
