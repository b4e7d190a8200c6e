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
        link(newcomer.connection, newcomer.door)?.arrival = Arrival(newcomer, sequence: sequence)
        seek(newcomer.connection, newcomer.door)
        locateHosts()
    }

    /// Searches for the process of a connection in the turn of its account.
    func seek(_ connection: ConnectionID, _ door: HostRecord.Door) {
        let account =
            switch door {
            case .native: self.door.account(of: connection)
            case .pressure: pressureDoor?.account(of: connection)
            }
        guard let account, !sought.renew(1, of: connection) else { return }
        sought.join(connection, 1, of: account.owner)
    }

    /// Ends the search for the process of a connection that has ended.
    func stopSeeking(_ connection: ConnectionID) {
        sought.remove(connection)
    }

    /// Starts a search for the processes whose turn it is; the rest follow after that.
    func locateHosts() {
        guard !sensors.isFinding else { return }
        var next: [HostSearch.Sought] = []
        while next.count < HostSearch.limit, let connection = sought.next()?.member {
            guard let subject = subject(of: connection), let link = link(of: subject) else { continue }
            next.append(HostSearch.Sought(subject, behind: link))
        }
        if !next.isEmpty { sensors.find(next, waits: false) }
    }

    /// The newcomer or the host with this connection, if it still exists.
    private func subject(of connection: ConnectionID) -> HostSearch.Subject? {
        guard let link = link(connection, .native) ?? link(connection, .pressure) else { return nil }
        guard let arrival = link.arrival else { return link.host.map { .host($0) } }
        link.arrival = nil
        return .newcomer(arrival.newcomer, sequence: arrival.sequence)
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
