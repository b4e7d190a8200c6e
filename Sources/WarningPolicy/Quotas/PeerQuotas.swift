package import MemoryPressure

/// The limits of connections: in total, per user and per cgroup, and of the rate at which they are opened.
///
/// A user of the machine has more than one uid: an ordinary user owns 65 536 of them and can run a process with each.
/// But the user cannot leave the cgroup, so connections count by cgroup as well. Only the total limits root and the
/// daemon's own user, and a part of the total is reserved for them.
package struct PeerQuotas: Sendable {
    /// The account of a connection: its uid and its cgroup.
    package struct Account: Hashable, Sendable {
        package let uid: UInt32
        /// As bytes, like the kernel's names; empty for connections without a cgroup of their own.
        fileprivate let cgroup: [UInt8]
        /// A number that the accounts of a cgroup share, and without a cgroup of their own the accounts of a uid.
        package let number: UInt64

        /// The account of a process of this user in the cgroup with this path; `nil` if the cgroup is unknown.
        ///
        /// Connections are grouped by the cgroup that its owner cannot leave, and in which only root creates others: a
        /// user's is `/user.slice/user-1000.slice`, a service's `/system.slice/gallery.service`. That is the first
        /// folder below the root that holds no other services or containers: those that do are slices of systemd, and
        /// the folders of docker and Kubernetes. Names on the way up out of a cgroup namespace are skipped.
        package init(uid: UInt32, cgroup path: String?) {
            self.uid = uid
            let slash = UInt8(ascii: "/")
            let names = (path ?? "").utf8.split(separator: slash).drop { $0.elementsEqual("..".utf8) }
            var depth = 0
            for name in names.prefix(Self.deepest) {
                depth += 1
                let isUsers = depth == 2 && names.first.map { $0.elementsEqual("user.slice".utf8) } == true
                if isUsers || !Self.holdsOthers(name, depth) { break }
            }
            cgroup = Array(names.prefix(depth).joined(separator: [slash]))
            // Only root names these cgroups, so no user can make two of them share a number (FNV-1a).
            number =
                cgroup.isEmpty
                ? UInt64(uid) : cgroup.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        }

        /// A slice of systemd, down to the pods of Kubernetes, is hardly deeper.
        private static let deepest = 8

        /// Whether only root creates cgroups in the folder with this name, each for another service, container or user.
        private static func holdsOthers(_ name: Substring.UTF8View, _ depth: Int) -> Bool {
            if name.reversed().starts(with: ".slice".utf8.reversed()) { return true }
            return depth == 1 && (name.elementsEqual("docker".utf8) || name.elementsEqual("kubepods".utf8))
                || depth == 2 && (name.elementsEqual("burstable".utf8) || name.elementsEqual("besteffort".utf8))
        }

        /// Whether the connection counts by a cgroup.
        package var hasCgroup: Bool { !cgroup.isEmpty }

        /// Whether both belong to one cgroup; accounts without a cgroup of their own share none.
        func sharesCgroup(with other: Self) -> Bool { hasCgroup && cgroup == other.cgroup }
    }

    /// One user may have an eighth by default, and an eighth is reserved for root and the daemon's user.
    private static let part = 8
    /// A user rarely has more than a few hundred hosts, and each host that does not read can hold 16 KiB of the
    /// kernel's memory, which is charged to the daemon.
    private static let most = 512

    /// The maximum in total.
    package let total: Int
    /// The maximum in one account, by its uid and by its cgroup.
    package private(set) var perUser: Int
    /// The present number of connections.
    package private(set) var count = 0
    private let exempt: Set<UInt32>
    private var users = Tally<UInt32>()
    private var cgroups = Tally<[UInt8]>()

    /// Sets the quotas; `perUser` defaults to an eighth of the total, at most 512.
    package init(total: Int, perUser: Int?, exempt: Set<UInt32>) {
        self.total = total
        self.perUser = Self.share(perUser, of: total)
        self.exempt = exempt
    }

    /// Changes the limit of an account from now on; an account with more connections keeps them.
    package mutating func follow(perUser: Int?) {
        self.perUser = Self.share(perUser, of: total)
    }

    private static func share(_ perUser: Int?, of total: Int) -> Int { perUser ?? min(most, max(1, total / part)) }

    /// Whether only the total limits a user.
    package func exempts(_ uid: UInt32) -> Bool { exempt.contains(uid) }

    /// The group of newcomers that has to lose one before others may wait for a decision.
    package enum Crowd: Sendable {
        case none
        /// Those of the last newcomer's account.
        case account
        /// Those of all accounts.
        case all
    }

    /// Whether too many newcomers wait for a decision, after one of a user has joined them: now this number in its
    /// account, and of all.
    ///
    /// As many newcomers of an account wait as it may have connections, so that at most those get a reason that connect
    /// at once. If newcomers of many accounts wait, the account with the most loses its newest.
    package func crowd(_ uid: UInt32, with waiting: Int, of all: Int) -> Crowd {
        if exempts(uid) { return .none }
        if waiting > perUser { return .account }
        return all > total / Self.part ? .all : .none
    }

    /// Why a new connection of a user is refused, regardless of its cgroup; `nil` if it is not.
    ///
    /// Call this first: a refusal saves the search for the cgroup.
    package mutating func refusal(of uid: UInt32, at now: MonotonicInstant) -> String? {
        let limit = exempts(uid) ? total : total - max(1, total / Self.part)
        guard count < limit else { return "there are \(limit) peers already; raise LimitNOFILE= of the daemon" }
        guard !exempts(uid) else { return nil }
        guard users.count(of: uid) < perUser else {
            return "uid \(uid) has \(perUser) connections already, the maximum of limits.peers-per-user"
        }
        return users.take(uid, at: now) ? nil : "uid \(uid) connects too often; wait a second"
    }

    /// Why a new connection is refused because of its cgroup; `nil` if it is not.
    package mutating func refusal(of account: Account, at now: MonotonicInstant) -> String? {
        guard !exempts(account.uid) else { return nil }
        let uid = account.uid
        if account.cgroup.isEmpty {
            // These connections may belong to all users, and the uid limits each of them.
            guard cgroups.count(of: account.cgroup) >= total / 2 else { return nil }
            return "half of all connections have no visible cgroup of their own; so would this one of uid \(uid)"
        }
        guard cgroups.count(of: account.cgroup) < perUser else {
            return """
                the cgroup of uid \(uid) has \(perUser) connections already, the maximum of limits.peers-per-user
                """
        }
        guard !cgroups.take(account.cgroup, at: now) else { return nil }
        return "the cgroup of uid \(uid) connects too often; wait a second"
    }

    /// Counts a new connection.
    package mutating func enter(_ account: Account, at now: MonotonicInstant) {
        count += 1
        guard !exempts(account.uid) else { return }
        users.add(account.uid, at: now)
        cgroups.add(account.cgroup, at: now)
    }

    /// Counts an ended connection.
    package mutating func leave(_ account: Account, at now: MonotonicInstant) {
        count -= 1
        guard !exempts(account.uid) else { return }
        users.remove(account.uid, at: now)
        cgroups.remove(account.cgroup, at: now)
    }
}

