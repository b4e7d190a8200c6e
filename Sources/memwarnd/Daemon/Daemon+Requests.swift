import CLinux
import MemoryPressure
import MemwarnProtocol
import WarningPolicy

extension Daemon {
    /// How many records one query brings: few enough that they fit a socket's queue.
    private static let pageSize = Query.maximumRecords

    /// Answers a query with a page of records.
    func list(_ query: Query, to peer: Peer, sequence: UInt64) {
        var records: [Message] = []
        var next: UInt64 = 0
        switch query.section {
        case .daemon:
            records = [.daemon(daemonRecord)]
        case .scopes:
            let page = sensors.all.filter { $0.id > query.after }.prefix(Self.pageSize)
            records = page.map { .scope($0.record(.present, hosts: hosts(in: $0))) }
            if page.count == Self.pageSize { next = page.last?.id ?? 0 }
        case .hosts:
            let page = policy.hosts.page(after: query.after, limit: Self.pageSize).map { policy.record(of: $0) }
            records = page.map { .host($0) }
            if page.count == Self.pageSize { next = page.last?.id ?? 0 }
        case .rounds:
            let now = MonotonicInstant.now
            let page = (policy.ledger.rounds + policy.rounds.underWay).sorted { $0.id < $1.id }
                .filter { $0.id > query.after }.prefix(Self.pageSize)
            records = page.map { .round($0.record(at: now)) }
            if page.count == Self.pageSize { next = page.last?.id ?? 0 }
        case .counters:
            records = [.counters(countersRecord)]
        }
        for record in records { peer.send(Frame(sequence: sequence, message: record)) }
        peer.send(Frame(sequence: sequence, message: .end(End(next: next))))
    }

    private var daemonRecord: DaemonRecord {
        DaemonRecord {
            $0.pid = UInt32(getpid())
            $0.uptime = started.duration(to: .now).milliseconds
            $0.level = policy.scopes.worst
            $0.hosts = UInt32(policy.hosts.count)
            $0.scopes = UInt32(sensors.all.count)
            $0.rounds = policy.rounds.lastID
            $0.version = Memwarnd.version
            $0.doors = doors
        }
    }

    private var countersRecord: CountersRecord {
        var record = policy.counters.record
        record.droppedEntries = log.dropped
        return record
    }
}
