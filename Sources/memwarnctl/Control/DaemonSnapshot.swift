import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

/// Everything that the daemon reports about itself at one time.
struct DaemonSnapshot {
    var daemon: DaemonRecord
    /// `nil` if they were not requested.
    var counters: CountersRecord?
    var scopes: [ScopeRecord] = []
    var hosts: [HostRecord] = []
    var rounds: [RoundRecord] = []

    /// Creates the snapshot of a daemon without scopes and hosts.
    init(daemon: DaemonRecord) {
        self.daemon = daemon
    }

    /// Requests some sections and waits for them.
    init(_ sections: [Query.Section] = SnapshotCollector.shown, from client: ControlClient) throws(Failure) {
        var collector = SnapshotCollector(sections)
        while let query = collector.query {
            try client.request(.query(query))
            let deadline = MonotonicInstant.now.advanced(by: ControlClient.patience)
            while try !collector.take(client.receive(by: deadline).message) {}
        }
        self = try collector.snapshot
    }
}

/// A snapshot in progress: section by section, page by page.
struct SnapshotCollector {
    /// The sections that are shown.
    static let shown: [Query.Section] = [.daemon, .scopes, .hosts, .rounds]

    /// The maximum number of pages: a daemon has at most 65 536 descriptors by default, and a page 64 records.
    static let mostPages = 10_000

    /// The maximum number of messages before the `end` of a page: a page has 64 records, and a later daemon may send more.
    static let mostMessages = 1_024

    /// The next query; `nil` once the snapshot is complete.
    private(set) var query: Query?
    /// The number of pages so far.
    private(set) var pages = 0

    /// The number of messages of the present page so far.
    private var messages = 0
    private var sections: ArraySlice<Query.Section>
    private var gathered = DaemonSnapshot(daemon: DaemonRecord())
    private var isKnown = false

    init(_ sections: [Query.Section] = Self.shown) {
        self.sections = sections[...]
        query = self.sections.popFirst().map { Query(section: $0) }
    }

    /// Adds a part of the answer to ``query``; returns `true` at its end.
    ///
    /// - Throws: ``Failure`` if the daemon refuses, or if a page or the list of pages does not end.
    mutating func take(_ message: Message) throws(Failure) -> Bool {
        messages += 1
        guard messages <= Self.mostMessages else { throw .software("the daemon's page of records does not end") }
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
            messages = 0
            if let before = query, end.next > 0 {
                // Otherwise the pages would never end.
                guard end.next > before.after, pages <= Self.mostPages else {
                    throw .software("the daemon's list of \(before.section) does not end")
                }
                query = Query(section: before.section, after: end.next)
            } else {
                query = sections.popFirst().map { Query(section: $0) }
            }
            return true
        default: break
        }
        return false
    }

    /// The finished snapshot.
    var snapshot: DaemonSnapshot {
        get throws(Failure) {
            guard isKnown else { throw .software("the daemon does not identify itself") }
            return gathered
        }
    }
}
