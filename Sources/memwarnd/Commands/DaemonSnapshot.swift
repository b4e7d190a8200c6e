import MemwarnProtocol

/// Everything the daemon tells about itself at one time.
struct DaemonSnapshot {
    var daemon: DaemonRecord
    var scopes: [ScopeRecord] = []
    var hosts: [HostRecord] = []
    var rounds: [RoundRecord] = []

    /// The snapshot of a daemon that watches nothing and knows nobody.
    init(daemon: DaemonRecord) {
        self.daemon = daemon
    }

    /// Asks for everything and waits for it.
    init(from client: inout ControlClient) throws(Failure) {
        var collector = SnapshotCollector()
        while let query = collector.query {
            try client.request(.query(query))
            while try !collector.take(client.receive().message) {}
        }
        self = try collector.snapshot
    }
}

/// A snapshot in the making: one section after the other, page by page.
struct SnapshotCollector {
    /// What to ask for now; `nil` once everything is there.
    private(set) var query: Query? = Query(section: .daemon)
    /// How many pages there were.
    private(set) var pages = 0

    private var sections: ArraySlice<Query.Section> = [.scopes, .hosts, .rounds]
    private var daemon: DaemonRecord?
    private var scopes: [ScopeRecord] = []
    private var hosts: [HostRecord] = []
    private var rounds: [RoundRecord] = []

    /// Takes a part of the answer to ``query``; true if that was its end.
    mutating func take(_ message: Message) throws(Failure) -> Bool {
        switch message {
        case .daemon(let record): daemon = record
        case .scope(let record): scopes.append(record)
        case .host(let record): hosts.append(record)
        case .round(let record): rounds.append(record)
        case .error(let refusal): throw Failure(refusal)
        case .end(let end):
            pages += 1
            if let section = query?.section, end.next > 0 {
                query = Query(section: section, after: end.next)
            } else {
                query = sections.popFirst().map { Query(section: $0) }
            }
            return true
        default: break
        }
        return false
    }

    /// What was taken.
    var snapshot: DaemonSnapshot {
        get throws(Failure) {
            guard let daemon else { throw .software("the daemon does not say who it is") }
            var snapshot = DaemonSnapshot(daemon: daemon)
            snapshot.scopes = scopes
            snapshot.hosts = hosts
            snapshot.rounds = rounds
            return snapshot
        }
    }
}
