import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Systemd
import WarningPolicy

extension Daemon {
    /// Makes a host of a newcomer once it is known where its process is; with `waits` before this returns.
    func enter(_ newcomer: Newcomer, sequence: UInt64, waits: Bool) {
        let subject = HostSearch.Subject.newcomer(newcomer, sequence: sequence)
        if waits, let link = link(of: subject) {
            return sensors.find([HostSearch.Sought(subject, behind: link)], waits: true)
        }
        sought.append(subject)
        locateHosts()
    }

    /// Has those looked for that have waited longest, and the rest when these are found.
    func locateHosts() {
        guard !sensors.isFinding else { return }
        var next: [HostSearch.Sought] = []
        while next.count < HostSearch.limit, let subject = sought.popFirst() {
            if let link = link(of: subject) { next.append(HostSearch.Sought(subject, behind: link)) }
        }
        if !next.isEmpty { sensors.find(next, waits: false) }
    }

    /// Takes in where hosts are; those that have left meanwhile are in no table any more.
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

    /// The way to a host that is looked for, if it is still there.
    private func link(of subject: HostSearch.Subject) -> (any HostLink)? {
        switch subject {
        case .newcomer(let newcomer, _):
            let link = link(newcomer.connection, newcomer.door)
            // The descriptor may be another's by now.
            return link?.host == newcomer.id ? link : nil
        case .host(let id):
            return policy.hosts.slot(of: id).flatMap { link(policy.hosts[$0].connection, policy.hosts[$0].door) }
        }
    }

    /// Has the log tell, once, that a host's process could not be found since all of other users are hidden.
    private func noteHiding(of process: FrameSocket.Peer) {
        // A process of another pid namespace has no pid here: another matter, which doctor tells of.
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
