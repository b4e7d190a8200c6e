import CLinux
import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// Decides on newcomers, through whichever door: asks the kernel what the quotas count by, and the quotas.
final class Admission {
    private var quotas: PeerQuotas
    private let kernel: KernelTree

    /// The decision about a newcomer.
    enum Decision {
        /// It may stay, and is to be counted in this account.
        case admitted(PeerQuotas.Account)
        /// It may not, for this reason.
        case refused(String)
    }

    init(_ quotas: PeerQuotas, in kernel: KernelTree) {
        self.quotas = quotas
        self.kernel = kernel
    }

    /// Takes over how many connections a user may have from now on.
    func follow(perUser: Int?) { quotas.follow(perUser: perUser) }

    /// Decides on a newcomer; costs a read of its cgroup, unless it is refused without.
    ///
    /// One whose process has ended is refused: what became of its cgroup is not known, and connections that a process leaves behind
    /// when it ends at once would count for no cgroup.
    func decide(on newcomer: some HostLink) -> Decision {
        let uid = newcomer.process.uid
        if let reason = quotas.refusal(of: uid, at: .now) { return .refused(reason) }
        let cgroup = cgroup(of: newcomer)
        if cgroup == nil, !quotas.exempts(uid), newcomer.processHasEnded {
            return .refused("the process of uid \(uid) that connected has ended; connect from one that stays")
        }
        let account = PeerQuotas.Account(uid: uid, cgroup: cgroup)
        return quotas.refusal(of: account, at: .now).map { .refused($0) } ?? .admitted(account)
    }

    /// What a connection is to be counted by.
    func account(of link: some HostLink) -> PeerQuotas.Account {
        PeerQuotas.Account(uid: link.process.uid, cgroup: cgroup(of: link))
    }

    /// The cgroup that a connection is to be counted by, if it counts by one and that can be seen.
    private func cgroup(of link: some HostLink) -> String? {
        guard !quotas.exempts(link.process.uid) else { return nil }
        return ConnectedProcess.about(link) { pid in
            (try? KernelFile.text(of: kernel.cgroups(of: .pid(pid)))).flatMap { Cgroup.path(inMembership: $0) }
        }
    }

    /// Counts a connection that is there now.
    func enter(_ account: PeerQuotas.Account) { quotas.enter(account, at: .now) }

    /// Counts a connection that is gone.
    func leave(_ account: PeerQuotas.Account) { quotas.leave(account, at: .now) }
}
