import MemoryPressure
import MemwarnProtocol
import WarningPolicy

// The lines of the full trace.
extension WarningPolicy.Input {
    var text: String {
        switch self {
        case .opened(let scope, .opened(let files)): "opened \(scope) on \(files.rung): \(files.first.text)"
        case .opened(let scope, .failed(let error)): "opened \(scope): \(error)"
        case .read(let scope, let readings): "read \(scope): \(readings.text)"
        case .registered(let newcomer, _):
            "registered \(newcomer.id) \(newcomer.hello.name) on \(newcomer.connection) \(newcomer.location.text)"
        case .located(let hosts): "located " + hosts.map { "\($0.host) \($0.1.text)" }.joined(separator: ", ")
        case .answered(let host, let round, let answer):
            "answered host \(host) round \(round): released \(answer.released >> 10) KiB, releasable \(answer.releasable >> 10) KiB"
        case .looked(let round, let look):
            "looked for round \(round): some \(look?.stalls?.total(.some) ?? 0), left \(look?.headroom.map { "\($0.share)" } ?? "-")"
        case .cgroupAppeared(let place): "cgroupAppeared \(place.name)"
        case .settings: "settings"
        default: "\(self)"
        }
    }
}

extension Effects {
    func text(_ effect: Effect) -> String {
        switch effect {
        case .open(let scope, let place, _): "open \(scope) \(place.name)"
        case .warn(let round, let warning, let range):
            "warn round \(round) \(warning.level) \(warning.options.rawValue) for \(warning.scope) (\(warning.reason)): "
                + recipients[range].map { "\($0.host) of \($0.bytesWanted >> 10) KiB" }.joined(separator: ", ")
        case .reply(let connection, _, let message): "reply \(connection): \(message)"
        case .noteHost(let record): "noteHost \(record.id) \(record.state)"
        case .noteRound(let round, _):
            "noteRound \(round.id) \(round.level) of \(round.scope): \(round.hosts) hosts, \(round.answered) answered, \(round.silent) silent, \(round.undeliverable) undeliverable"
        case .listen(let scope, let triggers): "listen \(scope) \(triggers.rawValue)"
        case .read(let scope, let reads): "read \(scope) \(reads.rawValue)"
        default: "\(effect)"
        }
    }
}

extension SensorReadings {
    var text: String {
        let stalls =
            stalls.map { "some \($0.total(.some)) full \($0.total(.full)) avg10 \($0.average10(.some)) " } ?? ""
        let events = limitEvents.map { "high \($0.high) max \($0.max) " } ?? ""
        let left = headroom.map { "left \($0.share) of \($0.limit) " } ?? ""
        let reclaim = reclaim.map { "scanned \($0.scanned) refaulted \($0.refaulted)" } ?? ""
        return stalls + events + left + reclaim + (failed.rawValue > 0 ? " failed \(failed.rawValue)" : "")
    }
}

extension Location {
    var text: String {
        switch self {
        case .found(let place): "in \(place.name)"
        case .unknown(let error): "errno \(error.errno)"
        }
    }
}
