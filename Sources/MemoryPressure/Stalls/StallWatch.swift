internal import CLinux

/// PSI for one scope on the best rung of the ladder that the kernel allows here.
///
/// Rungs, best first: triggers with a short window (needs `CAP_SYS_RESOURCE`), triggers with a window of 2 s, polling
/// the totals. Polling costs a wake-up every window; triggers cost nothing at rest.
package struct StallWatch: ~Copyable {
    /// The PSI file.
    package let path: String
    /// Its rung: one of those with PSI.
    package let rung: Rung
    /// Why the rung is no higher; empty on the top rung.
    package let rungReason: String
    /// The window of the triggers, or the interval of polling.
    package let window: Duration
    /// Whether the rung is no higher for lack of descriptors or memory.
    package let isShort: Bool
    private let reader: Descriptor
    /// The descriptor of the file that it reads; valid while the watch lives.
    package var readerDescriptor: CInt { reader.raw }
    private let triggerPair: TriggerPair?

    /// Reads the file once and arms the triggers that the kernel accepts.
    ///
    /// - Throws: ``KernelError`` if the file cannot be read: there is no PSI for this scope, and no rung.
    package init(opening path: String, plan: StallPlan = StallPlan()) throws(KernelError) {
        // Existence is not support: with PSI switched off the file may exist and refuse to be read.
        let reader = try Descriptor(opening: path, O_RDONLY)
        _ = try Self.read(reader.raw, path: path)

        var rung = Rung.polling
        var window = plan.window
        var triggerPair: TriggerPair?
        var reasons: [String] = []
        var isShort = false
        for (candidate, candidateWindow) in [(Rung.privileged, plan.privilegedWindow), (.unprivileged, plan.window)] {
            do throws(KernelError) {
                triggerPair = try TriggerPair(arming: path, plan: plan, window: candidateWindow)
                rung = candidate
                window = candidateWindow
                break
            } catch {
                reasons.append(Self.explain(error, candidate))
                isShort = isShort || error.isTemporary
                // A file that cannot be written will not accept the next window either.
                if error.errno == EROFS || error.errno == EACCES { break }
            }
        }
        self.path = path
        self.rung = rung
        self.window = window
        self.isShort = isShort && rung != .privileged
        self.reader = reader
        self.triggerPair = triggerPair
        rungReason = reasons.joined(separator: "; ")
    }

    private static func explain(_ error: KernelError, _ rung: Rung) -> String {
        switch (rung, error.errno) {
        case (.privileged, EINVAL), (.privileged, EPERM): "short windows need CAP_SYS_RESOURCE"
        default: "\(error)"
        }
    }

    /// The descriptors to poll for `POLLPRI`, and the line of each; empty on the lowest rung.
    package var triggers: [(kind: PressureStall.Kind, descriptor: CInt)] {
        switch triggerPair {
        // `full` comes first: if both fire at once, it says more.
        case .some(let pair): [(.full, pair.full.fileDescriptor), (.some, pair.some.fileDescriptor)]
        case .none: []
        }
    }

    /// Reads the file now.
    ///
    /// - Throws: ``KernelError``; `ENODEV` means that the cgroup is gone or its accounting was switched off.
    package func read() throws(KernelError) -> PressureStall {
        try Self.read(reader.raw, path: path)
    }

    /// Discards events that arrived while nothing polled, so that they are not mistaken for new ones later.
    package func discardPendingEvents() {
        for (_, descriptor) in triggers {
            var request = pollfd(fd: descriptor, events: Int16(POLLPRI))
            _ = poll(&request, 1, 0)
        }
    }

    private static func read(_ descriptor: CInt, path: @autoclosure () -> String) throws(KernelError) -> PressureStall {
        // Two lines of about 60 bytes; room for a kernel that adds to them.
        let stall = try KernelFile.read(descriptor, path: path(), limit: 1024) { try? PressureStall(parsing: $0) }
        guard let stall else { throw KernelError("understand", path(), errno: EBADMSG) }
        return stall
    }
}

/// The two triggers of a scope, armed with the same window.
private struct TriggerPair: ~Copyable {
    let some: PressureTrigger
    let full: PressureTrigger

    init(arming path: String, plan: StallPlan, window: Duration) throws(KernelError) {
        let some = try PressureTrigger(
            arming: path,
            kind: .some,
            threshold: plan.threshold(.some, in: window),
            window: window
        )
        let full = try PressureTrigger(
            arming: path,
            kind: .full,
            threshold: plan.threshold(.full, in: window),
            window: window
        )
        self.some = some
        self.full = full
    }
}
