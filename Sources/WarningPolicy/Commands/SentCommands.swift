internal import MemoryPressure
internal import MemwarnProtocol

/// The commands that are under way: has them sent to hosts, passes the answers on, gives up on silent hosts.
///
/// Unlike warnings they queue at the host: several may be in flight to one host, and each is answered for itself.
struct SentCommands: Sendable {
    /// How many commands of one user may be under way.
    ///
    /// By user and not by connection, of which a user can have any number.
    static let limit = 16
    /// How long hosts have to answer, unless the client asks for another time.
    private static let deadline = Duration.seconds(5)
    /// The longest that a client may ask for.
    private static let longest: UInt32 = 60_000

    private var running: [SentCommand] = []
    private var lastID: UInt64 = 0

    /// When ``elapse(at:_:)`` is to be called; `nil` if not before another call.
    var due: MonotonicInstant? {
        running.reduce(nil) { earliest, command in min(earliest ?? command.due, command.due) }
    }

    /// How many commands of a user's are under way.
    func count(of uid: UInt32) -> Int {
        running.reduce(0) { $0 + ($1.client.uid == uid ? 1 : 0) }
    }

    /// Has a command sent to hosts; the client hears what becomes of it.
    mutating func begin(
        _ request: Send,
        _ targets: [HostTable.Slot],
        _ hosts: HostTable,
        for client: Client,
        sequence: UInt64,
        at now: MonotonicInstant,
        _ effects: inout Effects
    ) {
        lastID += 1
        let deadline: Duration =
            request.deadline > 0 ? .milliseconds(min(request.deadline, Self.longest)) : Self.deadline
        var command = SentCommand(id: lastID, client: client, sequence: sequence, expires: now.advanced(by: deadline))
        let first = effects.recipients.count
        for slot in targets {
            let host = hosts[slot]
            if host.accepts.contains(.commands) {
                command.await(host)
                effects.address(host)
            } else {
                command.skip(host, .notAccepting)
            }
        }
        if effects.recipients.count > first {
            effects.append(.command(request.command, number: lastID, first..<effects.recipients.count))
        }
        running.append(command)
        update(&effects) { _ in }
    }

    /// Takes in a host's answer.
    mutating func answer(_ host: HostID, _ id: UInt64, _ reply: CommandReply, _ effects: inout Effects) {
        update(&effects) { if $0.id == id { $0.answer(host, reply) } }
    }

    /// A command could not be sent to a host.
    mutating func undelivered(_ host: HostID, _ id: UInt64, _ effects: inout Effects) {
        update(&effects) { if $0.id == id { $0.lose(host, .undeliverable) } }
    }

    /// A client took so much of what it was offered.
    mutating func took(_ count: Int, _ id: UInt64, _ effects: inout Effects) {
        for index in running.indices where running[index].id == id { running[index].took(count, &effects) }
        update(&effects) { _ in }
    }

    /// A client's connection has room.
    mutating func unblock(_ connection: ConnectionID, _ effects: inout Effects) {
        update(&effects) { if $0.client.connection == connection { $0.unblock() } }
    }

    /// A host is gone: no command waits for it.
    mutating func leave(_ host: HostID, _ effects: inout Effects) {
        update(&effects) { $0.lose(host, .gone) }
    }

    /// A client is gone, and with it what it asked for.
    mutating func leave(client connection: ConnectionID) {
        running.removeAll { $0.client.connection == connection }
    }

    /// Does what is due.
    mutating func elapse(at now: MonotonicInstant, _ effects: inout Effects) {
        // A client that does not read the end is not waited for either.
        running.removeAll { $0.expires.advanced(by: SentCommand.patience) <= now }
        update(&effects) { if $0.expires <= now { $0.expire() } }
    }

    /// Changes what is under way, tells the clients, and forgets what is over.
    private mutating func update(_ effects: inout Effects, _ change: (inout SentCommand) -> Void) {
        for index in running.indices {
            change(&running[index])
            running[index].tell(&effects)
        }
        running.removeAll { $0.isOver }
    }
}
