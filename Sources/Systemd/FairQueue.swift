/// Descriptors that wait to be served, in turns: one of each account, in an account one of each user, and of a user the
/// one that has waited longest.
///
/// With one queue for all, an account with hundreds of waiting descriptors would delay each descriptor of another
/// account by the time that it takes to serve them all; with one queue per user, so would an account with hundreds of
/// users.
public struct FairQueue {
    /// The account and the user that a descriptor counts for.
    public struct Owner: Equatable, Sendable {
        /// The number of the account.
        public let account: UInt64
        /// The user, in the account.
        public let user: UInt32

        /// A user of an account.
        public init(account: UInt64, user: UInt32) {
            (self.account, self.user) = (account, user)
        }
    }

    private struct Member {
        var owner = Owner(account: 0, user: 0)
        /// 0 if they were dropped.
        var events: UInt32 = 0
        var isWaiting = false
        /// The members before and behind it in its line; negative for none.
        var previous: CInt = -1
        var next: CInt = -1
    }

    /// The waiting members of a user, at least one.
    private struct Line {
        let user: UInt32
        var first: CInt
        var last: CInt
        var count = 1
    }

    /// The lines of an account, at least one, in the order in which they are served.
    private struct Account {
        let number: UInt64
        var lines: [Line]
        var count = 1
    }

    /// By descriptor.
    private var members: [Member] = []
    /// In the order in which they are served; an account or a line that was served goes behind all others.
    private var accounts: [Account] = []
    /// The number of waiting descriptors.
    public private(set) var count = 0

    /// An empty queue.
    public init() {}

    /// Whether no descriptor waits.
    public var isEmpty: Bool { accounts.isEmpty }

    /// The number of waiting descriptors of an account.
    public func count(of account: UInt64) -> Int { accounts.first { $0.number == account }?.count ?? 0 }

    /// Replaces the events of a descriptor that waits.
    ///
    /// - Returns: Whether it waits.
    public mutating func renew(_ events: UInt32, of member: CInt) -> Bool {
        guard isWaiting(member) else { return false }
        members[Int(member)].events = events
        return true
    }

    /// Adds a descriptor that does not wait yet to the end of its owner's line.
    public mutating func join(_ member: CInt, _ events: UInt32, of owner: Owner) {
        while members.count <= Int(member) { members.append(Member()) }
        members[Int(member)] = Member(owner: owner, events: events, isWaiting: true)
        count += 1
        guard let account = accounts.firstIndex(where: { $0.number == owner.account }) else {
            let line = Line(user: owner.user, first: member, last: member)
            return accounts.append(Account(number: owner.account, lines: [line]))
        }
        accounts[account].count += 1
        guard let line = accounts[account].lines.firstIndex(where: { $0.user == owner.user }) else {
            return accounts[account].lines.append(Line(user: owner.user, first: member, last: member))
        }
        let last = accounts[account].lines[line].last
        members[Int(last)].next = member
        members[Int(member)].previous = last
        accounts[account].lines[line].last = member
        accounts[account].lines[line].count += 1
    }

    /// Drops the events of a descriptor, which were seen before a change.
    public mutating func drop(_ member: CInt) {
        // It stays in its line, and may get other events until its turn.
        if isWaiting(member) { members[Int(member)].events = 0 }
    }

    /// Removes a descriptor, which may belong to another owner when it waits again.
    public mutating func remove(_ member: CInt) {
        guard isWaiting(member) else { return }
        let owner = members[Int(member)].owner
        guard let account = accounts.firstIndex(where: { $0.number == owner.account }),
            let line = accounts[account].lines.firstIndex(where: { $0.user == owner.user })
        else { return }
        unlink(member, account, line)
    }

    /// Takes the next descriptor with its events; `nil` if there is none.
    public mutating func next() -> (member: CInt, events: UInt32)? {
        while !accounts.isEmpty {
            let member = accounts[0].lines[0].first
            let events = members[Int(member)].events
            let isLast = (account: accounts[0].count == 1, line: accounts[0].lines[0].count == 1)
            unlink(member, 0, 0)
            if !isLast.account {
                var account = accounts.removeFirst()
                if !isLast.line { account.lines.append(account.lines.removeFirst()) }
                accounts.append(account)
            }
            if events != 0 { return (member, events) }
        }
        return nil
    }

    /// Takes the newest descriptor of the user with the most in the account with the most, which is this `owner` and its
    /// account if no other has more; with `onlyInAccount`, of the user with the most in the owner's account.
    ///
    /// Accounts of users that are `spared` lose none, unless it is the owner's.
    public mutating func shed(_ owner: Owner, onlyInAccount: Bool, spared: (UInt32) -> Bool) -> CInt? {
        guard var account = accounts.firstIndex(where: { $0.number == owner.account }) else { return nil }
        if !onlyInAccount {
            for other in accounts.indices where accounts[other].count > accounts[account].count {
                if !spared(accounts[other].lines[0].user) { account = other }
            }
        }
        let isOwn = accounts[account].number == owner.account
        var longest = accounts[account].lines.firstIndex { isOwn && $0.user == owner.user } ?? 0
        for line in accounts[account].lines.indices
        where accounts[account].lines[line].count > accounts[account].lines[longest].count { longest = line }
        let member = accounts[account].lines[longest].last
        unlink(member, account, longest)
        return member
    }

    private func isWaiting(_ member: CInt) -> Bool { Int(member) < members.count && members[Int(member)].isWaiting }

    /// Takes a member out of its line, which ends with its last member, as an account ends with its last line.
    private mutating func unlink(_ member: CInt, _ account: Int, _ line: Int) {
        let (previous, next) = (members[Int(member)].previous, members[Int(member)].next)
        members[Int(member)] = Member()
        count -= 1
        accounts[account].count -= 1
        accounts[account].lines[line].count -= 1
        guard accounts[account].lines[line].count > 0 else {
            accounts[account].lines.remove(at: line)
            if accounts[account].lines.isEmpty { accounts.remove(at: account) }
            return
        }
        if previous >= 0 { members[Int(previous)].next = next } else { accounts[account].lines[line].first = next }
        if next >= 0 { members[Int(next)].previous = previous } else { accounts[account].lines[line].last = previous }
    }

    /// The number of descriptors that there is room for.
    var room: Int { members.count }

    /// Gives up the room for descriptors, unless some wait.
    ///
    /// The queue does not do so itself each time it is empty: to make the room again costs more than to serve a descriptor.
    public mutating func shrink() {
        if isEmpty { members = [] }
    }
}
