/// What the asynchronous responders of one round were asked for, until it is there or the round waits no longer.
final class AsyncAnswers: Sendable {
    /// How long a round waits for all that it has asked, each time that it asks.
    ///
    /// What has not answered then is not asked again, so one object that is stuck costs this once.
    /// An actor that is free answers within some microseconds. One that computes for a second may do so for a minute, and
    /// a daemon's round has 5 s.
    static let patience = Duration.seconds(1)

    /// What one call is expected to bring.
    struct Promise: Sendable {
        fileprivate let answers: AsyncAnswers
        fileprivate let turn: Int

        /// Notes what the call brought; it counts unless the round has collected its answers meanwhile.
        func keep(_ given: Int) {
            answers.note(given, turn: turn)
        }
    }

    private struct State {
        /// How often answers were collected.
        var turn = 0
        /// The calls that have not ended.
        var callCount = 0
        var promised = 0
        var given = 0
        /// When the first of them began.
        var start: ContinuousClock.Instant?
        /// Where the round waits.
        var gate: ThreadGate<Void>?
    }

    private let state = Guarded(State())
    private let patience: Duration?

    /// Answers of nothing yet.
    ///
    /// - Parameter patience: How long the round waits each time; `nil` if it never does. Then what is promised is as good
    ///   as given, and does not count.
    init(patience: Duration?) {
        self.patience = patience
    }

    /// The bytes that calls were asked for whose answers were not collected.
    var promisedBytes: Int { state.withLock { $0.promised } }

    /// Notes that a call for so many bytes begins.
    func promise(_ bytes: Int) -> Promise {
        state.withLock { state in
            state.callCount += 1
            state.promised = state.promised.addingSaturated(bytes)
            state.start = state.start ?? .now
            return Promise(answers: self, turn: state.turn)
        }
    }

    private func note(_ given: Int, turn: Int) {
        let gate = state.withLock { state -> ThreadGate<Void>? in
            guard turn == state.turn else { return nil }
            state.given = state.given.addingSaturated(given)
            state.callCount -= 1
            return state.callCount == 0 ? state.gate : nil
        }
        gate?.open(with: ())
    }

    /// Waits for the calls under way, for as long as the round's patience lasts, and returns what they gave.
    ///
    /// What is promised counts no more then. Without patience it goes on to count, and nothing was given.
    func collect() -> Int {
        guard let patience else { return 0 }
        let wait = state.withLock { state -> (gate: ThreadGate<Void>, start: ContinuousClock.Instant)? in
            guard state.callCount > 0, let start = state.start else { return nil }
            let gate = ThreadGate<Void>()
            state.gate = gate
            return (gate, start)
        }
        if let wait { wait.gate.wait(atMost: patience - wait.start.duration(to: .now)) }
        return state.withLock { state in
            let given = state.given
            state = State(turn: state.turn + 1)
            return given
        }
    }
}
