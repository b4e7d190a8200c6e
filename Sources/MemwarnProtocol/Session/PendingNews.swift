/// The news that waits until the host asks for it, and the question that the host is handling.
///
/// Only the newest origin and the newest warning wait: a host that was busy learns the present state, not earlier ones.
/// Real and simulated warnings are kept apart, so that neither hides the other. All commands wait in a queue behind
/// them, since each of them is to be performed.
struct PendingNews {
    private struct Command {
        var request: CommandRequest
        /// Its sequence; `nil` once its connection has ended.
        var sequence: UInt64?
    }

    /// The last question for the host, as long as an answer to it can be sent.
    private enum Question {
        case none
        case warning(round: UInt64)
        case command(sequence: UInt64)
    }

    private var origin: ClientSession.Origin?
    private var real: ClientSession.Delivery?
    private var simulated: ClientSession.Delivery?
    /// The oldest first.
    private var commands: [Command] = []
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

    /// Appends a command to the queue, or returns `false` if `limit` commands wait already.
    mutating func put(_ request: CommandRequest, sequence: UInt64, limit: Int) -> Bool {
        guard commands.count < limit else { return false }
        commands.append(Command(request: request, sequence: sequence))
        hasArrival = true
        return true
    }

    /// Whether news arrived since the last call.
    mutating func takeArrival() -> Bool {
        defer { hasArrival = false }
        return hasArrival
    }

    /// Returns the next news, which replaces the current question.
    mutating func take() -> ClientSession.Effect? {
        question = .none
        if let origin = origin.take() { return .announce(origin) }
        if let delivery = real.take() ?? simulated.take() {
            if delivery.warning.options.contains(.answerWanted) { question = .warning(round: delivery.round) }
            return .deliver(delivery)
        }
        guard !commands.isEmpty else { return nil }
        let command = commands.removeFirst()
        if let sequence = command.sequence { question = .command(sequence: sequence) }
        return .perform(command.request)
    }

    /// Answers the current question, if it is a warning.
    mutating func answer(_ acknowledgement: Acknowledgement) -> ClientSession.Effect? {
        guard case .warning(let round) = question else { return nil }
        question = .none
        return .acknowledge(round, acknowledgement)
    }

    /// Answers the current question, if it is a command.
    mutating func answer(_ reply: CommandReply) -> ClientSession.Effect? {
        guard case .command(let sequence) = question else { return nil }
        question = .none
        return .reply(sequence, reply)
    }

    /// Drops the answers to all questions so far, because their connection has ended; the host still handles them.
    ///
    /// A waiting real warning has no round any more: the next daemon may give its number to another one.
    mutating func forgetQuestions() {
        question = .none
        real?.forgetRound()
        simulated?.warning.options.remove(.answerWanted)
        for index in commands.indices { commands[index].sequence = nil }
    }
}
