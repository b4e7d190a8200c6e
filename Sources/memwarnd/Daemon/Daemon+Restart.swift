import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

extension Daemon {
    /// Registers the hosts of an earlier daemon again, without a hello.
    ///
    /// Each receives a welcome with the present level, since it may have missed changes.
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
            // No hello asked for it: a frame without a request has the sequence 0.
            register(peer, registration.hello, as: registration.id, sequence: 0, waits: true)
        case .pressure:
            // If the door is closed now, no warnings can reach the host.
            guard let peer = pressureDoor?.adopt(connection) else { return vault.dismiss(registration.id) }
            register(peer, registration.hello, as: registration.id, waits: true)
        }
    }

    /// Stores the state that the next daemon needs with the service manager.
    func saveState() {
        lastSave = .now
        vault.save(
            DaemonState(
                lastHost: policy.hosts.lastID,
                levels: policy.scopes.levels
            )
        )
    }
}
