import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

extension Daemon {
    /// Has the hosts of a daemon before this one as hosts again, without a hello.
    ///
    /// Each is sent a welcome with the level that holds now, since it may have missed any.
    func takeOver(_ inheritance: Inheritance) {
        vault.adopt(inheritance)
        if !inheritance.useless.isEmpty {
            log.closedUseless(inheritance.useless.map { $0.name })
        }
        for host in inheritance.hosts { takeOver(host) }
        if !inheritance.hosts.isEmpty {
            log.tookOver(policy.hosts.count, of: inheritance.hosts.count)
        }
        saveState()
    }

    private func takeOver(_ host: Inheritance.KeptHost) {
        let connection = Descriptor(taking: host.connection)
        let registration = host.registration
        switch registration.door {
        case .native:
            guard let peer = door.adopt(connection) else { return vault.dismiss(registration.id) }
            // It answers no hello: an unrequested frame has the sequence 0.
            register(peer, registration.hello, as: registration.id, sequence: 0, waits: true)
        case .pressure:
            // If the door is closed now, no warnings reach the host.
            guard let peer = pressureDoor?.adopt(connection) else { return vault.dismiss(registration.id) }
            register(peer, registration.hello, as: registration.id, waits: true)
        }
    }

    /// Leaves what the daemon after this one has to know with the service manager.
    func saveState() {
        vault.save(
            DaemonState(
                lastRound: policy.rounds.lastID,
                lastHost: policy.hosts.lastID,
                levels: policy.scopes.all.reduce(into: [:]) { if $1.level > .normal { $0[$1.path] = $1.level } }
            )
        )
    }
}
