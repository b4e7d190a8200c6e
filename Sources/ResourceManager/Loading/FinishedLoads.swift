internal import ResourceCaches

/// Results of background work that wait until the host takes them into its isolation.
final class FinishedLoads: Sendable {
    struct Finished: Sendable {
        let id: UInt64
        let result: Result<any Sendable, any Error>
    }

    private struct State {
        var finished: [Finished] = []
        var announce: (@Sendable () -> Void)?
        /// By number, since a reader may be cancelled.
        var readers: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastReader: UInt64 = 0
    }

    private let state = Guarded(State())

    /// Adds a result; called on any thread.
    func put(_ finished: Finished) {
        let announce = state.withLock { state in
            state.finished.append(finished)
            return state.announce
        }
        announce?()
        wakeReaders()
    }

    /// Wakes all readers: a result has arrived, or none will come.
    func wakeReaders() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return state.readers.values
        }
        for reader in readers { reader.resume() }
    }

    /// Takes all results, in the order in which they arrived.
    func take() -> [Finished] {
        state.withLock { state in
            defer { state.finished = [] }
            return state.finished
        }
    }

    /// Sets the closure to call at each arrival; calls it at once if a result has arrived already.
    func onArrival(_ announce: (@Sendable () -> Void)?) {
        let isWaiting = state.withLock { state in
            state.announce = announce
            return !state.finished.isEmpty
        }
        if isWaiting { announce?() }
    }

    /// Waits until a result has arrived, or ``wakeReaders()`` is called.
    nonisolated(nonsending) func arrival() async {
        await wait(as: nextReader(), whileCancelled: true)
    }

    /// As above; also ends when the task is cancelled.
    nonisolated(nonsending) func arrivalOrCancellation() async {
        let reader = nextReader()
        await withTaskCancellationHandler {
            await wait(as: reader, whileCancelled: false)
        } onCancel: {
            state.withLock { $0.readers.removeValue(forKey: reader) }?.resume()
        }
    }

    private func nextReader() -> UInt64 {
        state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
    }

    private nonisolated(nonsending) func wait(as reader: UInt64, whileCancelled: Bool) async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                // A cancellation before this point found no reader to wake.
                guard state.finished.isEmpty, whileCancelled || !Task.isCancelled else { return false }
                state.readers[reader] = continuation
                return true
            }
            if !waits { continuation.resume() }
        }
    }
}
