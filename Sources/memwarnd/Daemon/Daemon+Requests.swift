import CLinux
import MemoryPressure
import MemwarnProtocol

extension Daemon {
    /// How many records one query brings: few enough that they fit a socket's queue.
    private static let pageSize = Query.maximumRecords

    private static let notPermitted =
        "the hosts meant by that are other users'; members of the group \(ControlRights.groupName) may"

    /// Answers a query with a page of records.
    func list(_ query: Query, to peer: Peer, sequence: UInt64) {
        var records: [Message] = []
        var next: UInt64 = 0
        switch query.section {
        case .daemon:
            records = [.daemon(daemonRecord)]
        case .scopes:
            let page = sensors.all.filter { $0.id > query.after }.prefix(Self.pageSize)
            records = page.map { .scope($0.record(.present)) }
            if page.count == Self.pageSize { next = page.last?.id ?? 0 }
        case .hosts:
            let page = hosts.page(after: query.after, limit: Self.pageSize)
            records = page.map { .host($0.record(.present)) }
            if page.count == Self.pageSize { next = page.last?.id ?? 0 }
        case .rounds:
            let now = MonotonicInstant.now
            let page = (ledger.rounds + rounds.underWay).sorted { $0.id < $1.id }
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
        DaemonRecord(
            pid: UInt32(getpid()),
            uptime: started.duration(to: .now).milliseconds,
            level: sensors.all.map(\.level).max() ?? .normal,
            hosts: UInt32(hosts.all.count),
            scopes: UInt32(sensors.all.count),
            rounds: rounds.count,
            version: Memwarnd.version,
            doors: doors
        )
    }

    private var countersRecord: CountersRecord {
        var record = counters.record
        record.droppedEntries = log.dropped
        return record
    }

    /// Warns the hosts that are meant and may be, as if memory were short.
    func simulate(_ request: Simulate, for peer: Peer, sequence: UInt64) {
        let named: [Host] =
            switch request.target {
            case .all: hosts.all
            case .name(let name): hosts.all.filter { $0.name == name }
            case .pid(let pid): hosts.all.filter { $0.process.pid == pid }
            case .cgroup(let path): hosts.all.filter { $0.scope.path.isWithin(path) }
            }
        guard let targets = permitted(named, for: peer, sequence: sequence) else { return }
        // Who says the same level again says that it is still held.
        let isRepeat = request.level > .normal && peer.simulated == request.level
        peer.simulated = request.level
        let cause = Rounds.Cause(
            level: request.level,
            options: isRepeat ? [.simulated, .answerWanted, .repeated] : [.simulated, .answerWanted],
            reason: .simulation,
            scope: "/",
            bytesWanted: request.bytesWanted,
            // Longer than a minute nobody waits, and a round that never ends helps nobody.
            deadline: request.deadline > 0 ? .milliseconds(min(request.deadline, 60_000)) : nil
        )
        let round = rounds.begin(cause, targets.map { Rounds.Target(host: $0) })
        saveState()
        peer.send(Frame(sequence: sequence, message: .round(round.record(at: .now))))
        if !round.isFinished { requesters[round.id] = (peer, sequence) }
    }

    /// Has a command performed by the hosts that are meant and may be asked.
    func send(_ request: Send, for peer: Peer, sequence: UInt64) {
        let named: [Host] =
            switch request.target {
            case .name(let name): hosts.all.filter { $0.name == name }
            case .id(let id): hosts.all.filter { $0.id == id }
            }
        guard let targets = permitted(named, for: peer, sequence: sequence) else { return }
        guard errands.count(of: peer.process.uid) < Errands.limit else {
            let message = "\(Errands.limit) commands of your user's are under way; wait until one is answered"
            return decline(Refusal(code: .tooManyRequests, message: message), to: peer, sequence: sequence)
        }
        log.command(request.command, to: targets, by: peer.process)
        errands.begin(request, targets, for: peer, sequence: sequence)
    }

    /// The hosts among these that a peer may warn and command; tells the peer if there are none.
    ///
    /// ``ControlRights`` says who may everybody's; everybody else may their own.
    private func permitted(_ named: [Host], for peer: Peer, sequence: UInt64) -> [Host]? {
        let mayAll = rights.coverEverybody(for: peer.process.uid) { peer.groups }
        let permitted = mayAll ? named : named.filter { $0.process.uid == peer.process.uid }
        guard permitted.isEmpty else { return permitted }
        let refusal =
            named.isEmpty
            ? Refusal(code: .noSuchHost, message: "no registered host is meant by that")
            : Refusal(code: .notPermitted, message: Self.notPermitted)
        decline(refusal, to: peer, sequence: sequence)
        return nil
    }

    /// Says no to a request, and goes on with the peer.
    private func decline(_ refusal: Refusal, to peer: Peer, sequence: UInt64) {
        counters.refuse(refusal.code)
        peer.send(Frame(sequence: sequence, message: .error(refusal)))
    }
}
