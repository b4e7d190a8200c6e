import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// The connections of one door: admits newcomers within the quotas, and reports which peers have data to read.
///
/// Each door is a subclass, and overrides the reactions.
class Connections<Peer: HostLink> {
    private struct Member {
        let peer: Peer
        /// The account by which the peer is counted.
        let account: PeerQuotas.Account
        /// Whether packets have to be checked for passed descriptors before they are received.
        let mayPassDescriptors: Bool
    }

    /// The peers by their descriptors.
    private var members = DescriptorTable<Member>()
    private let socket: ListeningSocket
    let admission: Admission
    private let closer: DescriptorCloser
    private let make: (consuming Descriptor) throws(KernelError) -> Peer
    private var newcomers: Newcomers?
    private var group: PollGroup?
    /// The peers that do not accept packets at present, and since when.
    private var awaited: [CInt: MonotonicInstant] = [:]
    private let patience: Duration
    private var patrol: TimerSource?
    /// The peers for whose packets the kernel had no memory.
    private var short: [CInt] = []
    private var retry: TimerSource?

    /// Opens a door; a peer that accepts no packets for as long as `patience` is disconnected.
    ///
    /// A minute is longer than the stalls of a program under pressure, and longer than any deadline of a round.
    ///
    /// If descriptors run out, newcomers are refused if the door can send a reason (`tellsNewcomers`), and otherwise
    /// wait in the backlog.
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
        newcomers = try Newcomers(
            socket,
            admission: admission,
            closer: closer,
            tells: tellsNewcomers,
            loop: loop
        ) { newcomer, shortage in
            self.decide(on: newcomer, shortage)
        }
        patrol = try loop.timer(accuracy: .milliseconds(100)) { self.dismissStuck() }
        retry = try loop.timer(accuracy: .milliseconds(10)) { self.tryShort() }
        group = try PollGroup(on: loop) { descriptor in
            self.members[descriptor]?.account.owner ?? FairQueue.Owner(account: 0, user: 0)
        } handler: { descriptor, event in
            guard let peer = self.peer(descriptor) else { return }
            self.happened(event, to: peer)
        }
    }

    deinit {
        newcomers = nil
        group = nil
    }

    // MARK: Reactions of a door

    /// A peer was admitted.
    func admitted(_ peer: Peer) {}
    /// A peer has data to read, or has ended; called repeatedly as long as it has.
    func ready(_ peer: Peer) {}
    /// A peer accepts packets again, after ``awaitRoom(_:isRead:)``.
    func hasRoom(_ peer: Peer) {}
    /// A peer has closed its end of the connection, so packets no longer reach it.
    func hungUp(_ peer: Peer) {}
    /// A peer has to be disconnected, for this reason.
    func misbehaved(_ peer: Peer, _ refusal: Refusal) {}
    /// A newcomer was refused, and its connection is closed next; `nil` if its process is unknown.
    func turnedAway(_ newcomer: Peer?, _ refusal: Refusal) {}

    // MARK: Peers

    /// The path that newcomers connect to.
    var path: String { socket.path }

    /// The peer with this connection, if it still exists.
    func peer(_ connection: CInt) -> Peer? { members[connection]?.peer }

    /// The account of the peer with this connection, if it still exists.
    func account(of connection: CInt) -> PeerQuotas.Account? { members[connection]?.account }

    /// Adopts a connection of an earlier daemon: the quotas count it, but do not refuse it.
    ///
    /// - Returns: The peer, or `nil` if it was refused because it cannot be polled.
    func adopt(_ connection: consuming Descriptor) -> Peer? {
        do throws(KernelError) {
            let peer = try make(connection)
            return takeIn(peer, admission.account(of: peer), isNew: false) ? peer : nil
        } catch {
            turnedAway(nil, Refusal(code: .malformed, message: "\(error)"))
            return nil
        }
    }

    /// Requests one call of ``hasRoom(_:)`` when a peer accepts packets again; ``ready(_:)`` before that only if
    /// `isRead`.
    ///
    /// While a peer is not read, the end of its connection may be hidden behind unread packets, and the packets that it
    /// does not accept use the daemon's memory. So the wait is limited.
    func awaitRoom(_ connection: CInt, isRead: Bool = true) {
        guard let peer = peer(connection) else { return }
        if peer.isShort {
            // The kernel would report room at once, and the daemon try without end.
            group?.pause(connection)
            if short.isEmpty { retry?.arm(after: .milliseconds(100)) }
            short.append(connection)
        } else {
            group?.awaitRoom(connection, isRead: isRead)
        }
        guard awaited[connection] == nil else { return }
        if awaited.isEmpty { patrol?.arm(after: patience) }
        awaited[connection] = .now
    }

    /// Stops calls of ``ready(_:)`` for a peer until ``resume(_:)``.
    func pause(_ connection: CInt) { group?.pause(connection) }

    /// Allows calls of ``ready(_:)`` for the peer with this connection again, if it still exists.
    func resume(_ connection: CInt) {
        if members[connection] != nil { group?.resume(connection) }
    }

    /// Removes a peer; its connection is closed with the last reference to it.
    ///
    /// With `discardsUnread`, packets that it has sent are dropped first, so that it can still read the last message.
    ///
    /// - Returns: Whether it existed.
    func remove(_ peer: Peer, discardsUnread: Bool = false) -> Bool {
        guard let member = members.remove(peer.fileDescriptor) else { return false }
        group?.remove(peer.fileDescriptor)
        awaited[peer.fileDescriptor] = nil
        if discardsUnread || member.mayPassDescriptors { closer.discardUnread(of: peer.fileDescriptor) }
        admission.leave(member.account)
        newcomers?.resume()
        return true
    }

    /// Releases memory of peers and newcomers that have left.
    func shrink() {
        members.shrink()
        awaited.shrink()
        newcomers?.shrink()
        group?.shrink()
    }

    /// Whether a peer still exists, and its next packet passes no descriptors.
    func mayRead(_ peer: Peer) -> Bool {
        guard let member = members[peer.fileDescriptor] else { return false }
        return !member.mayPassDescriptors || !PassedDescriptors.areNext(in: peer.fileDescriptor)
    }

    private func happened(_ event: PollGroup.Event, to peer: Peer) {
        switch event {
        case .readable: read(peer)
        case .writable:
            let since = awaited.removeValue(forKey: peer.fileDescriptor)
            hasRoom(peer)
            guard let since, peer.isShort, awaited[peer.fileDescriptor] != nil else { return }
            // The kernel still has no memory: the wait continues.
            awaited[peer.fileDescriptor] = since
            if awaited.count == 1 { armPatrol() }
        case .hungUp: hungUp(peer)
        }
    }

    private func read(_ peer: Peer) {
        if mayRead(peer) { return ready(peer) }
        misbehaved(peer, Refusal(code: .malformed, message: "descriptors are not accepted; send the frame alone"))
    }

    private func tryShort() {
        let connections = short
        short = []
        // A newcomer may have the number of a peer that has left.
        for connection in connections where awaited[connection] != nil { group?.awaitRoom(connection) }
    }

    private func dismissStuck() {
        let now = MonotonicInstant.now
        for (connection, since) in awaited where since.duration(to: now) >= patience {
            guard let peer = peer(connection) else { continue }
            misbehaved(peer, Refusal(code: .tooManyPeers, message: "it has not read its packets for a minute"))
        }
        armPatrol()
    }

    private func armPatrol() {
        guard let first = awaited.values.min() else { return }
        patrol?.arm(after: max(.zero, MonotonicInstant.now.duration(to: first.advanced(by: patience))))
    }

    // MARK: Newcomers

    private func decide(on newcomer: consuming Descriptor?, _ shortage: KernelError?) {
        guard let newcomer else {
            if let shortage { turnedAway(nil, Refusal(code: .tooManyPeers, message: "\(shortage)")) }
            return
        }
        do throws(KernelError) {
            let peer = try make(newcomer)
            if let shortage { return turnAway(peer, "\(shortage); raise LimitNOFILE= of the daemon") }
            switch admission.decide(on: peer) {
            case .refused(let reason): turnAway(peer, reason)
            case .admitted(let account): if takeIn(peer, account, isNew: true) { admitted(peer) }
            }
        } catch {
            // The peer is unknown: the connection is closed without a message.
            turnedAway(nil, Refusal(code: .malformed, message: "\(error)"))
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
        // An earlier daemon may have accepted connections before it made the kernel refuse descriptors.
        let isSafe = PassedDescriptors.refuse(on: peer.fileDescriptor) && isNew
        let member = Member(peer: peer, account: account, mayPassDescriptors: !isSafe)
        members.add(member, for: peer.fileDescriptor)
        admission.enter(account)
        return true
    }

    /// Limits the kernel memory for packets that a peer does not read, which is charged to the daemon.
    private func limitQueue(of connection: CInt) {
        // The kernel doubles it to 16 KiB and counts its own overhead: a frame of 4 KiB takes 8 KiB, a frame of a few
        // hundred bytes takes 1 KiB. A frame larger than the whole less 32 bytes could never be sent (EMSGSIZE).
        var size: CInt = 8_192
        setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
    }

    private func turnAway(_ newcomer: Peer, _ reason: String) {
        turnedAway(newcomer, Refusal(code: .tooManyPeers, message: reason.prefix(utf8: TextLimit.message.upperBound)))
        closer.discardUnread(of: newcomer.fileDescriptor)
    }
}
