/// A client that asks for something, as its connection's credentials say.
package struct Client: Sendable {
    package var connection: ConnectionID
    package var pid: UInt32
    package var uid: UInt32
    /// What limits count it by besides its uid, if that is known.
    package var account: PeerQuotas.Account?
    /// The hosts that it may warn and command.
    package var reach: Reach

    /// Which hosts a client may warn and command.
    package enum Reach: Sendable {
        /// Those of all users.
        case all
        /// Those of its own user.
        case own
        /// None: its user is not known.
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

    /// Whether it and another count as one user: by their uids, or by the cgroup that they have in common, whatever uids it runs
    /// processes as.
    func countsWith(_ other: Self) -> Bool {
        if uid == other.uid { return true }
        guard let account, let theirs = other.account else { return false }
        return account.sharesCgroup(with: theirs)
    }

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
