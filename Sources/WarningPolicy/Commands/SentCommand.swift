internal import MemoryPressure
internal import MemwarnProtocol

/// One command from its sending to the last answer or the deadline, and the messages that its client has not received
/// yet.
struct SentCommand: Sendable {
    /// The maximum number of bytes in the texts of answers that are kept for a client that does not read: hosts could
    /// otherwise make the daemon use more memory.
    static let backlog = 64 * TextLimit.text.upperBound
    /// How long after the deadline a client may take to read the end.
    static let patience = Duration.seconds(10)

    let id: UInt64
    let client: Client
    /// The sequence that the client gave it.
    let sequence: UInt64
    /// When hosts that have not answered are counted as silent.
    let expires: MonotonicInstant

    /// The hosts that have not answered yet.
    private var awaited: [HostID: Awaited] = [:]
    /// The messages that the client has not received yet, the oldest first.
    private var unsent: [Message] = []
    /// The number of bytes in their texts.
    private var textBytes = 0
    /// The number of messages that were offered to the client while the number that it took is not yet known.
    private var offered = 0
    /// Whether the client took fewer messages than were offered, so that its connection needs room first.
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

    /// When it next needs attention.
    var due: MonotonicInstant { awaited.isEmpty ? expires.advanced(by: Self.patience) : expires }

    /// Whether its client was told everything.
    var isOver: Bool { isEnding && unsent.isEmpty }

    /// Records that a host was sent the command.
    mutating func await(_ host: HostEntry) {
        awaited[host.id] = Awaited(pid: host.pid, name: host.name)
    }

    /// Records a host's answer; ignores an unexpected one.
    mutating func answer(_ host: HostID, _ reply: CommandReply) {
        guard let known = awaited.removeValue(forKey: host) else { return }
        let outcome: CommandRecord.Outcome =
            switch reply.result {
            case .done: .done
            case .failed: .failed
            case .unhandled: .unhandled
            }
        // A host decides only on the text; outcomes are small and never dropped.
        guard textBytes + reply.text.utf8.count <= Self.backlog else {
            missed += 1
            return
        }
        report(host, known.pid, known.name, outcome, reply.text)
    }

    /// Records that a host's connection ended, or that the command could not be sent.
    mutating func lose(_ host: HostID, _ outcome: CommandRecord.Outcome) {
        if let known = awaited.removeValue(forKey: host) { report(host, known.pid, known.name, outcome) }
    }

    /// Ends the wait at the deadline.
    mutating func expire() {
        for (host, known) in Array(awaited).ordered(by: { $0.key < $1.key }) {
            report(host, known.pid, known.name, .silent)
        }
        awaited = [:]
    }

    /// Records the outcome at a host that was not sent the command.
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
        textBytes += text.utf8.count
        unsent.append(.commandRecord(record))
    }

    /// Offers the client the messages that it has not received, unless an offer is pending or its connection is full.
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

    /// Records how many of the offered messages the client took.
    mutating func took(_ count: Int, _ effects: inout Effects) {
        for message in unsent.prefix(count) {
            if case .commandRecord(let record) = message { textBytes -= record.text.utf8.count }
        }
        unsent.removeFirst(min(count, unsent.count))
        isBlocked = count < offered
        offered = 0
        if isBlocked { effects.append(.awaitRoom(client.connection)) }
    }

    /// Records that the client's connection has room.
    mutating func unblock() {
        isBlocked = false
    }
}
