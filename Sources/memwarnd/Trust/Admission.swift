import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// Decides on newcomers of all doors: reads the properties that the quotas count by from the kernel, and asks the
/// quotas.
final class Admission {
    private var quotas: PeerQuotas
    private var frames = AccountQuotas(.accountFrames)
    private var queries = AccountQuotas(.queries)
    private let kernel: KernelTree

    /// The decision about a newcomer.
    enum Decision {
        /// It may stay, and counts in this account.
        case admitted(PeerQuotas.Account)
        /// It is refused, for this reason.
        case refused(String)
    }

    init(_ quotas: PeerQuotas, in kernel: KernelTree) {
        self.quotas = quotas
        self.kernel = kernel
    }

    /// Applies a new number of connections per user.
    func follow(perUser: Int?) { quotas.follow(perUser: perUser) }

    /// The group of newcomers that has to lose one, after one of a user has joined those that wait for a decision.
    func crowd(_ uid: UInt32, with waiting: Int, of all: Int) -> PeerQuotas.Crowd {
        quotas.crowd(uid, with: waiting, of: all)
    }

    /// Whether only the total limits a user.
    func exempts(_ uid: UInt32) -> Bool { quotas.exempts(uid) }

    /// The limit that a frame of this account would exceed now; `nil` if the daemon may handle the frame.
    func excess(_ account: PeerQuotas.Account, isQuery: Bool) -> String? {
        guard !exempts(account.uid) else { return nil }
        guard frames.take(account.number, at: .now) else { return "sends too many frames" }
        return isQuery && !queries.take(account.number, at: .now) ? "queries too often" : nil
    }

    /// The account and the user in whose turn a newcomer is decided on.
    ///
    /// Its process is not held meanwhile, and may have ended: the decision reads the cgroup again. Here it is read once for
    /// each process in `recent`, which lasts for a turn.
    func owner(ofNewcomer connection: CInt, _ recent: inout RecentProcesses) -> FairQueue.Owner {
        // The decision refuses a newcomer without credentials, with a reason.
        guard let process = try? FrameSocket.Peer(connectedTo: connection) else {
            return FairQueue.Owner(account: UInt64(UInt32.max), user: .max)
        }
        guard !quotas.exempts(process.uid) else { return PeerQuotas.Account(uid: process.uid, cgroup: nil).owner }
        let account = recent.account(of: process.pid) {
            let account = PeerQuotas.Account(uid: process.uid, cgroup: cgroup(of: process.pid))
            return account.hasCgroup ? account.number : nil
        }
        return FairQueue.Owner(account: account ?? UInt64(process.uid), user: process.uid)
    }

    /// Decides on a newcomer; costs a read of its cgroup, unless the user's quota refuses it first.
    ///
    /// A newcomer whose process has ended is refused: its cgroup can no longer be found, and connections of processes
    /// that end at once would count for no cgroup.
    func decide(on newcomer: any HostLink) -> Decision {
        let uid = newcomer.process.uid
        if let reason = quotas.refusal(of: uid, at: .now) { return .refused(reason) }
        let cgroup = cgroup(of: newcomer)
        if cgroup == nil, !quotas.exempts(uid), newcomer.processHasEnded {
            return .refused("the process of uid \(uid) that connected has ended; connect from one that stays")
        }
        let account = PeerQuotas.Account(uid: uid, cgroup: cgroup)
        return quotas.refusal(of: account, at: .now).map { .refused($0) } ?? .admitted(account)
    }

    /// The account of a connection.
    func account(of link: any HostLink) -> PeerQuotas.Account {
        PeerQuotas.Account(uid: link.process.uid, cgroup: cgroup(of: link))
    }

    /// The cgroup of a connection's account, if it counts by cgroup and the cgroup is visible.
    private func cgroup(of link: any HostLink) -> String? {
        guard !quotas.exempts(link.process.uid) else { return nil }
        return ConnectedProcess.about(link) { cgroup(of: $0) }
    }

    private func cgroup(of pid: UInt32) -> String? {
        (try? KernelFile.text(of: kernel.cgroups(of: .pid(pid)))).flatMap { Cgroup.path(inMembership: $0) }
    }

    /// Counts a new connection.
    func enter(_ account: PeerQuotas.Account) { quotas.enter(account, at: .now) }

    /// Removes a closed connection from the count.
    func leave(_ account: PeerQuotas.Account) { quotas.leave(account, at: .now) }
}

extension PeerQuotas.Account {
    /// The account and the user in whose turn its connections are served.
    var owner: FairQueue.Owner { FairQueue.Owner(account: number, user: uid) }
}

/// The two processes that connected last: to read a cgroup takes longer than to accept a newcomer, and a flood comes from
/// few processes.
struct RecentProcesses {
    private struct Process {
        var pid: UInt32
        /// The number of its cgroup's account; `nil` if it has no cgroup of its own.
        var account: UInt64?
    }

    private var last: Process?
    private var former: Process?

    /// The number of the account of a process's cgroup; `read` is called for a process that is not one of the two.
    mutating func account(of pid: UInt32, read: () -> UInt64?) -> UInt64? {
        if let last, last.pid == pid { return last.account }
        let found = former.flatMap { $0.pid == pid ? $0 : nil } ?? Process(pid: pid, account: read())
        (last, former) = (found, last)
        return found.account
    }
}
