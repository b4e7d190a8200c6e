internal import MemoryPressure

extension PressureLevel {
    /// How long a warning of this level waits for actors, each time that it calls them.
    ///
    /// A free actor answers within some microseconds. A host calls actors six times at most (the delegate, observers,
    /// reclaimers three times, the delegate again), and its answer is due after 2 s, or 1 s at critical, by the
    /// defaults of the daemon. An observer or reclaimer that is late is not waited for again: a stuck actor costs this
    /// time once.
    package var patienceForActors: Duration { self == .critical ? .milliseconds(150) : .milliseconds(300) }
}

/// Calls on actors whose results a thread waits for, up to a time limit, with the bytes that each was asked for.
package final class AsyncAnswers: Sendable {
    /// One call, with the bytes that it is expected to free.
    package struct Promise: Sendable {
        fileprivate let answers: AsyncAnswers
        fileprivate let turn: Int

        /// Records the result of the call; it counts unless the round has already collected its answers.
        ///
        /// - Returns: Whether it counts.
        package func keep(_ given: Int) -> Bool {
            answers.note(given, turn: turn)
        }
    }

    private struct State {
        /// The number of collections so far.
        var turn = 0
        /// The number of unfinished calls.
        var callCount = 0
        var promised = 0
        var given = 0
        /// When the first unfinished call began.
        var start: ContinuousClock.Instant?
        /// The gate at which the round waits.
        var gate: ThreadGate<Void>?
    }

    private let state = Guarded(State())
    private let patience: Duration?

    /// Creates answers without calls.
    ///
    /// - Parameter patience: How long the round waits each time; `nil` if it never waits. Then promised bytes are
    ///   treated as given, but do not count.
    package init(patience: Duration?) {
        self.patience = patience
    }

    /// The bytes wanted of calls whose answers were not collected yet.
    var promisedBytes: Int { state.withLock { $0.promised } }

    /// Records the beginning of a call for `bytes` bytes.
    package func promise(_ bytes: Int) -> Promise {
        state.withLock { state in
            state.callCount += 1
            state.promised = state.promised.addingSaturated(bytes)
            state.start = state.start ?? .now
            return Promise(answers: self, turn: state.turn)
        }
    }

    private func note(_ given: Int, turn: Int) -> Bool {
        let (counts, gate) = state.withLock { state -> (Bool, ThreadGate<Void>?) in
            guard turn == state.turn else { return (false, nil) }
            state.given = state.given.addingSaturated(given)
            state.callCount -= 1
            return (patience != nil, state.callCount == 0 ? state.gate : nil)
        }
        gate?.open(with: ())
        return counts
    }

    /// Waits for the calls under way, at most for the round's patience, and returns the bytes that they gave.
    ///
    /// After that promised bytes no longer count. Without patience they continue to count, and the result is 0.
    package func collect() -> Int {
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
