import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// The connections of one door: lets newcomers in within the quotas, and says which peer has something to be read.
///
/// A door is a class of its own below this one, and overrides what it does about each.
class Connections<Peer: HostLink> {
    private struct Member {
        let peer: Peer
        /// What it is counted by.
        let account: PeerQuotas.Account
        /// Whether its packets have to be looked at before they are taken.
        let mayPassDescriptors: Bool
    }

    /// The peers by their descriptors.
    private var members: [CInt: Member] = [:]
    private let socket: ListeningSocket
    private let admission: Admission
    private let closer: DescriptorCloser
    private let make: (consuming Descriptor) throws(KernelError) -> Peer
    private var source: IOSource?
    private var group: PollGroup?
    private var retry: TimerSource?
    private var isPaused = false
    /// Since when peers are waited for to take packets again.
    private var awaited: [CInt: MonotonicInstant] = [:]
    private let patience: Duration
    private var patrol: TimerSource?
    /// A descriptor to let go of where there are no others, so that a newcomer can be told.
    private var spare: Descriptor?

    /// Opens a door; a peer that takes no packets for as long as `patience` is let go of.
    ///
    /// A minute is longer than a program under pressure stands still, and than any deadline of a round.
    ///
    /// Where the descriptors run out, newcomers are turned away if they can be told why (`tellsNewcomers`), and wait in
    /// line if not.
    init(
        _ socket: ListeningSocket,
        admission: Admission,
        closer: DescriptorCloser,
        tellsNewcomers: Bool,
        patience: Duration = .seconds(60),
        loop: EventLoop,
        make: @escaping (consuming Descriptor) throws(KernelError) -> Peer
    ) throws(SystemdError) {
        self.socket = socket
        self.admission = admission
        self.closer = closer
        self.patience = patience
        self.make = make
        if tellsNewcomers { spare = Self.makeSpare() }
        source = try loop.watch(socket.fileDescriptor, for: .readable) { _ in self.admit() }
        retry = try loop.timer(accuracy: .milliseconds(100)) { self.admitAgain() }
        patrol = try loop.timer(accuracy: .milliseconds(100)) { self.dismissStuck() }
        // A peer that was let go of a moment ago may still be reported.
        group = try PollGroup(on: loop) { descriptor, event in
            guard let peer = self.peer(descriptor) else { return }
            self.happened(event, to: peer)
        }
    }

    deinit {
        source = nil
        group = nil
    }

    // MARK: What a door does

    /// A peer is in now.
    func admitted(_ peer: Peer) {}
    /// A peer has something to be read, its end included; as long as it has.
    func ready(_ peer: Peer) {}
    /// A peer takes packets again, after ``awaitRoom(_:isRead:)``.
    func hasRoom(_ peer: Peer) {}
    /// A peer has closed its end of the connection, so that nothing it is sent arrives.
    func hungUp(_ peer: Peer) {}
    /// A peer is to be let go of, for this reason.
    func misbehaved(_ peer: Peer, _ refusal: Refusal) {}
    /// A newcomer may not stay, and its connection is closed next; `nil` if it is not known what process it was.
    func turnedAway(_ newcomer: Peer?, _ refusal: Refusal) {}

    // MARK: Peers

    /// Where newcomers connect to.
    var path: String { socket.path }

    /// The peer with this connection, if it is still there.
    func peer(_ connection: CInt) -> Peer? { members[connection]?.peer }

    /// What the peer with this connection is counted by, if it is still there.
    func account(of connection: CInt) -> PeerQuotas.Account? { members[connection]?.account }

    /// Takes over a connection that an earlier daemon had: the quotas count it, and do not turn it away.
    ///
    /// - Returns: the peer, or `nil` if it was turned away because it cannot be waited for.
    func adopt(_ connection: consuming Descriptor) -> Peer? {
        do throws(KernelError) {
            let peer = try make(connection)
            return takeIn(peer, admission.account(of: peer), isNew: false) ? peer : nil
        } catch {
            turnedAway(nil, Refusal(code: .malformed, message: "\(error)"))
            return nil
        }
    }

    /// Has ``hasRoom(_:)`` called once, when a peer takes packets again; ``ready(_:)`` before that only if `isRead`.
    ///
    /// A peer that is not read does not show when it has gone, for as long as its end lies in its own queue; and what it does not
    /// take is the daemon's memory. So it is not waited for without end.
    func awaitRoom(_ connection: CInt, isRead: Bool = true) {
        guard members[connection] != nil else { return }
        group?.awaitRoom(connection, isRead: isRead)
        guard awaited[connection] == nil else { return }
        if awaited.isEmpty { patrol?.arm(after: patience) }
        awaited[connection] = .now
    }

    /// Has ``ready(_:)`` not called for a peer until ``resume(_:)``.
    func pause(_ connection: CInt) { group?.pause(connection) }

    /// Has ``ready(_:)`` called again for the peer with this connection, if it is still there.
    func resume(_ connection: CInt) {
        if members[connection] != nil { group?.resume(connection) }
    }

