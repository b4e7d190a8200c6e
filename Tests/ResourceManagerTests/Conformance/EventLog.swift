import TestSupport

/// What happened in a case, in order.
///
/// When a controller is deallocated within an operation is not fixed: its end is noted at the end of that operation,
/// and one that is run inside a callback is an operation of its own.
final class EventLog: Sendable {
    private struct State {
        var events: [Event] = []
        /// The ends within each operation under way, the outermost first.
        var ends: [[Event]] = []
    }

    private let state = Locked(State())

    func record(_ event: Event) {
        state.withLock { $0.events.append(event) }
    }

    func recordEnd(_ event: Event) {
        state.withLock { state in
            if state.ends.isEmpty {
                state.events.append(event)
            } else {
                state.ends[state.ends.count - 1].append(event)
            }
        }
    }

    /// How many operations are under way, each inside the one before.
    var depth: Int { state.withLock { $0.ends.count } }

    func beginOperation() {
        state.withLock { $0.ends.append([]) }
    }

    func endOperation() {
        state.withLock { state in
            guard let ends = state.ends.popLast() else { return }
            state.events += ends
        }
    }

    /// What happened since the last time.
    func take() -> [Event] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }
}
