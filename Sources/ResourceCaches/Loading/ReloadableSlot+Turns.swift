internal import Synchronization

// Who loads. Once for loaders that block their thread, and once for those that suspend.

extension ReloadableSlot {
    private enum Entrance {
        case turn(Flight<Value>.Turn)
        case wait(ThreadGate<Flight<Value>.Outcome>)
        /// A task leads, which a thread does not wait for.
        case loadAlone
    }

    /// The value for a thread, which blocks while another thread loads it.
    func value<Failure: Error>(orLoad load: () throws(Failure) -> Loaded) throws(Failure) -> Value {
        while true {
            switch enter() {
            case .turn(.value(let value)): return value
            case .turn(.lead): return try perform(.lead, load)
            case .loadAlone: return try perform(.alone, load)
            case .wait(let gate):
                switch gate.wait() {
                case .success(.value(let value)): return value
                case .success(.lead): return try perform(.lead, load)
                case .failure(let error):
                    // Always: all leaders have the same loader.
                    if let error = error as? Failure { throw error }
                }
            }
        }
    }

    private func enter() -> Entrance {
        state.withLock { state in
            if let value = state.value { return .turn(.value(value)) }
            guard state.flight != nil else {
                state.flight = Flight(ledBy: .currentThread)
                return .turn(.lead)
            }
            return state.flight?.wait().map(Entrance.wait) ?? .loadAlone
        }
    }

    /// The value for a task, which is suspended while another one loads it; or its turn to do so.
    nonisolated(nonsending) func turn(ledBy leader: FlightLeader) async throws -> Flight<Value>.Turn {
        try await Flight.turn { id, continuation in
            state.withLock { state in
                if let value = state.value { return .success(.value(value)) }
                guard state.flight != nil else {
                    state.flight = Flight(ledBy: leader)
                    return .success(.lead)
                }
                state.flight?.wait(id, continuation)
                return nil
            }
        } cancel: { id in
            state.withLock { $0.flight?.cancel(id) }
        }
    }

    /// Loads, in this thread.
    func perform<Failure: Error>(_ purpose: Purpose, _ load: () throws(Failure) -> Loaded) throws(Failure) -> Value {
        let number = beginLoad(purpose, by: .currentThread)
        do {
            return store(try load(), of: number, purpose)
        } catch {
            if purpose == .lead { fail(error) }
            throw error
        }
    }

    /// Loads, in this task.
    nonisolated(nonsending) func perform(
        _ purpose: Purpose,
        _ load: nonisolated(nonsending) () async throws -> Loaded
    ) async throws -> Value {
        let number = beginLoad(purpose, by: .currentTask)
        do {
            return store(try await load(), of: number, purpose)
        } catch {
            if purpose == .lead { fail(error) }
            throw error
        }
    }
}
