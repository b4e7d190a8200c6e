import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// The newcomers at a door: accepts them from the kernel's backlog, which is one queue for all, and hands them out one of
/// each account in turn, and in an account one of each user.
///
/// A decision about a newcomer takes some 30 µs. So a user that connects without end would delay each newcomer of another
/// user by as many times that as the backlog holds, if they were decided on in its order.
final class Newcomers {
    // Only the loop's handlers hold it: it holds the owner of this object.
    /// Handles a newcomer, or a shortage of descriptors, or both.
    typealias Decision = (consuming Descriptor?, KernelError?) -> Void

    private let socket: ListeningSocket
    private let closer: DescriptorCloser
    private let admission: Admission
    private var waiting = FairQueue()
    private var source: IOSource?
    // A timer, since deferred work would wait behind peers that are always ready, or keep them waiting.
    /// Handles the newcomers that wait.
    private var rest: TimerSource?
    private var retry: TimerSource?
    private var isPaused = false
    private let tells: Bool
    /// Spare descriptors, released when there are no others, so that a newcomer can be accepted and sent a refusal, and
    /// handed to the closer.
    private var spare: Descriptor?
    private var secondSpare: Descriptor?

    /// Accepts from `socket`; if more newcomers wait than `admission` permits, the newest of the account with the most
    /// are closed.
    ///
    /// `decide` gets each newcomer in turn. If descriptors run out, it gets those that are accepted with the spare ones,
    /// together with the error, so that it can tell them, if `tells`; otherwise only the error, and newcomers stay in the
    /// backlog.
    init(
        _ socket: ListeningSocket,
        admission: Admission,
        closer: DescriptorCloser,
        tells: Bool,
        loop: EventLoop,
        decide: @escaping Decision
    ) throws(SystemdError) {
        self.socket = socket
        self.closer = closer
        self.tells = tells
        self.admission = admission
        makeSpares()
        source = try loop.watch(socket.fileDescriptor, for: .readable) { _ in self.handle(decide) }
        rest = try loop.timer(accuracy: .zero) { self.handle(decide) }
        retry = try loop.timer(accuracy: .milliseconds(100)) { self.resume() }
    }

    deinit {
        while let next = waiting.next() { close(next.member) }
    }

    /// Accepts newcomers for a turn, and decides on those that are next for half a turn; on the remaining ones after
    /// more important sources.
    private func handle(_ decide: Decision) {
        do throws(KernelError) {
            if !isPaused { try accept() }
        } catch {
            // Each decision on a newcomer that waits may release a descriptor.
            if waiting.isEmpty, !acceptOne(error, decide) { pause(error, decide) }
        }
        let start = MonotonicInstant.now
        repeat {
            guard let next = waiting.next() else { return }
            decide(Descriptor(taking: next.member), nil)
        } while start.duration(to: .now) < PollGroup.turn / 2
        if !waiting.isEmpty { rest?.arm(after: .zero) }
    }

    /// Accepts newcomers for a turn at most; those that may not wait are closed without a message.
    private func accept() throws(KernelError) {
        let start = MonotonicInstant.now
        var recent = RecentProcesses()
        repeat {
            guard let newcomer = try socket.accept() else { return }
            let owner = admission.owner(ofNewcomer: newcomer.raw, &recent)
            waiting.join(newcomer.take(), 1, of: owner)
            let crowd = admission.crowd(owner.user, with: waiting.count(of: owner.account), of: waiting.count)
            guard crowd != .none else { continue }
            let shed = waiting.shed(owner, onlyInAccount: crowd == .account) { admission.exempts($0) }
            if let shed { closer.closeUnread(shed) }
        } while start.duration(to: .now) < PollGroup.turn
    }

    // MARK: No descriptors left

    /// Accepts a newcomer with the spare descriptor, only to send it a refusal.
    ///
    /// - Returns: Whether that was possible.
    private func acceptOne(_ error: KernelError, _ decide: Decision) -> Bool {
        guard error.isShortage, spare != nil else { return false }
        spare = nil
        // The closer keeps the second for a moment; so at worst every other newcomer is closed without it.
        defer { makeSpares() }
        do throws(KernelError) {
            guard let newcomer = try socket.accept() else { return true }
            secondSpare = nil
            decide(newcomer, error)
            return true
        } catch {
            return false
        }
    }

    private func pause(_ error: KernelError, _ decide: Decision) {
        // Waiting newcomers would wake the daemon all the time. They wait until a peer leaves, or for a second.
        source?.disable()
        isPaused = true
        retry?.arm(after: .seconds(1))
        decide(nil, error)
    }

    /// Accepts newcomers again, if there may be a descriptor again.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        retry?.disarm()
        try? source?.enable()
    }

    /// Releases memory of newcomers that do not wait any more.
    func shrink() { waiting.shrink() }

    private func makeSpares() {
        guard tells else { return }
        if spare == nil { spare = try? Descriptor(opening: "/dev/null", O_RDONLY) }
        if secondSpare == nil { secondSpare = try? Descriptor(opening: "/dev/null", O_RDONLY) }
    }
}

extension KernelError {
    /// Whether there is no descriptor or memory left; a newcomer is still in the backlog.
    var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) }
}
