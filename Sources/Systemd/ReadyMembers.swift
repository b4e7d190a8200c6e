/// The members of a ``PollGroup`` that are ready, in the order in which they are served: one of each account in turn, and
/// within an account the one that has waited longest.
///
/// With one line for all, an account with hundreds of ready members would delay each member of another account by the
/// time that it takes to serve them all.
struct ReadyMembers {
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
    }

    /// By descriptor.
    private var members: [Member] = []
    private var lines: [Line] = []
    /// The line that is served next.
    private var turn = 0

    /// Whether no member waits.
    var isEmpty: Bool { lines.isEmpty }

    /// Notes the present events of a member; if it does not wait yet, it joins the end of its account's line.
    mutating func note(_ events: UInt32, of member: CInt, account: (CInt) -> UInt32) {
        let place = Int(member)
        while members.count <= place { members.append(Member()) }
        members[place].events = events
        guard members[place].next == nil else { return }
        members[place].next = member
        let account = account(member)
        if let line = lines.firstIndex(where: { $0.account == account }) {
            members[Int(lines[line].last)].next = member
            lines[line].last = member
        } else {
            lines.append(Line(account: account, first: member, last: member))
        }
    }

    /// Drops the events of a member, which were seen before a change.
    mutating func drop(_ member: CInt) {
        // It stays in its line, and may get other events until its turn.
        if Int(member) < members.count { members[Int(member)].events = 0 }
    }

    /// Takes the next member with its events; `nil` if there is none.
    mutating func next() -> (member: CInt, events: UInt32)? {
        while !lines.isEmpty {
            if turn >= lines.count { turn = 0 }
            let member = lines[turn].first
            let (events, next) = (members[Int(member)].events, members[Int(member)].next)
            members[Int(member)] = Member()
            if let next, next != member {
                lines[turn].first = next
                turn += 1
            } else {
                lines.remove(at: turn)
            }
            if events != 0 { return (member, events) }
        }
        // Gives up the room that a flood took.
        if members.count > 1_024 { members = [] }
        return nil
    }
}
