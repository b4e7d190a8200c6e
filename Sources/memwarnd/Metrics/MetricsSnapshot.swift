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
    init(from client: inout ControlClient) throws(Failure) {
        guard case .daemon(let daemon)? = try client.list(.daemon).first,
            case .counters(let counters)? = try client.list(.counters).first
        else { throw .software("the daemon does not say what it has counted; is it of another version?") }
        let scopes: [ScopeRecord] = try client.list(.scopes).compactMap {
            if case .scope(let record) = $0 { record } else { nil }
        }
        let hosts: [HostRecord] = try client.list(.hosts).compactMap {
            if case .host(let record) = $0 { record } else { nil }
        }
        self.init(daemon: daemon, counters: counters, scopes: scopes, hosts: hosts)
    }
}
