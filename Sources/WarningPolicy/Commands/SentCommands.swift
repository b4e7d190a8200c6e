internal import MemoryPressure
internal import MemwarnProtocol

/// The commands under way: sends them to hosts, forwards the answers, and gives up on silent hosts.
///
/// Unlike warnings they queue at the host: several may be in flight to one host, and each has its own answer.
struct SentCommands: Sendable {
    /// The maximum number of commands of one user under way.
    ///
    /// The limit is per user, because a user can have any number of connections, and per cgroup, because a user can run
    /// processes with thousands of uids.
    static let limit = 16
    /// The time that hosts have to answer, unless the client asks for another.
    private static let deadline = Duration.seconds(5)

    /// In order of their numbers.
    private var running: [SentCommand] = []
    private var lastID: UInt64 = 0
    private var quotas = AccountQuotas(.commands)

    /// When ``elapse(at:_:)`` is to be called; `nil` if not before another call.
    var due: MonotonicInstant? {
        running.reduce(nil) { earliest, command in min(earliest ?? command.due, command.due) }
    }

    /// Why a client may not send a command to this number of hosts now; `nil` if it may.
    ///
    /// A client that reaches all users counts by its uid alone, so that no user in its cgroup can keep it from sending; its
    /// rate is not limited.
    mutating func refusal(of client: Client, hosts: Int, at now: MonotonicInstant) -> Refusal? {
        let underWay = running.reduce(0) { count, command in
            let isSame = client.reachesAll ? client.uid == command.client.uid : client.countsWith(command.client)
            return count + (isSame ? 1 : 0)
        }
        guard underWay < Self.limit else {
            let message = "\(Self.limit) commands of your user's are under way; wait until one is answered"
            return Refusal(code: .tooManyRequests, message: message)
        }
        guard !client.reachesAll, !quotas.take(client.accountNumber, hosts, at: now) else { return nil }
        return Refusal(code: .tooManyRequests, message: "your user or cgroup sends too often; wait a second")
    }

    /// Sends a command to hosts, and its outcomes to the client.
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
            request.deadline > 0 ? .milliseconds(min(request.deadline, LongestDeadline.milliseconds)) : Self.deadline
        var command = SentCommand(id: lastID, client: client, sequence: sequence, expires: now.advanced(by: deadline))
        let first = effects.recipients.count
        for slot in targets {
            let host = hosts[slot]
            if host.accepts.contains(.commands) {
                command.await(host)
                effects.address(host.recipient())
            } else {
                command.skip(host, .notAccepting)
            }
        }
        if effects.recipients.count > first {
            effects.append(.command(request.command, number: lastID, first..<effects.recipients.count))
        }
        running.append(command)
        update(lastID, &effects) { _ in }
    }

    /// Handles a host's answer.
    mutating func answer(_ host: HostID, _ id: UInt64, _ reply: CommandReply, _ effects: inout Effects) {
        update(id, &effects) { $0.answer(host, reply) }
    }

    /// Handles a command that could not be sent to a host.
    mutating func undelivered(_ host: HostID, _ id: UInt64, _ effects: inout Effects) {
        update(id, &effects) { $0.lose(host, .undeliverable) }
    }

    /// Records how many of the offered messages a client took.
    mutating func took(_ count: Int, _ id: UInt64, _ effects: inout Effects) {
        guard let index = index(of: id) else { return }
        running[index].took(count, &effects)
        update(id, &effects) { _ in }
    }

    /// Continues after a client's connection has room.
    mutating func unblock(_ connection: ConnectionID, _ effects: inout Effects) {
        update(&effects) { if $0.client.connection == connection { $0.unblock() } }
    }

    /// Removes a host: no command waits for it any more.
    mutating func leave(_ host: HostID, _ effects: inout Effects) {
        update(&effects) { $0.lose(host, .gone) }
    }

    /// Removes a client and its commands.
    mutating func leave(client connection: ConnectionID) {
        running.removeAll { $0.client.connection == connection }
    }

    /// Handles expired deadlines.
    mutating func elapse(at now: MonotonicInstant, _ effects: inout Effects) {
        // The daemon does not wait for a client that does not read the end either.
        running.removeAll { $0.expires.advanced(by: SentCommand.patience) <= now }
        update(&effects) { if $0.expires <= now { $0.expire() } }
    }

    /// Changes one command, informs its client, and removes it if it is over; does nothing for an unknown number, which
    /// hosts may send at any rate.
    private mutating func update(_ id: UInt64, _ effects: inout Effects, _ change: (inout SentCommand) -> Void) {
        guard let index = index(of: id) else { return }
        change(&running[index])
        running[index].tell(&effects)
        if running[index].isOver { running.remove(at: index) }
    }

    private func index(of id: UInt64) -> Int? {
        var (low, high) = (0, running.count)
        while low < high {
            let middle = (low + high) / 2
            if running[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < running.count && running[low].id == id ? low : nil
    }

    /// Changes the commands under way, informs the clients, and removes finished commands.
    private mutating func update(_ effects: inout Effects, _ change: (inout SentCommand) -> Void) {
        for index in running.indices {
            change(&running[index])
            running[index].tell(&effects)
        }
        running.removeAll { $0.isOver }
    }
}
