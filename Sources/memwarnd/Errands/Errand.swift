import MemoryPressure
import MemwarnProtocol

/// One command from its sending to the last answer or the deadline, and what its client is still to be told.
struct Errand {
    /// How many answers are kept for a client that does not read: memory that a client could make the daemon use.
    static let backlog = 64
    /// How long after the deadline a client may take to read the end.
    static let patience = Duration.seconds(10)
    /// How long to wait before a client whose queue was full is tried again.
    static let retry = Duration.milliseconds(20)

    let id: UInt64
    let client: Peer
    /// The client's number for it.
    let sequence: UInt64
    /// When hosts that have not answered are counted silent.
    let expires: MonotonicInstant

    /// The hosts that are still to answer, by their ids.
    private var awaited: [UInt64: Host] = [:]
    /// What the client did not take yet, the oldest first.
    private var unsent: [Message] = []
    private var missed: UInt64 = 0
    private var isEnding = false

    init(id: UInt64, client: Peer, sequence: UInt64, expires: MonotonicInstant) {
        self.id = id
        self.client = client
        self.sequence = sequence
        self.expires = expires
    }

    /// The next thing to look after it.
    func due(after now: MonotonicInstant) -> MonotonicInstant {
        unsent.isEmpty ? expires : now.advanced(by: Self.retry)
    }

    /// A host was sent the command.
    mutating func await(_ host: Host) {
        awaited[host.id] = host
    }

    /// A host answered; an answer that nobody waits for is none.
    mutating func answer(_ host: Host, _ reply: CommandReply) {
        guard awaited.removeValue(forKey: host.id) != nil else { return }
        let outcome: CommandRecord.Outcome =
            switch reply.result {
            case .done: .done
            case .failed: .failed
            case .unhandled: .unhandled
            }
        // Only answers take room that somebody else decides about; what the daemon finds itself is small and never lost.
        guard unsent.count < Self.backlog else {
            missed += 1
            return
        }
        report(host, outcome, reply.text)
    }

    /// A host's connection ended.
    mutating func lose(_ host: Host) {
        if awaited.removeValue(forKey: host.id) != nil { report(host, .gone) }
    }

    /// The deadline has passed.
    mutating func expire() {
        for host in awaited.values.sorted(by: { $0.id < $1.id }) { report(host, .silent) }
        awaited = [:]
    }

    /// Notes what became of the command at a host.
    mutating func report(_ host: Host, _ outcome: CommandRecord.Outcome, _ text: String = "") {
        let record = CommandRecord(id: host.id, pid: host.process.pid, outcome: outcome, name: host.name, text: text)
        unsent.append(.commandRecord(record))
    }

    /// Tells the client as much as it takes now.
    ///
    /// - Returns: Whether it was told everything.
    mutating func tell() -> Bool {
        if awaited.isEmpty, !isEnding {
            isEnding = true
            if missed > 0 { unsent.append(.missed(Missed(count: missed))) }
            unsent.append(.end(End()))
        }
        let full = unsent.firstIndex { client.send(Frame(sequence: sequence, message: $0)) != .sent }
        unsent.removeFirst(full ?? unsent.count)
        return isEnding && unsent.isEmpty
    }
}
