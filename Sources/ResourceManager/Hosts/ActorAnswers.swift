internal import MemoryPressure
internal import ResourceCaches

/// Waits for concurrent calls on actors, up to a time limit.
final class ActorAnswers: Sendable {
    private struct State {
        var callCount: Int
        var released = 0
        var reader: CheckedContinuation<Void, Never>?
        var isLate = false
    }

    private let patience: Duration
    private let state: Guarded<State>

    /// Begins the calls; a delivery waits for all of them together, for as long as a warning of this level waits.
    init(_ calls: [@Sendable () async -> Int], at level: PressureLevel) {
        patience = level.patienceForActors
        state = Guarded(State(callCount: calls.count))
        for call in calls {
            // High priority, since a warning waits for the calls, whatever the priority of the task that delivers it.
            Task.detached(priority: .high) { [self] in note(await call()) }
        }
    }

    /// The bytes released by the calls that ended in time.
    nonisolated(nonsending) func released() async -> Int {
        let timer = Task.detached(priority: .high) { [self] in
            if (try? await Task.sleep(for: patience)) != nil { end() }
        }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                let isDone = state.callCount == 0 || state.isLate
                if !isDone { state.reader = continuation }
                return isDone
            }
            if isDone { continuation.resume() }
        }
        timer.cancel()
        return state.withLock { $0.released }
    }

    private func note(_ released: Int) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.callCount -= 1
            state.released = state.released.addingSaturated(max(0, released))
            return state.callCount == 0 ? state.reader.take() : nil
        }
        reader?.resume()
    }

    private func end() {
        let reader = state.withLock { state in
            state.isLate = true
            return state.reader.take()
        }
        reader?.resume()
    }
}
