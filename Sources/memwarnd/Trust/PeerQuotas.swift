import CLinux
import MemoryPressure
import WarningPolicy

/// How many connections there may be, of each user and in all, through whichever door; and how fast a user may open them.
///
/// One for all doors. Root and the daemon's own user are bound by the total only: they could stop the daemon as well.
final class PeerQuotas {
    /// How many there may be in all.
    let total: Int
    /// How many one user may have.
    private(set) var perUser: Int
    private let exempt: Set<UInt32>
    private var users: [UInt32: User] = [:]
    private(set) var count = 0
    /// With so many users on record those are looked for who can be forgotten.
    private var crowd = 1_024

    private struct User {
        var connections = 0
        var allowance: Allowance
    }

    /// Sets the quotas; a user may have half of the total, unless told otherwise.
    init(total: Int, perUser: Int?, exempt: Set<UInt32> = [0, geteuid()]) {
        self.total = total
        self.perUser = Self.share(perUser, of: total)
        self.exempt = exempt
    }

    /// Takes over how many a user may have from now on; who has more already keeps them.
    func follow(perUser: Int?) {
        self.perUser = Self.share(perUser, of: total)
    }

    private static func share(_ perUser: Int?, of total: Int) -> Int { perUser ?? max(1, total / 2) }

    /// Why a user's newcomer may not stay, and what to do; `nil` if it may.
    func refusal(of uid: UInt32, at now: MonotonicInstant) -> String? {
        guard count < total else { return "there are \(total) peers already; raise LimitNOFILE= of the daemon" }
        guard !exempt.contains(uid) else { return nil }
        if users[uid] == nil { forgetIdle(at: now) }
        var user = users[uid] ?? User(allowance: .connections(at: now))
        defer { users[uid] = user }
        guard user.connections < perUser else {
            return "uid \(uid) has \(perUser) connections already, as many as limits.peers-per-user lets it have"
        }
        return user.allowance.take(at: now) ? nil : "uid \(uid) connects too often; wait a second"
    }

    /// Counts one more of a user's.
    func enter(_ uid: UInt32) {
        count += 1
        users[uid, default: User(allowance: .connections(at: .now))].connections += 1
    }

    /// Counts one less.
    func leave(_ uid: UInt32, at now: MonotonicInstant) {
        count -= 1
        users[uid]?.connections -= 1
        if let user = users[uid], user.connections == 0, user.allowance.isFull(at: now) { users[uid] = nil }
    }

    /// Forgets users who have left long ago: there are more uids than memory for them.
    private func forgetIdle(at now: MonotonicInstant) {
        guard users.count >= crowd else { return }
        users = users.filter { $0.value.connections > 0 || !$0.value.allowance.isFull(at: now) }
        crowd = max(1_024, 2 * users.count)
    }
}
