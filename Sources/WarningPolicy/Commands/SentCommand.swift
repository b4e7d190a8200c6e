internal import MemoryPressure
internal import MemwarnProtocol

/// One command from its sending to the last answer or the deadline, and what its client is still to be told.
struct SentCommand: Sendable {
    /// How many answers are kept for a client that does not read: memory that a client could make the daemon use.
    static let backlog = 64
    /// How long after the deadline a client may take to read the end.
    static let patience = Duration.seconds(10)

    let id: UInt64
    let client: Client
    /// The client's number for it.
    let sequence: UInt64
    /// When hosts that have not answered are counted silent.
    let expires: MonotonicInstant

    /// The hosts that are still to answer.
    private var awaited: [HostID: Awaited] = [:]
    /// What the client did not take yet, the oldest first.
    private var unsent: [Message] = []
    /// How many of these the client was offered, without a word yet of how many it took.
    private var offered = 0
    /// Whether the client took less than it was offered, so that its connection has to have room first.
    private var isBlocked = false
    private var missed: UInt64 = 0
    private var isEnding = false

    private struct Awaited: Sendable {
        var pid: UInt32
        var name: String
    }

    init(id: UInt64, client: Client, sequence: UInt64, expires: MonotonicInstant) {
        self.id = id
        self.client = client
        self.sequence = sequence
        self.expires = expires
    }

    /// When it has to be looked after.
    var due: MonotonicInstant { awaited.isEmpty ? expires.advanced(by: Self.patience) : expires }

    /// Whether its client was told everything.
    var isOver: Bool { isEnding && unsent.isEmpty }

    /// A host was sent the command.
    mutating func await(_ host: HostEntry) {
        awaited[host.id] = Awaited(pid: host.pid, name: host.name)
    }

    /// A host answered; an answer that is not waited for is none.
    mutating func answer(_ host: HostID, _ reply: CommandReply) {
        guard let known = awaited.removeValue(forKey: host) else { return }
        let outcome: CommandRecord.Outcome =
            switch reply.result {
            case .done: .done
            case .failed: .failed
            case .unhandled: .unhandled
            }
        // Only answers take room that a host decides about; what the daemon finds itself is small and never lost.
        guard unsent.count < Self.backlog else {
            missed += 1
            return
        }
        report(host, known.pid, known.name, outcome, reply.text)
    }

    /// A host's connection ended, or did not take the command.
    mutating func lose(_ host: HostID, _ outcome: CommandRecord.Outcome) {
        if let known = awaited.removeValue(forKey: host) { report(host, known.pid, known.name, outcome) }
    }

    /// The deadline has passed.
    mutating func expire() {
        for (host, known) in awaited.sorted(by: { $0.key < $1.key }) { report(host, known.pid, known.name, .silent) }
        awaited = [:]
    }

    /// Notes what became of the command at a host that was not sent it.
    mutating func skip(_ host: HostEntry, _ outcome: CommandRecord.Outcome) {
        report(host.id, host.pid, host.name, outcome)
    }

    private mutating func report(
        _ host: HostID,
        _ pid: UInt32,
        _ name: String,
        _ outcome: CommandRecord.Outcome,
        _ text: String = ""
    ) {
        let record = CommandRecord {
            $0.id = host
            $0.pid = pid
            $0.outcome = outcome
            $0.name = name
            $0.text = text
        }
        unsent.append(.commandRecord(record))
    }

    /// Offers the client what it was not told yet, unless it is being told or its connection is full.
    mutating func tell(_ effects: inout Effects) {
        if awaited.isEmpty, !isEnding {
            isEnding = true
            if missed > 0 { unsent.append(.missed(Missed(count: missed))) }
            unsent.append(.end(End()))
        }
        guard offered == 0, !isBlocked, !unsent.isEmpty else { return }
        offered = unsent.count
        effects.append(.report(command: id, client.connection, sequence: sequence, unsent))
    }

    /// The client took so much of what it was offered.
    mutating func took(_ count: Int, _ effects: inout Effects) {
        unsent.removeFirst(min(count, unsent.count))
        isBlocked = count < offered
        offered = 0
        if isBlocked { effects.append(.awaitRoom(client.connection)) }
    }

    /// The client's connection has room.
    mutating func unblock() {
        isBlocked = false
    }
}
