import MemwarnProgram
import MemwarnProtocol

/// Everything the daemon tells about itself at one time.
struct DaemonSnapshot {
    var daemon: DaemonRecord
    /// `nil` if it was not asked for.
    var counters: CountersRecord?
    var scopes: [ScopeRecord] = []
    var hosts: [HostRecord] = []
    var rounds: [RoundRecord] = []

    /// The snapshot of a daemon that watches nothing and knows nobody.
    init(daemon: DaemonRecord) {
        self.daemon = daemon
    }

    /// Asks for some sections and waits for them.
    init(_ sections: [Query.Section] = SnapshotCollector.shown, from client: ControlClient) throws(Failure) {
        var collector = SnapshotCollector(sections)
        while let query = collector.query {
            try client.request(.query(query))
            while try !collector.take(client.receive().message) {}
        }
        self = try collector.snapshot
    }
}

/// A snapshot in the making: one section after the other, page by page.
struct SnapshotCollector {
    /// What is shown of a daemon.
    static let shown: [Query.Section] = [.daemon, .scopes, .hosts, .rounds]

    /// What to ask for now; `nil` once everything is there.
    private(set) var query: Query?
    /// How many pages there were.
    private(set) var pages = 0

    private var sections: ArraySlice<Query.Section>
    private var gathered = DaemonSnapshot(daemon: DaemonRecord())
    private var isKnown = false

    init(_ sections: [Query.Section] = Self.shown) {
        self.sections = sections[...]
        query = self.sections.popFirst().map { Query(section: $0) }
    }

    /// Takes a part of the answer to ``query``; true if that was its end.
    mutating func take(_ message: Message) throws(Failure) -> Bool {
        switch message {
        case .daemon(let record):
            gathered.daemon = record
            isKnown = true
        case .counters(let record): gathered.counters = record
        case .scope(let record): gathered.scopes.append(record)
        case .host(let record): gathered.hosts.append(record)
        case .round(let record): gathered.rounds.append(record)
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
            guard isKnown else { throw .software("the daemon does not say who it is") }
            return gathered
        }
    }
}
