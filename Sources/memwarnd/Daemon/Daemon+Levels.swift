import MemoryPressure
import MemwarnProtocol
import Systemd

extension Daemon {
    /// What became of a scope.
    func handle(_ event: Scope.Event, in scope: Scope) {
        if case .level(let change) = event { counters.add(change, to: scope.level) }
        switch event {
        case .level(.rose):
            announce(scope, [.answerWanted])
        case .level(.persists):
            announce(scope, [.answerWanted, .repeated])
        case .level(.fell):
            relieve(sensors.within(scope))
            note(scope)
        case .lost:
            lose(scope)
        }
        statusUpdate?.schedule()
    }

    /// Warns the hosts for which this scope's level is the one that counts.
    private func announce(_ scope: Scope, _ options: WarningOptions) {
        let targets = sensors.within(scope).filter { sensors.binding($0) === scope }.flatMap(\.hosts)
        rounds.begin(cause(scope, options), targets)
        note(scope)
    }

    /// Tells hosts whose level fell what it is now: one round for each scope whose level counts for them.
    private func relieve(_ scopes: [Scope]) {
        let byBinding = Dictionary(grouping: scopes) { sensors.binding($0).id }
        for group in byBinding.values {
            let binding = sensors.binding(group[0])
            let relieved = group.flatMap(\.hosts).filter { $0.believed > binding.level }
            if !relieved.isEmpty { rounds.begin(cause(binding, []), relieved) }
        }
    }

    /// Makes a scope's level known to people and observers.
    private func note(_ scope: Scope) {
        log.level(of: scope)
        publish(.scope(scope.record(.present)))
    }

    private func cause(_ scope: Scope, _ options: WarningOptions) -> Rounds.Cause {
        Rounds.Cause(
            level: scope.level,
            options: options,
            reason: scope.machine.reason,
            scope: scope.path,
            bytesWanted: scope === sensors.host && scope.level > .normal ? sensors.bytesWanted() : 0
        )
    }

    /// A cgroup is gone, or its accounting was switched off: its hosts are looked for anew.
    private func lose(_ scope: Scope) {
        guard scope !== sensors.host else {
            log.hostLost()
            return
        }
        sensors.forget(scope)
        log.lost(scope)
        publish(.scope(scope.record(.gone)))
        let homeless = scope.hosts
        scope.hosts = []
        for host in homeless { settle(host) }
        relieve(sensors.all)
    }

    private func settle(_ host: Host) {
        host.scope = sensors.scope(of: host.process.pid)
        // It may be older than those that live there.
        host.scope.hosts.insertHost(host)
    }
}
