internal import Synchronization

// Loading: one variant for loaders that block their thread, and one for those that suspend.

extension ReloadableSlot {
    private enum Entrance {
        case turn(Flight<Value>.Turn)
        case wait(ThreadGate<Flight<Value>.Outcome>)
        /// A task leads; a thread does not wait for it.
        case loadAlone
    }

    /// The value for a thread, which blocks while another thread loads it.
    func value<Failure: Error>(orLoad load: () throws(Failure) -> Loaded) throws(Failure) -> Value {
        while true {
            switch enter() {
            case .turn(.value(let value)): return value
            case .turn(.lead(let run)): return try perform(.lead, run, load)
            case .loadAlone: return try perform(.alone, LoadUnderWay(), load)
            case .wait(let gate):
                switch gate.wait() {
                case .success(.value(let value)): return value
                case .success(.lead(let run)): return try perform(.lead, run, load)
                case .failure(let error):
                    // This always succeeds: all leaders have the same loader.
                    if let error = error as? Failure { throw error }
                }
            }
        }
    }

    private func enter() -> Entrance {
        state.withLock { state in
            if let value = state.value { return .turn(.value(value)) }
            guard state.flight != nil else { return .turn(.lead(state.beginFlight(inThread: true))) }
            return state.flight?.wait().map(Entrance.wait) ?? .loadAlone
        }
    }

    /// Returns the value to a task, which is suspended while another one loads it; or the task's turn to load it.
    ///
    /// - Parameter isLedByThread: Whether its loader blocks the thread that it runs on.
    /// - Returns: The value, or the load that the caller has to perform.
    /// - Throws: The errors of ``Flight/turn(join:cancel:)``.
    nonisolated(nonsending) func turn(isLedByThread: Bool) async throws -> Flight<Value>.Turn {
        try await Flight.turn { id, continuation in
            state.withLock { state in
                if let value = state.value { return .success(.value(value)) }
                guard state.flight != nil else {
                    return .success(.lead(state.beginFlight(inThread: isLedByThread)))
                }
                return state.flight?.wait(id, continuation)
            }
        } cancel: { id in
            state.withLock { $0.flight?.cancel(id) }
        }
    }

    /// Loads, in this thread.
    func perform<Failure: Error>(
        _ purpose: Purpose,
        _ run: LoadUnderWay,
        _ load: () throws(Failure) -> Loaded
    ) throws(Failure) -> Value {
        let number = beginLoad(purpose, isInThread: true)
        do {
            return store(try run.run(load), of: number, purpose)
        } catch {
            if purpose == .lead { fail(error) }
            throw error
        }
    }

    /// Loads, in this task.
    nonisolated(nonsending) func perform(
        _ purpose: Purpose,
        _ run: LoadUnderWay,
        _ load: nonisolated(nonsending) () async throws -> Loaded
    ) async throws -> Value {
        let number = beginLoad(purpose, isInThread: false)
        do {
            return store(try await run.run(load), of: number, purpose)
        } catch {
            if purpose == .lead { fail(error) }
            throw error
        }
    }
}
