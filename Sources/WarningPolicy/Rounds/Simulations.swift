internal import MemoryPressure
internal import MemwarnProtocol

/// The simulated rounds under way, the clients that requested them, and the limits per user.
///
/// A simulated round costs a packet for each host: without a limit a user could delay the warnings of others.
struct Simulations: Sendable {
    /// The maximum number of rounds of one user, or of one cgroup, under way: a user can run processes with thousands
    /// of uids.
    static let limit = 16

    /// A client that waits for the end of a round.
    struct Requester: Sendable {
        var round: UInt64
        var sequence: UInt64
        fileprivate let client: Client
        var connection: ConnectionID { client.connection }
        var loggedAccount: UInt64? { client.loggedAccount }
        /// Whether the client has left.
        ///
        /// Its round continues, and counts for its user.
        var isGone = false
        /// Whether it was informed that the round has begun.
        fileprivate var isTold = false

        fileprivate init(_ round: UInt64, _ client: Client, _ sequence: UInt64) {
            self.round = round
            self.client = client
            self.sequence = sequence
        }
    }

    private var requesters: [Requester] = []
    private var quotas = AccountQuotas(.simulations)
    /// The level that each client simulated last.
    private var levels: [(connection: ConnectionID, level: PressureLevel)] = []

    /// Why a client may not begin another round now; `nil` if it may.
    ///
    /// Root and members of the group are not counted.
    mutating func refusal(of client: Client, at now: MonotonicInstant) -> Refusal? {
        guard !client.reachesAll else { return nil }
        let underWay = requesters.reduce(0) { $0 + ($1.client.countsWith(client) ? 1 : 0) }
        guard underWay < Self.limit else {
            let message = "\(Self.limit) simulated rounds of your user's are under way; wait until one is over"
            return Refusal(code: .tooManyRequests, message: message)
        }
        guard !quotas.take(client.accountNumber, at: now) else { return nil }
        return Refusal(code: .tooManyRequests, message: "your user or cgroup simulates too often; wait a second")
    }

    /// Records the level that a client simulates.
    ///
    /// - Returns: Whether the client repeats the same raised level.
    mutating func note(_ level: PressureLevel, by connection: ConnectionID) -> Bool {
        guard let index = levels.firstIndex(where: { $0.connection == connection }) else {
            levels.append((connection, level))
            return false
        }
        defer { levels[index].level = level }
        return level > .normal && levels[index].level == level
    }

    mutating func begin(_ round: UInt64, _ client: Client, _ sequence: UInt64) {
        requesters.append(Requester(round, client, sequence))
    }

    /// Returns, once each, the clients that have not been informed yet that their rounds have begun, except those whose
    /// rounds still wait.
    mutating func takeUntold(unless waits: (UInt64) -> Bool) -> [Requester] {
        var untold: [Requester] = []
        for index in requesters.indices where !requesters[index].isTold && !waits(requesters[index].round) {
            requesters[index].isTold = true
            if !requesters[index].isGone { untold.append(requesters[index]) }
        }
        return untold
    }

    /// Ends a round; returns the client that requested it, if it was simulated.
    mutating func end(_ round: UInt64) -> Requester? {
        requesters.firstIndex { $0.round == round }.map { requesters.remove(at: $0) }
    }

    /// Removes a client.
    mutating func leave(_ connection: ConnectionID) {
        levels.removeAll { $0.connection == connection }
        for index in requesters.indices where requesters[index].connection == connection {
            requesters[index].isGone = true
        }
    }
}
