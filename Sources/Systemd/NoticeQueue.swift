/// The notices that wait for room in the service manager's own queue, in the order in which they will be sent.
///
/// A status has no position in that order: only the newest waits, and it is sent last.
struct NoticeQueue {
    /// If this number of notices wait, no further store is accepted.
    private let limit: Int
    /// Entries before `head` were removed.
    private var notices: [Notice?] = []
    private var head = 0
    private var status: Notice?

    init(limit: Int) {
        self.limit = limit
    }

    /// The number of waiting notices, without the status.
    var count: Int { notices.count - head }

    var isEmpty: Bool { count == 0 && status == nil }

    /// The next notice to send.
    var first: Notice? { count > 0 ? notices[head] : status }

    /// Removes the next notice.
    mutating func removeFirst() {
        guard count > 0 else {
            status = nil
            return
        }
        // Closes its descriptors.
        notices[head] = nil
        head += 1
        // The rest moves up only when it is the smaller half, so the cost for each notice is constant.
        if head * 2 >= notices.count {
            notices.removeFirst(head)
            head = 0
        }
    }

    /// Adds a notice in its position.
    ///
    /// - Returns: Whether there was room. There is always room for a change of state and a status. Removals may fill
    ///   the queue to twice the limit, so that everything that was stored can also be removed.
    mutating func append(_ notice: Notice) -> Bool {
        switch notice {
        case .status:
            status = notice
            return true
        case .state(_, status: _?): status = nil
        case .state: break
        case .store: guard count < limit else { return false }
        case .removal: guard count < limit * 2 else { return false }
        }
        notices.append(notice)
        return true
    }
}
