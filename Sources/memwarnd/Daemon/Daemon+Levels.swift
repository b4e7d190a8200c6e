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
            if scope === sensors.host { lowMemoryMonitor?.warn(scope.level, isRepeated: false) }
        case .level(.persists):
            announce(scope, [.answerWanted, .repeated])
            if scope === sensors.host { lowMemoryMonitor?.warn(scope.level, isRepeated: true) }
        case .level(.fell):
            rounds.curtail(scope.path)
            relieve()
            note(scope)
        case .lost:
            lose(scope)
        }
        saveState()
        statusUpdate?.schedule()
    }

    /// Warns the hosts for which this scope's level is the one that counts, and at warning those around it.
    private func announce(_ scope: Scope, _ options: WarningOptions) {
        let cause = cause(scope, options)
        var targets = targets(around: scope, limit: cause.reason.limit)
        // Nobody is asked again who had nothing left.
        if options.contains(.repeated) { targets.removeAll { $0.host.isExhausted && $0.host.told == scope.level } }
        for target in targets { target.host.warnedFor = scope }
        rounds.begin(cause, targets)
        note(scope)
    }

    private func targets(around pressured: Scope, limit: BindingLimit?) -> [Rounds.Target] {
        let scopes = pressured.level == .warning ? sensors.all : sensors.within(pressured)
        return scopes.flatMap { scope -> [Rounds.Target] in
            guard !scope.hosts.isEmpty, let ring = sensors.ring(of: scope, around: pressured, limit: limit) else {
                return []
            }
            let binding = sensors.binding(scope)
            // Those inside hear of the scope that counts for them, those around it only while they are calm themselves.
            guard ring == .inside ? binding === pressured : binding.level == .normal else { return [] }
            return scope.hosts.map { Rounds.Target(host: $0, ring: ring) }
        }
    }

    /// Tells hosts whose level fell what it is now: one round for each scope whose level counts for them.
    private func relieve() {
        var relieved: [UInt64: (binding: Scope, hosts: [Host])] = [:]
        for scope in sensors.all where !scope.hosts.isEmpty {
            let binding = sensors.binding(scope)
            for host in scope.hosts where host.believed > max(binding.level, host.warnedFor?.level ?? .normal) {
                relieved[binding.id, default: (binding, [])].hosts.append(host)
            }
        }
        for (binding, hosts) in relieved.values {
            rounds.begin(cause(binding, []), hosts.map { Rounds.Target(host: $0) })
        }
    }

    /// Makes a scope's level known to people and observers.
    private func note(_ scope: Scope) {
        log.level(of: scope)
        publish(.scope(scope.record(.present)))
    }

    private func cause(_ scope: Scope, _ options: WarningOptions) -> Rounds.Cause {
        let reading = scope.sensor?.reading
        let headroom = scope.level > .normal ? reading?.headroom ?? scope.sensor?.headroom() : nil
        var reason = scope.machine.reason
        if reason.limit == nil { reason.limit = headroom?.limit }
        return Rounds.Cause(
            level: scope.level,
            options: options,
            reason: reason,
            scope: scope.path,
            bytesWanted: sensors.bytesWanted(headroom),
            stallsBefore: reading?.stalls?.some ?? .zero,
            usedBefore: headroom?.used ?? 0
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
        // Nobody will say that its pressure is over.
        for host in hosts.all where host.warnedFor === scope { host.warnedFor = nil }
        let homeless = scope.hosts
        scope.hosts = []
        for host in homeless { settle(host) }
        rounds.curtail(scope.path)
        relieve()
    }

    private func settle(_ host: Host) {
        host.scope = sensors.scope(of: host.link)
        // It may be older than those that live there.
        host.scope.hosts.insertHost(host)
    }
}
