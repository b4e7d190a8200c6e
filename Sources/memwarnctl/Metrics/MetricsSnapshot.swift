import MemwarnProgram
import MemwarnProtocol

/// The daemon's records for the metrics.
struct MetricsSnapshot {
    var daemon: DaemonRecord
    var counters: CountersRecord
    /// The scopes, each once.
    var scopes: [ScopeRecord]
    /// The hosts, each once.
    var hosts: [HostRecord]

    /// Creates a snapshot of these records.
    ///
    /// Duplicates are dropped: Prometheus would refuse all metrics because of one duplicate series. Records can be
    /// duplicated because time passes between two pages, and paths because they are cut, or are not UTF-8.
    init(daemon: DaemonRecord, counters: CountersRecord, scopes: [ScopeRecord], hosts: [HostRecord]) {
        self.daemon = daemon
        self.counters = counters
        var paths: Set<String> = []
        self.scopes = scopes.filter { paths.insert($0.path).inserted }
        var ids: Set<UInt64> = []
        self.hosts = hosts.filter { ids.insert($0.id).inserted }
    }

    /// Queries the daemon.
    init(from client: ControlClient) throws(Failure) {
        let snapshot = try DaemonSnapshot([.daemon, .counters, .scopes, .hosts], from: client)
        guard let counters = snapshot.counters else {
            throw .software("the daemon does not send its counters; is it another version?")
        }
        self.init(daemon: snapshot.daemon, counters: counters, scopes: snapshot.scopes, hosts: snapshot.hosts)
    }
}
