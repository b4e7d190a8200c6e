import MemoryPressure
import MemwarnProtocol
import WarningPolicy

extension Daemon {
    /// Has the policy hear of the scopes that are watched, and of what becomes of them.
    func followScopes() {
        sensors.opened = { [unowned self] scope in
            feed(.scopeOpened(scope.id, path: scope.path, scope.level, scope.machine.reason))
        }
        sensors.handler = { [unowned self] scope, event in handle(event, in: scope) }
        sensors.configured = { [unowned self] in configured($0, $1) }
        let host = sensors.host
        feed(.scopeOpened(host.id, path: host.path, host.level, host.machine.reason))
    }

    private func handle(_ event: Scope.Event, in scope: Scope) {
        switch event {
        case .level(let change):
            feed(.levelChanged(scope.id, change, scope.level, scope.machine.reason, scope.figures))
        case .lost:
            sensors.forget(scope)
            feed(.scopeLost(scope.id))
            if scope !== sensors.host { publish(.scope(scope.record(.gone, hosts: 0))) }
        }
    }
}
