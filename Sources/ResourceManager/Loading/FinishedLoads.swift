internal import ResourceCaches

/// Results of background work that wait until the host takes them into its isolation.
final class FinishedLoads: Sendable {
    struct Finished: Sendable {
        let id: UInt64
        let result: Result<any Sendable, any Error>
    }

    private enum Reader {
        /// It is about to wait.
        case joined
        case waiting(CheckedContinuation<Void, Never>)

        func wake() { if case .waiting(let continuation) = self { continuation.resume() } }
    }

    private struct State {
        var finished: [Finished] = []
        var announce: (@Sendable () -> Void)?
        /// By number, since a reader may be cancelled; one that was woken is removed.
        var readers: [UInt64: Reader] = [:]
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
        for reader in readers { reader.wake() }
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
    ///
    /// The caller has seen on its actor that it has to wait; whatever arrives after that ends the wait.
    nonisolated(nonsending) func arrival() async {
        await wait(as: join())
    }

    /// As above; also ends when the task is cancelled.
    nonisolated(nonsending) func arrivalOrCancellation() async {
        let reader = join()
        await withTaskCancellationHandler {
            await wait(as: reader)
        } onCancel: {
            state.withLock { $0.readers.removeValue(forKey: reader) }?.wake()
        }
    }

    /// Makes the caller a reader, before it leaves its actor: the operation of a cancellation handler does not run there,
    /// and another reader may take the result meanwhile.
    func join() -> UInt64 {
        state.withLock { state in
            state.lastReader += 1
            if state.finished.isEmpty { state.readers[state.lastReader] = .joined }
            return state.lastReader
        }
    }

    nonisolated(nonsending) func wait(as reader: UInt64) async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.readers[reader] != nil else { return false }
                state.readers[reader] = .waiting(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
    }
}
