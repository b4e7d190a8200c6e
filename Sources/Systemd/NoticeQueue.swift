/// The notices that wait for room in the service manager's own queue, in the order in which they are to be sent.
///
/// A status has no place in that order: only the newest waits, and it goes last.
struct NoticeQueue {
    /// So many notices may wait when another store comes.
    private let limit: Int
    /// Those before `head` are gone.
    private var notices: [Notice?] = []
    private var head = 0
    private var status: Notice?

    init(limit: Int) {
        self.limit = limit
    }

    /// How many wait, the status apart.
    var count: Int { notices.count - head }

    var isEmpty: Bool { count == 0 && status == nil }

    /// The notice whose turn it is.
    var first: Notice? { count > 0 ? notices[head] : status }

    /// Takes the notice out whose turn it was.
    mutating func removeFirst() {
        guard count > 0 else {
            status = nil
            return
        }
        // Lets go of its descriptors.
        notices[head] = nil
        head += 1
        // Moving the rest up only when it is the smaller half costs a constant for each notice.
        if head * 2 >= notices.count {
            notices.removeFirst(head)
            head = 0
        }
    }

    /// Adds a notice at its place.
    ///
    /// - Returns: Whether there was room. For a change of state and a status there always is. Removals may fill the
    ///   queue to twice the limit, so that what could be stored can also be taken back.
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
