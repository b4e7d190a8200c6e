import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Systemd
import WarningPolicy

extension Daemon {
    /// Registers a newcomer after its process was found; with `waits`, before this returns.
    func enter(_ newcomer: Newcomer, sequence: UInt64, waits: Bool) {
        let subject = HostSearch.Subject.newcomer(newcomer, sequence: sequence)
        if waits, let link = link(of: subject) {
            return sensors.find([HostSearch.Sought(subject, behind: link)], waits: true)
        }
        sought.append(subject)
        locateHosts()
    }

    /// Starts a search for the processes that have waited longest; the rest follow after that.
    func locateHosts() {
        guard !sensors.isFinding else { return }
        var next: [HostSearch.Sought] = []
        while next.count < HostSearch.limit, let subject = sought.popFirst() {
            if let link = link(of: subject) { next.append(HostSearch.Sought(subject, behind: link)) }
        }
        if !next.isEmpty { sensors.find(next, waits: false) }
    }

    /// Records the results of a search; hosts that have left meanwhile are in no table any more.
    func take(_ found: HostSearch) {
        var located: [(host: HostID, location: Location)] = []
        for one in found.sought {
            guard let link = link(of: one.subject) else { continue }
            if !one.location.isInCgroup { noteHiding(of: link.process) }
            switch one.subject {
            case .host(let id): located.append((id, one.location))
            case .newcomer(var newcomer, let sequence):
                newcomer.location = one.location
                feed(.registered(newcomer, sequence: sequence))
                if newcomer.door == .native { door.resume(newcomer.connection) }
            }
        }
        if !located.isEmpty { feed(.located(located)) }
        if !sought.isEmpty { search?.arm(after: .zero) }
    }

    /// The connection of a host that a search has found, if it still exists.
    private func link(of subject: HostSearch.Subject) -> (any HostLink)? {
        switch subject {
        case .newcomer(let newcomer, _):
            let link = link(newcomer.connection, newcomer.door)
            // Another connection may have the descriptor now.
            return link?.host == newcomer.id ? link : nil
        case .host(let id):
            return policy.hosts.slot(of: id).flatMap { link(policy.hosts[$0].connection, policy.hosts[$0].door) }
        }
    }

    /// Logs, once, that a host's process could not be found because processes of other users are hidden.
    private func noteHiding(of process: FrameSocket.Peer) {
        // A process of another pid namespace has no pid here, which is a different problem that doctor reports.
        guard !knowsOfHiding, process.pid != 0, process.uid != geteuid() else { return }
        guard !sensors.kernel.showsAllProcesses else { return }
        knowsOfHiding = true
        log.processesHidden()
    }
}

extension Location {
    fileprivate var isInCgroup: Bool {
        if case .found(let place) = self { place.cgroup != nil } else { false }
    }
}
