internal import MemoryPressure
internal import MemwarnProtocol

/// The simulated rounds that are under way, the clients that asked for them, and how many more a user may begin.
///
/// A simulated round costs a packet for each host: without a limit a user would hold up the warnings of others.
struct Simulations: Sendable {
    /// How many rounds of one user, or of one cgroup, may be under way: a user can run processes as thousands of uids.
    static let limit = 16
    /// The longest deadline that a client may ask for, in milliseconds.
    static let longest: UInt32 = 60_000

    /// A client that waits for the end of a round.
    struct Requester: Sendable {
        var round: UInt64
        var sequence: UInt64
        fileprivate let client: Client
        var connection: ConnectionID { client.connection }
        var reachesAll: Bool { client.reachesAll }
        /// Whether the client has left.
        ///
        /// Its round goes on, and counts for its user.
        var isGone = false
        /// Whether it was told that the round has begun.
        fileprivate var isTold = false

        fileprivate init(_ round: UInt64, _ client: Client, _ sequence: UInt64) {
            self.round = round
            self.client = client
            self.sequence = sequence
        }
    }

    private struct User: Sendable {
        var uid: UInt32
        var allowance: Allowance
    }

    private var requesters: [Requester] = []
    /// The users that have begun rounds of late.
    private var users: [User] = []
    /// The level that each client had simulated last.
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
        users.removeAll { $0.uid != client.uid && $0.allowance.isFull(at: now) }
        let index = users.firstIndex { $0.uid == client.uid } ?? users.count
        if index == users.count { users.append(User(uid: client.uid, allowance: .simulations(at: now))) }
        guard !users[index].allowance.take(at: now) else { return nil }
        return Refusal(code: .tooManyRequests, message: "your user simulates too often; wait a second")
    }

    /// Notes the level that a client has simulated.
    ///
    /// - Returns: Whether the client says the same raised level again.
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

    /// The clients that were not told yet that their rounds have begun, unless these wait for something; once.
    mutating func takeUntold(unless waits: (UInt64) -> Bool) -> [Requester] {
        var untold: [Requester] = []
        for index in requesters.indices where !requesters[index].isTold && !waits(requesters[index].round) {
            requesters[index].isTold = true
            if !requesters[index].isGone { untold.append(requesters[index]) }
        }
        return untold
    }

    /// A round is over; returns the client that has asked for it, if it was simulated.
    mutating func end(_ round: UInt64) -> Requester? {
        requesters.firstIndex { $0.round == round }.map { requesters.remove(at: $0) }
    }

    /// A client is gone.
    mutating func leave(_ connection: ConnectionID) {
        levels.removeAll { $0.connection == connection }
        for index in requesters.indices where requesters[index].connection == connection {
            requesters[index].isGone = true
        }
    }
}
