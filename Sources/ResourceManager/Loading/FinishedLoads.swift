internal import ResourceCaches

/// Results of background work that wait for the host to take them into its isolation.
final class FinishedLoads: Sendable {
    struct Finished: Sendable {
        let id: UInt64
        let result: Result<any Sendable, any Error>
    }

    private struct State {
        var finished: [Finished] = []
        var announce: (@Sendable () -> Void)?
        var reader: CheckedContinuation<Void, Never>?
    }

    private let state = Guarded(State())

    /// Leaves a result; called on any thread.
    func put(_ finished: Finished) {
        let (announce, reader) = state.withLock { state in
            state.finished.append(finished)
            return (state.announce, state.reader.take())
        }
        announce?()
        reader?.resume()
    }

    /// Takes all results, in the order in which they arrived.
    func take() -> [Finished] {
        state.withLock { state in
            defer { state.finished = [] }
            return state.finished
        }
    }

    /// Says what to tell of each arrival; tells at once if something is there.
    func onArrival(_ announce: (@Sendable () -> Void)?) {
        let isWaiting = state.withLock { state in
            state.announce = announce
            return !state.finished.isEmpty
        }
        if isWaiting { announce?() }
    }

    /// Waits until something is there; one reader at a time.
    nonisolated(nonsending) func arrival() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.finished.isEmpty { state.reader = continuation }
                return !state.finished.isEmpty
            }
            if isThere { continuation.resume() }
        }
    }
}
