package import MemoryPressure

/// How many connections there may be, in all, of each user and of each cgroup, and how fast they may be opened.
///
/// A user of the machine is more than a uid: an ordinary one owns 65 536 of them, and can run a process as each. What it
/// cannot leave is its cgroup, so connections count by that as well. Root and the daemon's own user are bound by the total
/// only, and a part of the total is theirs alone.
package struct PeerQuotas: Sendable {
    /// What a connection is counted by.
    package struct Account: Hashable, Sendable {
        package let uid: UInt32
        /// Bytes, as the kernel's names are; empty for connections of no cgroup of their own.
        fileprivate let cgroup: [UInt8]

        /// The account of a process of this user in the cgroup with this path; `nil` if that cannot be seen.
        ///
        /// Connections count together by the first name below the root, and by the first two below a slice of systemd's,
        /// in which only root makes cgroups: a user's is `/user.slice/user-1000.slice`, a service's
        /// `/system.slice/gallery.service`. Names on the way up out of a cgroup namespace are passed over.
        package init(uid: UInt32, cgroup path: String?) {
            self.uid = uid
            let slash = UInt8(ascii: "/")
            let names = (path ?? "").utf8.split(separator: slash).drop { $0.elementsEqual("..".utf8) }
            let isSlice = names.first.map { $0.reversed().starts(with: ".slice".utf8.reversed()) } ?? false
            cgroup = Array(names.prefix(isSlice ? 2 : 1).joined(separator: [slash]))
        }

        /// Whether both are of one cgroup; those of no cgroup of their own have none in common.
        func sharesCgroup(with other: Self) -> Bool { !cgroup.isEmpty && cgroup == other.cgroup }
    }

    /// An eighth is what one user may have at most by default, and what root and the daemon's user have to themselves.
    private static let part = 8
    /// Hosts of one user are rarely more than a few hundred, and each that does not read can hold 16 KiB of the kernel's
    /// memory, which count as the daemon's.
    private static let most = 512

    /// How many there may be in all.
    package let total: Int
    /// How many there may be in one account, by its uid and by its cgroup.
    package private(set) var perUser: Int
    /// How many there are.
    package private(set) var count = 0
    private let exempt: Set<UInt32>
    private var users = Tally<UInt32>()
    private var cgroups = Tally<[UInt8]>()

    /// Sets the quotas; `perUser` is an eighth of the total and no more than 512, unless told otherwise.
    package init(total: Int, perUser: Int?, exempt: Set<UInt32>) {
        self.total = total
        self.perUser = Self.share(perUser, of: total)
        self.exempt = exempt
    }

    /// Takes over how many there may be in an account from now on; an account that has more keeps them.
    package mutating func follow(perUser: Int?) {
        self.perUser = Self.share(perUser, of: total)
    }

    private static func share(_ perUser: Int?, of total: Int) -> Int { perUser ?? min(most, max(1, total / part)) }

    /// Whether a user is bound by the total only.
    package func exempts(_ uid: UInt32) -> Bool { exempt.contains(uid) }

    /// Why a user's newcomer may not stay, whatever cgroup it is in; `nil` if it may as far as that goes.
    ///
    /// To be asked first: what it refuses does not cost a look at the cgroup.
    package mutating func refusal(of uid: UInt32, at now: MonotonicInstant) -> String? {
        let limit = exempts(uid) ? total : total - max(1, total / Self.part)
        guard count < limit else { return "there are \(limit) peers already; raise LimitNOFILE= of the daemon" }
        guard !exempts(uid) else { return nil }
        guard users.count(of: uid) < perUser else {
            return "uid \(uid) has \(perUser) connections already, as many as limits.peers-per-user lets it have"
        }
        return users.take(uid, at: now) ? nil : "uid \(uid) connects too often; wait a second"
    }

    /// Why a newcomer may not stay for the cgroup it is in; `nil` if it may.
    package mutating func refusal(of account: Account, at now: MonotonicInstant) -> String? {
        guard !exempts(account.uid) else { return nil }
        let uid = account.uid
        if account.cgroup.isEmpty {
            // They may be of all users, and each is bound by its uid.
            guard cgroups.count(of: account.cgroup) >= total / 2 else { return nil }
            return "half of all connections have no cgroup of their own that can be seen, and so would uid \(uid)'s"
        }
        guard cgroups.count(of: account.cgroup) < perUser else {
            return """
                the cgroup of uid \(uid) has \(perUser) connections already, as many as limits.peers-per-user lets it have
                """
        }
        guard !cgroups.take(account.cgroup, at: now) else { return nil }
        return "the cgroup of uid \(uid) connects too often; wait a second"
    }

    /// Counts one more.
    package mutating func enter(_ account: Account, at now: MonotonicInstant) {
        count += 1
        guard !exempts(account.uid) else { return }
        users.add(account.uid, at: now)
        cgroups.add(account.cgroup, at: now)
    }

    /// Counts one less.
    package mutating func leave(_ account: Account, at now: MonotonicInstant) {
        count -= 1
        guard !exempts(account.uid) else { return }
        users.remove(account.uid, at: now)
        cgroups.remove(account.cgroup, at: now)
    }
}

/// How many connections there are of each of something, and how fast each opens them.
private struct Tally<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        var connections = 0
        var allowance: Allowance
    }

    private var entries: [Key: Entry] = [:]
    /// With so many entries those are looked for that can be forgotten: there are more uids than memory for them.
    private var crowd = 1_024

    func count(of key: Key) -> Int { entries[key]?.connections ?? 0 }

    /// Whether one more may be opened now.
    mutating func take(_ key: Key, at now: MonotonicInstant) -> Bool {
        if entries[key] == nil { forgetIdle(at: now) }
        return entries[key, default: Entry(allowance: .connections(at: now))].allowance.take(at: now)
    }

    mutating func add(_ key: Key, at now: MonotonicInstant) {
        entries[key, default: Entry(allowance: .connections(at: now))].connections += 1
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
