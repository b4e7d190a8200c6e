import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import WarningPolicy

extension Daemon {
    /// Answers a query with a page of records.
    func list(_ query: Query, to peer: Peer, sequence: UInt64) {
        send(Page(query, sequence: sequence), to: peer)
    }

    /// Sends as much of a page as the peer's socket accepts, and keeps the rest until it has room.
    func send(_ page: Page, to peer: Peer) {
        let after = page.after
        let sent =
            switch page.section {
            case .daemon:
                page.send(page.count == 0 ? [daemonRecord] : [], to: peer, id: { _ in 0 }, record: { .daemon($0) })
            case .scopes:
                page.send(
                    policy.scopes.all.lazy.filter { $0.id > after },
                    to: peer,
                    id: { $0.id },
                    record: { [sensors] in .scope($0.record(sensors.show($0.id))) }
                )
            case .hosts:
                page.send(
                    policy.hosts.page(after: after, limit: Query.maximumRecords),
                    to: peer,
                    id: { policy.hosts[$0].id },
                    record: { .host(policy.record(of: $0)) }
                )
            case .rounds:
                page.send(
                    (policy.ledger.rounds + policy.rounds.underWay).ordered { $0.id < $1.id }.lazy
                        .filter { $0.id > after },
                    to: peer,
                    id: { $0.id },
                    record: { .round($0.record(at: .now)) }
                )
            case .counters:
                page.send(page.count == 0 ? [countersRecord] : [], to: peer, id: { _ in 0 }, record: { .counters($0) })
            }
        peer.page = sent == .full ? page : nil
    }

    private var daemonRecord: DaemonRecord {
        DaemonRecord {
            $0.pid = UInt32(getpid())
            $0.uptime = started.duration(to: .now).milliseconds
            $0.level = policy.scopes.worst
            $0.hosts = UInt32(policy.hosts.count)
            $0.scopes = UInt32(policy.scopes.all.count)
            $0.rounds = policy.rounds.count
            $0.version = Version.current
            $0.doors = doors
            $0.refusal = refusal?.prefix(utf8: TextLimit.message.upperBound) ?? ""
        }
    }

    private var countersRecord: CountersRecord {
        var record = policy.counters.record
        record.droppedEntries = log.dropped
        return record
    }
}