/// The number of connections per key, and the rate at which each key opens them.
private struct Tally<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        var connections = 0
        var allowance: Allowance
    }

    private var entries: [Key: Entry] = [:]
    /// At this number of entries those that can be forgotten are removed: there are more uids than memory for them.
    private var crowd = 1_024

    func count(of key: Key) -> Int { entries[key]?.connections ?? 0 }

    /// Whether one more may be opened now.
    mutating func take(_ key: Key, at now: MonotonicInstant) -> Bool {
        if entries[key] == nil { forgetIdle(at: now) }
        return entries[key, default: Entry(allowance: .connections)].allowance.take(at: now)
    }

    mutating func add(_ key: Key, at now: MonotonicInstant) {
        entries[key, default: Entry(allowance: .connections)].connections += 1
    }

    mutating func remove(_ key: Key, at now: MonotonicInstant) {
        guard var entry = entries[key] else { return }
        entry.connections -= 1
        entries[key] = entry.connections == 0 && entry.allowance.isFull(at: now) ? nil : entry
    }

    private mutating func forgetIdle(at now: MonotonicInstant) {
        guard entries.count >= crowd else { return }
        entries = entries.filter { $0.value.connections > 0 || !$0.value.allowance.isFull(at: now) }
        crowd = max(1_024, 2 * entries.count)
    }
}
