/// Descriptors that wait to be served, in turns: one of each account, and within an account the one that has waited
/// longest.
///
/// With one queue for all, an account with hundreds of waiting descriptors would delay each descriptor of another
/// account by the time that it takes to serve them all.
public struct FairQueue {
    private struct Member {
        /// 0 if they were dropped.
        var events: UInt32 = 0
        /// The member behind it in its line; itself for the last one; `nil` if it is in no line.
        var next: CInt?
    }

    /// The waiting members of an account, at least one.
    private struct Line {
        let account: UInt32
        var first: CInt
        var last: CInt
        var count = 1
    }

    /// By descriptor.
    private var members: [Member] = []
    /// In the order in which they are served; a line that was served goes behind all others.
    private var lines: [Line] = []
    /// The number of waiting descriptors.
    public private(set) var count = 0

    /// An empty queue.
    public init() {}

    /// Whether no descriptor waits.
    public var isEmpty: Bool { lines.isEmpty }

    /// The number of waiting descriptors of an account.
    public func count(of account: UInt32) -> Int { lines.first { $0.account == account }?.count ?? 0 }

    /// Replaces the events of a descriptor that waits.
    ///
    /// - Returns: Whether it waits.
    public mutating func renew(_ events: UInt32, of member: CInt) -> Bool {
        guard Int(member) < members.count, members[Int(member)].next != nil else { return false }
        members[Int(member)].events = events
        return true
    }

    /// Adds a descriptor that does not wait yet to the end of its account's line.
    public mutating func join(_ member: CInt, _ events: UInt32, account: UInt32) {
        while members.count <= Int(member) { members.append(Member()) }
        members[Int(member)] = Member(events: events, next: member)
        count += 1
        if let line = lines.firstIndex(where: { $0.account == account }) {
            members[Int(lines[line].last)].next = member
            lines[line].last = member
            lines[line].count += 1
        } else {
            lines.append(Line(account: account, first: member, last: member))
        }
    }

    /// Drops the events of a descriptor, which were seen before a change.
    public mutating func drop(_ member: CInt) {
        // It stays in its line, and may get other events until its turn.
        if Int(member) < members.count { members[Int(member)].events = 0 }
    }

    /// Takes the next descriptor with its events; `nil` if there is none.
    public mutating func next() -> (member: CInt, events: UInt32)? {
        while !lines.isEmpty {
            var line = lines.removeFirst()
            let member = line.first
            let (events, next) = (members[Int(member)].events, members[Int(member)].next)
            members[Int(member)] = Member()
            count -= 1
            if let next, next != member {
                line.first = next
                line.count -= 1
                lines.append(line)
            }
            if events != 0 { return (member, events) }
        }
        // Gives up the room that a flood took.
        if members.count > 1_024 { members = [] }
        return nil
    }
}
