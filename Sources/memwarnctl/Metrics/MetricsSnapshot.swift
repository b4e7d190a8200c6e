import MemwarnProgram
import MemwarnProtocol

/// What the daemon said when it was asked for everything that metrics are made of.
struct MetricsSnapshot {
    var daemon: DaemonRecord
    var counters: CountersRecord
    /// The scopes, each once.
    var scopes: [ScopeRecord]
    /// The hosts, each once.
    var hosts: [HostRecord]

    /// A snapshot of these records.
    ///
    /// What comes twice is left out: Prometheus would refuse all metrics for one series that is there twice. Records
    /// can come twice because there is time between two pages, and paths because they are cut, or are not UTF-8.
    init(daemon: DaemonRecord, counters: CountersRecord, scopes: [ScopeRecord], hosts: [HostRecord]) {
        self.daemon = daemon
        self.counters = counters
        var paths: Set<String> = []
        self.scopes = scopes.filter { paths.insert($0.path).inserted }
        var ids: Set<UInt64> = []
        self.hosts = hosts.filter { ids.insert($0.id).inserted }
    }

    /// Asks the daemon.
    init(from client: ControlClient) throws(Failure) {
        let snapshot = try DaemonSnapshot([.daemon, .counters, .scopes, .hosts], from: client)
        guard let counters = snapshot.counters else {
            throw .software("the daemon does not say what it has counted; is it of another version?")
        }
        self.init(daemon: snapshot.daemon, counters: counters, scopes: snapshot.scopes, hosts: snapshot.hosts)
    }
}