    /// Forgets a peer; its connection is closed with the last reference to it.
    ///
    /// What it was told last arrives if what it has sent is dropped before (`discardsUnread`).
    ///
    /// - Returns: Whether it was there.
    func remove(_ peer: Peer, discardsUnread: Bool = false) -> Bool {
        guard let member = members.removeValue(forKey: peer.fileDescriptor) else { return false }
        group?.remove(peer.fileDescriptor)
        awaited[peer.fileDescriptor] = nil
        if discardsUnread || member.mayPassDescriptors { closer.discardUnread(of: peer.fileDescriptor) }
        admission.leave(member.account)
        admitAgain()
        return true
    }

    /// Gives up the room of peers that have left.
    func shrink() {
        members.shrink()
        awaited.shrink()
    }

    /// Whether a peer is still there, and its next packet passes no descriptors.
    func mayRead(_ peer: Peer) -> Bool {
        guard let member = members[peer.fileDescriptor] else { return false }
        return !member.mayPassDescriptors || !PassedDescriptors.areNext(in: peer.fileDescriptor)
    }

    private func happened(_ event: PollGroup.Event, to peer: Peer) {
        switch event {
        case .readable: read(peer)
        case .writable:
            awaited[peer.fileDescriptor] = nil
            hasRoom(peer)
        case .hungUp: hungUp(peer)
        }
    }

    private func read(_ peer: Peer) {
        if mayRead(peer) { return ready(peer) }
        misbehaved(peer, Refusal(code: .malformed, message: "descriptors are not taken; send the frame alone"))
    }

    private func dismissStuck() {
        let now = MonotonicInstant.now
        for (connection, since) in awaited where since.duration(to: now) >= patience {
            guard let peer = peer(connection) else { continue }
            misbehaved(peer, Refusal(code: .tooManyPeers, message: "it has not read what it was sent for a minute"))
        }
        if let first = awaited.values.min() { patrol?.arm(after: now.duration(to: first.advanced(by: patience))) }
    }

    // MARK: Newcomers

    private func admit() {
        // Those that are left are reported again, after what is more important.
        let start = MonotonicInstant.now
        repeat {
            do throws(KernelError) {
                guard let descriptor = try socket.accept() else { return }
                letIn(try make(descriptor))
            } catch  where error.isShortage {
                guard turnAwayOne(error) else { return pause(error) }
            } catch {
                // The peer is unknown: the connection is closed without a message.
                turnedAway(nil, Refusal(code: .malformed, message: "\(error)"))
            }
        } while start.duration(to: .now) < PollGroup.turn
    }

    private func letIn(_ newcomer: Peer) {
        switch admission.decide(on: newcomer) {
        case .refused(let reason): turnAway(newcomer, reason)
        case .admitted(let account): if takeIn(newcomer, account, isNew: true) { admitted(newcomer) }
        }
    }

    private func takeIn(_ peer: Peer, _ account: PeerQuotas.Account, isNew: Bool) -> Bool {
        do throws(SystemdError) {
            try group?.add(peer.fileDescriptor)
        } catch {
            turnAway(peer, "\(error)")
            return false
        }
        limitQueue(of: peer.fileDescriptor)
        // To an earlier daemon they may have come before that had the kernel refuse them.
        let isSafe = PassedDescriptors.refuse(on: peer.fileDescriptor) && isNew
        members[peer.fileDescriptor] = Member(peer: peer, account: account, mayPassDescriptors: !isSafe)
        admission.enter(account)
        return true
    }

    /// Has what a peer does not read take little of the kernel's memory, which counts as the daemon's.
    private func limitQueue(of connection: CInt) {
        // The kernel doubles it to 16 KiB and counts its own overhead: a frame of 4 KiB takes 8 KiB, one of some hundred
        // bytes takes 1 KiB. A frame that is larger than the whole less 32 bytes could never be sent (EMSGSIZE).
        var size: CInt = 8_192
        setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
    }

    private func turnAway(_ newcomer: Peer, _ reason: String) {
        turnedAway(newcomer, Refusal(code: .tooManyPeers, message: reason.prefix(utf8: TextLimit.message.upperBound)))
        closer.discardUnread(of: newcomer.fileDescriptor)
    }

    // MARK: No descriptors left

    /// Takes a newcomer in by the spare descriptor, for as long as it takes to say no.
    ///
    /// - Returns: Whether that could be done.
    private func turnAwayOne(_ error: KernelError) -> Bool {
        guard spare != nil else { return false }
        spare = nil
        defer { spare = Self.makeSpare() }
        do throws(KernelError) {
            guard let descriptor = try socket.accept() else { return true }
            turnAway(try make(descriptor), "\(error); raise LimitNOFILE= of the daemon")
            return true
        } catch {
            return false
        }
    }

    private func pause(_ error: KernelError) {
        // Waiting newcomers would wake the daemon for ever. They wait until a peer leaves, or for a second.
        source?.disable()
        isPaused = true
        retry?.arm(after: .seconds(1))
        turnedAway(nil, Refusal(code: .tooManyPeers, message: "\(error)"))
    }

    private func admitAgain() {
        guard isPaused else { return }
        isPaused = false
        retry?.disarm()
        try? source?.enable()
    }

    private static func makeSpare() -> Descriptor? {
        try? Descriptor(opening: "/dev/null", O_RDONLY)
    }
}

extension KernelError {
    /// Whether there is no descriptor left, or no memory for one: the newcomer is still in line.
    fileprivate var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) }
}
