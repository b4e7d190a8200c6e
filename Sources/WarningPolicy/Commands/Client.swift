/// A client with a request, identified by the credentials of its connection.
package struct Client: Sendable {
    package var connection: ConnectionID
    package var pid: UInt32
    package var uid: UInt32
    /// The account by which limits count it in addition to its uid, if known.
    package var account: PeerQuotas.Account?
    /// The hosts that it may warn and command.
    package var reach: Reach

    /// The hosts that a client may warn and command.
    package enum Reach: Sendable {
        /// The hosts of all users.
        case all
        /// The hosts of its own user.
        case own
        /// None: its user is unknown.
        case none
    }

    package init(
        connection: ConnectionID,
        pid: UInt32,
        uid: UInt32,
        account: PeerQuotas.Account? = nil,
        reach: Reach
    ) {
        self.connection = connection
        self.pid = pid
        self.uid = uid
        self.account = account
        self.reach = reach
    }

    /// Whether two clients count as one user: they have the same uid, or the same cgroup, whose processes may have many
    /// uids.
    func countsWith(_ other: Self) -> Bool {
        if uid == other.uid { return true }
        guard let account, let theirs = other.account else { return false }
        return account.sharesCgroup(with: theirs)
    }

    /// The number of its account.
    var accountNumber: UInt64 { account?.number ?? UInt64(uid) }

    /// The number of the account whose log entries are limited; `nil` for clients whose entries are not.
    var loggedAccount: UInt64? { reachesAll ? nil : accountNumber }

    /// Whether it may warn and command the hosts of all users.
    var reachesAll: Bool { reach == .all }

    /// Whether it may warn and command a user's hosts.
    func reaches(hostsOf uid: UInt32) -> Bool {
        switch reach {
        case .all: true
        case .own: uid == self.uid
        case .none: false
        }
    }
}
