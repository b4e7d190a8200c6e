/// What waits for a host until the host asks, and the question that the host has in hand.
///
/// Of origins and warnings only the newest waits: a host that was busy learns what holds now, not what held when it looked
/// away. Real and simulated warnings are kept apart, so that neither hides the other. Commands queue behind them,
/// since each was sent to be done.
struct PendingNews {
    private struct Errand {
        var request: CommandRequest
        /// Its number; `nil` once its connection has ended.
        var sequence: UInt64?
    }

    /// What the host was given last, as long as an answer to it can be sent.
    private enum Question {
        case none
        case warning(round: UInt64)
        case command(sequence: UInt64)
    }

    private var origin: ClientSession.Origin?
    private var real: ClientSession.Delivery?
    private var simulated: ClientSession.Delivery?
    /// The oldest first.
    private var errands: [Errand] = []
    private var question = Question.none
    private var hasArrival = false

    /// Whether anything but commands waits.
    var hasWarning: Bool { origin != nil || real != nil || simulated != nil }

    mutating func put(_ origin: ClientSession.Origin) {
        self.origin = origin
        hasArrival = true
    }

    mutating func put(_ delivery: ClientSession.Delivery) {
        if delivery.warning.options.contains(.simulated) {
            simulated = delivery
        } else {
            real = delivery
        }
        hasArrival = true
    }

    /// Queues a command, unless `limit` of them wait; false then.
    mutating func put(_ request: CommandRequest, sequence: UInt64, limit: Int) -> Bool {
        guard errands.count < limit else { return false }
        errands.append(Errand(request: request, sequence: sequence))
        hasArrival = true
        return true
    }

    /// Whether something came in since the last call.
    mutating func takeArrival() -> Bool {
        defer { hasArrival = false }
        return hasArrival
    }

    /// The next piece of news, which takes the place of the question in hand.
    mutating func take() -> ClientSession.Effect? {
        question = .none
        if let origin = origin.take() { return .announce(origin) }
        if let delivery = real.take() ?? simulated.take() {
            if delivery.warning.options.contains(.answerWanted) { question = .warning(round: delivery.round) }
            return .deliver(delivery)
        }
        guard !errands.isEmpty else { return nil }
        let errand = errands.removeFirst()
        if let sequence = errand.sequence { question = .command(sequence: sequence) }
        return .perform(errand.request)
    }

    /// Answers the question in hand, if it is a warning.
    mutating func answer(_ acknowledgement: Acknowledgement) -> ClientSession.Effect? {
        guard case .warning(let round) = question else { return nil }
        question = .none
        return .acknowledge(round, acknowledgement)
    }

    /// Answers the question in hand, if it is a command.
    mutating func answer(_ reply: CommandReply) -> ClientSession.Effect? {
        guard case .command(let sequence) = question else { return nil }
        question = .none
        return .reply(sequence, reply)
    }

    /// Has everything so far go unanswered, since the connection that asked has ended; the host does it all the same.
    mutating func forgetQuestions() {
        question = .none
        real?.warning.options.remove(.answerWanted)
        simulated?.warning.options.remove(.answerWanted)
        for index in errands.indices { errands[index].sequence = nil }
    }
}
