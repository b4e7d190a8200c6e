import MemoryPressure
import MemwarnProtocol
import Systemd

/// The daemon's log, written when nothing else is pending: no write stands between a reading and the last warning.
final class DeferredLog {
    private let journal: Journal
    private var pending: [(Journal) -> Void] = []
    private var source: DeferredSource?

    init(_ journal: Journal, loop: EventLoop) throws(SystemdError) {
        self.journal = journal
        source = try loop.deferred { [unowned self] in flush() }
    }

    /// A sentence without figures.
    func entry(_ priority: Journal.Priority, _ message: String) {
        add { $0.log(priority, message) }
    }

    /// A scope's level, with its figures as fields.
    func level(of scope: Scope) {
        let reason = scope.machine.reason
        let message = "memory pressure of \(scope.path) is \(scope.level): \(reason)"
        let fields: [Journal.Field] = [
            ("MEMWARND_SCOPE", scope.path),
            ("MEMWARND_LEVEL", "\(scope.level)"),
            ("MEMWARND_SOURCE", "\(reason.source)"),
            ("MEMWARND_PERCENT", "\(reason.figure.percent)"),
        ]
        add { $0.log(.notice, message, fields: fields) }
    }

    /// What became of a round: the ledger's row.
    func round(_ record: RoundRecord) {
        let outcome =
            record.options.contains(.answerWanted)
            ? """
            \(record.hosts) hosts, \(record.answered) answered, \(record.silent) silent, \
            \(ByteCount(record.released)) released in \(Milliseconds(microseconds: record.duration))
            """ : "\(record.hosts) hosts told"
        let message = """
            round \(record.id), \(record.level)\(record.options.contains(.simulated) ? " (simulated)" : ""), \
            \(record.scope): \(outcome)
            """
        let fields: [Journal.Field] = [
            ("MEMWARND_ROUND", "\(record.id)"),
            ("MEMWARND_LEVEL", "\(record.level)"),
            ("MEMWARND_SCOPE", record.scope),
            ("MEMWARND_HOSTS", "\(record.hosts)"),
            ("MEMWARND_ANSWERED", "\(record.answered)"),
            ("MEMWARND_SILENT", "\(record.silent)"),
            ("MEMWARND_UNDELIVERABLE", "\(record.undeliverable)"),
            ("MEMWARND_RELEASED_BYTES", "\(record.released)"),
            ("MEMWARND_RESIDENT_FREED_BYTES", "\(record.residentFreed)"),
            ("MEMWARND_DURATION_USEC", "\(record.duration)"),
        ]
        add { $0.log(.info, message, fields: fields) }
    }

    /// Who has hosts do what.
    func command(_ command: CommandRequest, to hosts: [Host], by client: FrameSocket.Peer) {
        let names = hosts.count == 1 ? hosts[0].name : "\(hosts.count) hosts"
        let message = "pid \(client.pid) of uid \(client.uid) sends “\(command.name)” to \(names)"
        let fields: [Journal.Field] = [
            ("MEMWARND_COMMAND", command.name),
            ("MEMWARND_HOSTS", "\(hosts.count)"),
        ]
        add { $0.log(.info, message, fields: fields) }
    }

    private func add(_ entry: @escaping (Journal) -> Void) {
        // A log that cannot keep up loses entries rather than grow in the middle of a shortage.
        guard pending.count < 1_000 else { return }
        pending.append(entry)
        source?.schedule()
    }

    /// Writes what is pending now: at the end, when there is no later.
    func flush() {
        for entry in pending { entry(journal) }
        pending.removeAll(keepingCapacity: true)
    }
}
